import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Api, ApiResponse } from './support.ts';
import {
  COLUMNS,
  formatCellText,
  readPlainValues,
  readTexts,
  type SendWrite,
  sheet,
  WrittenBooks,
} from './written-books.ts';

let books: WrittenBooks;

before(async () => {
  books = await WrittenBooks.start();
});
after(() => books.close());

describe('a console write to cells that another user has changed', () => {
  it('is refused on request if another user has changed the cell', async () => {
    const book = await books.create();
    const base = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet, before: 1, count: 1 } }] });
    await book.put('A2', [['theirs']]);
    const headers = { 'cellwire-base-revision': base, 'cellwire-unless-changed': 'true' };
    const put = (cell: string) => books.send(book, headers, 'PUT', '/api', `/values/${cell}`, { values: [['mine']] });
    assert.deepEqual([(await put('A1')).status, (await put('A2')).status], [409, 200]);
    assert.deepEqual(await readPlainValues(book, 'A2:A3'), [['theirs'], ['mine']]);
  });

  it('is not refused if another user only sorted its cells, undid this, or removed duplicate rows', async () => {
    const book = await books.create();
    await book.put('A9:D9', [Array.from({ length: COLUMNS }, (_, j) => formatCellText(0, j))]);
    const base = await book.revision();
    const headers = { 'cellwire-base-revision': base, 'cellwire-unless-changed': 'true' };
    const clear = (range: string, base: string) =>
      books.send(book, { ...headers, 'cellwire-base-revision': base }, 'POST', '/api', '/values/clear', { range });
    const findCells = async (text: string) =>
      [...(await readTexts(book))].filter(([, one]) => one === text).map(([cell]) => cell);
    const sort = { sort: { range: 'A1:D8', by: [{ column: 'A' }] } };
    await book.post('/structure', { operations: [sort] });
    const sorted = await book.revision();
    assert.equal((await clear('B2', base)).status, 200);
    assert.deepEqual(await findCells(formatCellText(1, 1)), []);
    await book.undo(await book.revision());
    assert.equal((await book.undo(sorted)).status, 200);
    const seen = (await findCells(formatCellText(5, 2)))[0];
    assert.equal(seen, 'Sheet1!5.2');
    assert.equal((await clear('C2', base)).status, 200);
    assert.deepEqual(await findCells(formatCellText(1, 2)), []);
    await book.post('/structure', { operations: [{ removeDuplicates: { range: 'A1:A9', columns: ['A'] } }] });
    assert.equal((await clear('A3', base)).status, 200);
    assert.deepEqual(await findCells(formatCellText(2, 0)), []);

    const before = await book.revision();
    const replace = { replace: { range: 'A1:D8', find: formatCellText(4, 1), with: 'theirs' } };
    await book.post('/structure', { operations: [sort, replace] });
    const refused = await clear('B5', before);
    assert.equal(refused.status, 409, 'the same revision also changed the cell');
    assert.equal((await findCells('theirs')).length, 1);
  });

  it('is not refused if another user undid each change of its cells', async () => {
    const book = await books.create();
    const base = await book.revision();
    const headers = { 'cellwire-base-revision': base, 'cellwire-unless-changed': 'true' };
    const clear = (range: string) => books.send(book, headers, 'POST', '/api', '/values/clear', { range });
    for (const operation of [
      { deleteColumns: { sheet, from: 'B', count: 1 } },
      { deleteRows: { sheet, from: 2, count: 1 } },
      { replace: { range: 'B2', find: formatCellText(1, 1), with: 'theirs' } },
    ]) {
      await book.post('/structure', { operations: [operation] });
      const changed = await book.revision();
      await book.put('F1', [[changed]]);
      assert.equal((await book.undo(changed)).status, 200, JSON.stringify(operation));
    }
    const undone = await book.revision();
    assert.equal((await clear('B2')).status, 200);
    await book.undo(await book.revision());
    await book.undo(undone);
    assert.equal((await clear('B2')).status, 409, 'the last change was made again');
  });

  it('overwrites what the same page wrote, but not what its user wrote on another page', async () => {
    const book = await books.create();
    const base = await book.revision();
    const headers = { 'cellwire-base-revision': base, 'cellwire-unless-changed': 'true' };
    const put = (cell: string, text: string, more: Readonly<Record<string, string>> = {}) =>
      books.send(book, { ...headers, ...more }, 'PUT', '/api', `/values/${cell}`, { values: [[text]] });
    await book.put('F1', [['of a program']]);
    const own: string[] = [];
    for (const [cell, text] of [
      ['A1', 'first'],
      ['A2', 'second'],
    ] as const) {
      const sendWrite = () => put(cell, text, { 'idempotency-key': `key ${cell}` });
      const revision = (await sendWrite()).headers.get('x-revision');
      assert.equal((await sendWrite()).headers.get('x-revision'), revision, 'the repeated request names its revision');
      own.push(String(revision));
    }
    const page = { 'cellwire-own-revisions': own.join('-') };
    assert.equal((await put('A1', 'by the same page', page)).status, 200);
    const other = await put('A2', 'by another page');
    assert.deepEqual([other.status, other.body['conflicts'], other.body['byCaller']], [409, ['Sheet1!A2'], true]);
    const foreign = await put('F1', 'mine', { 'cellwire-own-revisions': `1-${own[1]}` });
    assert.deepEqual([foreign.status, foreign.body['byCaller']], [409, undefined], 'the list names foreign revisions');
  });

  it('is not refused after a thousand writes of a program to other cells', async () => {
    const book = await books.create();
    const base = await book.revision();
    const put = (range: string) =>
      books.browser.request('PUT', `/api/documents/${book.document}/values/${range}`, {
        body: { values: [['mine']] },
        headers: { 'cellwire-base-revision': base, 'cellwire-unless-changed': 'true' },
      });
    const writeOthers = async (column: string) => {
      for (let i = 0; i < 125; i++) await book.put(`${column}9`, [[i]]);
    };
    await Promise.all([...'EFGHIJKL'].map(writeOthers));
    await book.put('A2', [['theirs']]);
    assert.equal((await put('A1')).status, 200);
    const { status, body } = await put('A2');
    assert.deepEqual([status, body['conflicts']], [409, ['Sheet1!A2']]);
  });

  it('is refused on request for every kind of write to cells that another user has changed', async () => {
    const writes: Readonly<
      Record<string, (book: Api, headers: Readonly<Record<string, string>>) => Promise<ApiResponse>>
    > = {
      put: (book, headers) => books.send(book, headers, 'PUT', '/api', '/values/A2', { values: [['a'], ['b'], ['c']] }),
      clear: (book, headers) => books.send(book, headers, 'POST', '/api', '/values/clear', { range: 'A2:B4' }),
      edits: (book, headers) =>
        books.send(book, headers, 'POST', '', '/cells', {
          edits: [{ clear: 'A3' }, { put: 'A4', values: [['x']] }, { format: 'A3', code: '0.00' }],
        }),
      'a copy': (book, headers) =>
        books.send(book, headers, 'POST', '', '/cells', { edits: [{ copy: 'B2:B3', to: 'A2' }] }),
      'a fill': (book, headers) =>
        books.send(book, headers, 'POST', '', '/fill', { from: 'A1', to: 'A2:A4', values: [[1], [2], [3]] }),
      'a format': (book, headers) => books.send(book, headers, 'PUT', '', '/format/A2:A4', { format: '0.00' }),
      'a pasted copy': books.createStructureWrite({ copy: { from: 'B2:B3', to: 'A2' } }),
      'a cut': books.createStructureWrite({ cut: { from: 'B2:B3', to: 'A2' } }),
      'a repeated row': books.createStructureWrite({ fill: { from: 'A2:D2', to: 'A3:D4' } }),
      'a replacement': books.createStructureWrite({ replace: { range: 'A1:D8', find: 'theirs', with: 'mine' } }),
      'deleted rows': books.createStructureWrite({ deleteRows: { sheet, from: 2, count: 2 } }),
      'deleted columns': books.createStructureWrite({ deleteColumns: { sheet, from: 'A', count: 1 } }),
      'deleted cells': books.createStructureWrite({ deleteCells: { range: 'A2:A4', shift: 'up' } }),
      'a deleted sheet': (book, headers) => books.send(book, headers, 'DELETE', '/api', '/sheets/Sheet1', {}),
      'a restored version': (book, headers) => books.send(book, headers, 'POST', '/api', '/revisions/1/restore', {}),
    };
    for (const [name, send] of Object.entries(writes)) {
      const book = await books.create();
      await book.addSheet('Other');
      const base = await book.revision();
      await book.post('/structure', { operations: [{ insertRows: { sheet, before: 1, count: 1 } }] });
      await book.put('A4', [['theirs']]);
      const headers = { 'cellwire-base-revision': base, 'cellwire-unless-changed': 'true' };
      const refused = await send(book, headers);
      assert.equal(refused.status, 409, name);
      assert.deepEqual(refused.body['conflicts'], ['Sheet1!A4'], name);
      const seen = await book.revision();
      const answer = await send(book, { ...headers, 'cellwire-seen-revision': seen });
      assert.equal(answer.status, 200, `${name}: ${JSON.stringify(answer.body)}`);
    }
  });

  it('leaves cells that another user has changed on request, or is refused', async () => {
    const values = { values: [['a'], ['b'], ['c']] };
    const kept: Readonly<Record<string, readonly [send: SendWrite, cells: readonly unknown[]]>> = {
      put: [(book, headers) => books.send(book, headers, 'PUT', '/api', '/values/A2', values), ['a', 'theirs', 'c']],
      clear: [
        (book, headers) => books.send(book, headers, 'POST', '/api', '/values/clear', { range: 'A2:A4' }),
        [null, 'theirs', null],
      ],
      edits: [
        (book, headers) =>
          books.send(book, headers, 'POST', '', '/cells', {
            edits: [{ clear: 'A2:A3' }, { put: 'A3', values: [['x'], ['y']] }],
          }),
        [null, 'theirs', 'y'],
      ],
    };
    for (const [name, [send, cells]] of Object.entries(kept)) {
      const book = await books.create();
      const base = await book.revision();
      await book.put('A3', [['theirs']]);
      const answer = await send(book, { 'cellwire-base-revision': base, 'cellwire-unless-changed': 'keep' });
      assert.equal(answer.status, 200, `${name}: ${JSON.stringify(answer.body)}`);
      assert.deepEqual(
        (await readPlainValues(book, 'A2:A4')) as unknown,
        cells.map((cell) => [cell]),
        name,
      );
    }
    const book = await books.create();
    const base = await book.revision();
    await book.put('A3', [['theirs']]);
    const headers = { 'cellwire-base-revision': base, 'cellwire-unless-changed': 'keep' };
    const cut = await books.createStructureWrite({ cut: { from: 'B2:B3', to: 'A2' } })(book, headers);
    const only = await books.send(book, headers, 'PUT', '/api', '/values/A3', { values: [['mine']] });
    assert.deepEqual([cut.status, only.status], [409, 409]);
  });

  // Behind 300 programs the queue is never empty: more commits than the service keeps in memory precede each attempt.
  for (const programCount of [20, 300]) {
    it(`is written beside ${programCount} programs that never stop, without the cells that they write`, async () => {
      const [rows, columns] = [1_000, 10];
      // The programs write all columns except the last one, cell by cell.
      const programCells = rows * (columns - 1);
      const book = await books.create();
      const base = await book.revision();
      let isDone = false;
      let count = 0;
      const writeNextCell = async () => {
        const index = count++ % programCells;
        const cell = `${'ABCDEFGHI'[Math.floor(index / rows)]}${(index % rows) + 1}`;
        // A busy service may refuse a write for the moment.
        while ((await book.put(cell, [['theirs']])).status === 503);
      };
      // The first writes open the connections.
      await Promise.all(Array.from({ length: programCount }, writeNextCell));
      const programs = Array.from({ length: programCount }, async () => {
        while (!isDone) await writeNextCell();
      });
      const put = (policy: string, cell: string, values: readonly (readonly string[])[]) => {
        const headers = { 'cellwire-base-revision': base, 'cellwire-unless-changed': policy };
        return books.send(book, headers, 'PUT', '/api', `/values/${cell}`, { values });
      };
      const block = Array.from({ length: rows }, () => Array<string>(columns).fill('mine'));
      const answers = await Promise.all([put('true', 'L1', [['mine']]), put('keep', 'A1', block)]).finally(() => {
        isDone = true;
      });
      await Promise.all(programs);
      for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body));
      const texts = (await readPlainValues(book, `A1:J${rows}`)) as readonly (readonly string[])[];
      const columnsOfTexts = Array.from({ length: columns }, (_, column) => texts.map((line) => line[column]));
      const theirCount = Math.min(count, programCells);
      assert.equal(columnsOfTexts.flat().length, rows * columns);
      assert.ok(columnsOfTexts.flat().every((text, index) => text === (index < theirCount ? 'theirs' : 'mine')));
      assert.deepEqual(await readPlainValues(book, 'L1'), [['mine']]);
    });
  }
});
