import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RowOrder } from '@cellwire/engine';
import fc from 'fast-check';
import { canParse } from '../../../../test/depth.ts';
import { type Browser, createPerson, signInAs } from './browser.ts';
import { type Api, type ApiResponse, memberAt, startWorld, type World } from './support.ts';

let world: World;
let browser: Browser;
let token: string;
let owner: string;

before(async () => {
  world = await startWorld();
  const anna = await createPerson(world);
  owner = String(anna.id);
  browser = await signInAs(world, anna);
  token = await world.createToken(owner);
});
after(() => world.close());

const ROWS = 8;
const COLUMNS = 4;

/** Creates a document with a different text in each cell. */
async function createBookWithDistinctTexts(): Promise<Api> {
  const book = world.apiFor(token, await world.createDocument(owner));
  const rows = Array.from({ length: ROWS }, (_, i) =>
    Array.from({ length: COLUMNS }, (_unused, j) => formatCellText(i, j)),
  );
  await book.put('A1', rows);
  return book;
}

/** Formats a text whose sort order differs from the order of the rows. */
function formatCellText(row: number, column: number): string {
  return `${'dbhafceg'[(row + column) % ROWS]}${row}${column}`;
}

function formatAddress(row: number, column: number): string {
  return `${'ABCD'[column]}${row + 1}`;
}

/** Texts of all cells by their addresses. */
async function readTexts(book: Api): Promise<ReadonlyMap<string, string>> {
  const { sheets } = (await book.requestInDocument('GET', '/sheets')).body;
  const textByAddress = new Map<string, string>();
  for (const { name } of sheets as unknown as readonly { name: string }[]) {
    const cells = (await readPlainValues(book, `'${name}'!A1:L30`)) as readonly (readonly unknown[])[];
    for (const [i, line] of cells.entries()) {
      for (const [j, value] of line.entries())
        if (value !== null) textByAddress.set(`${name}!${i}.${j}`, String(value));
    }
  }
  return textByAddress;
}

function write(book: Api, base: string, method: string, path: string, body: object): Promise<ApiResponse> {
  const headers = { 'cellwire-base-revision': base };
  return browser.request(method, `/api/documents/${book.document}${path}`, { body, headers });
}

function editCells(book: Api, base: string, edits: readonly object[]): Promise<ApiResponse> {
  const headers = { 'cellwire-base-revision': base };
  return browser.request('POST', `/documents/${book.document}/cells`, { body: { edits }, headers });
}

/** `root`: `/api` for the routes of the API, empty for those of the console. */
function sendTo(
  book: Api,
  headers: Readonly<Record<string, string>>,
  method: string,
  root: '/api' | '',
  path: string,
  body: object,
): Promise<ApiResponse> {
  return browser.request(method, `${root}/documents/${book.document}${path}`, { body, headers });
}

function createStructureWrite(operation: object) {
  return (book: Api, headers: Readonly<Record<string, string>>) =>
    sendTo(book, headers, 'POST', '/api', '/structure', { operations: [operation] });
}

const row = fc.integer({ min: 1, max: ROWS });
const count = fc.integer({ min: 1, max: 2 });
const sheet = 'Sheet1';
const operation = fc.oneof(
  fc.record({ before: row, count }).map((one) => ({ insertRows: { sheet, ...one } })),
  fc.record({ from: row, count }).map((one) => ({ deleteRows: { sheet, ...one } })),
  fc.record({ from: row, count, before: row }).map((one) => ({ moveRows: { sheet, ...one } })),
  fc.constantFrom('A', 'B', 'C').map((letter) => ({ insertColumns: { sheet, before: letter, count: 1 } })),
  fc.constantFrom('A', 'B', 'C').map((letter) => ({ deleteColumns: { sheet, from: letter, count: 1 } })),
  fc.constantFrom('ascending', 'descending').map((order) => ({
    sort: { range: 'A2:D8', by: [{ column: 'B', order }] },
  })),
  fc.tuple(row, row).map(([from, to]) => ({ cut: { from: `A${from}:B${from}`, to: `C${to}` } })),
  fc.constant({ insertCells: { range: 'B2:B3', shift: 'down' } }),
  fc.constant({ deleteCells: { range: 'B4', shift: 'up' } }),
);
const step = fc.oneof(
  { weight: 6, arbitrary: operation },
  { weight: 1, arbitrary: fc.constant('undo' as const) },
  { weight: 1, arbitrary: fc.constant('restore' as const) },
);

/** Steps of other users; refused steps change nothing. */
async function performSteps(book: Api, steps: readonly (object | 'undo' | 'restore')[], base: string): Promise<void> {
  for (const one of steps) {
    const newest = await book.revision();
    if (typeof one === 'object') await book.post('/structure', { operations: [one] });
    else if (one === 'restore') await book.restore(base);
    else if (newest !== base) await book.undo(newest);
  }
}

describe('a console write based on an earlier revision', () => {
  it('changes the cell that its author saw, or no cell, after any structural changes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 0, max: ROWS - 1 }),
        fc.integer({ min: 0, max: COLUMNS - 1 }),
        async (steps, i, j) => {
          const book = await createBookWithDistinctTexts();
          const base = await book.revision();
          await performSteps(book, steps, base);
          const old = await readTexts(book);
          const expectedAddresses = [...old]
            .filter(([, text]) => text === formatCellText(i, j))
            .map(([address]) => address);
          const { status } = await write(book, base, 'PUT', `/values/${formatAddress(i, j)}`, { values: [['mine']] });
          const changed = [...(await readTexts(book))].filter(([address, text]) => old.get(address) !== text);
          if (status === 409) assert.deepEqual([expectedAddresses, changed], [[], []]);
          else assert.deepEqual([status, changed], [200, [[expectedAddresses[0], 'mine']]]);
        },
      ),
      { numRuns: canParse(40) },
    );
  });

  it('writes and clears blocks cell by cell if their rows have been separated', async () => {
    const book = await createBookWithDistinctTexts();
    const base = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet, before: 3, count: 1 } }] });
    await book.put('A3', [['new', 'new']]);
    const written = await write(book, base, 'PUT', '/values/A2:B3', {
      values: [
        ['1', '2'],
        ['3', '4'],
      ],
    });
    assert.equal(written.status, 200);
    assert.deepEqual(await readPlainValues(book, 'A2:B4'), [
      [1, 2],
      ['new', 'new'],
      [3, 4],
    ]);
    assert.equal((await write(book, base, 'POST', '/values/clear', { range: 'A2:B3' })).status, 200);
    assert.deepEqual(await readPlainValues(book, 'A2:B4'), [
      [null, null],
      ['new', 'new'],
      [null, null],
    ]);
  });

  it('deletes the rows that its author saw, without rows inserted in between', async () => {
    const book = await createBookWithDistinctTexts();
    const base = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet, before: 3, count: 1 } }] });
    await book.put('A3', [['new']]);
    const operations = [{ deleteRows: { sheet, from: 2, count: 2 } }];
    assert.equal((await write(book, base, 'POST', '/structure', { operations })).status, 200);
    assert.deepEqual(await readPlainValues(book, 'A1:A3'), [[formatCellText(0, 0)], ['new'], [formatCellText(3, 0)]]);
  });

  it('does not delete a row to which another user cut one cell of the deleted row', async () => {
    const book = await createBookWithDistinctTexts();
    const base = await book.revision();
    await book.post('/structure', { operations: [{ cut: { from: 'Sheet1!B2', to: 'Sheet1!F7' } }] });
    const texts = await readTexts(book);
    const operations = [{ deleteRows: { sheet, from: 2, count: 1 } }];
    assert.equal((await write(book, base, 'POST', '/structure', { operations })).status, 409);
    assert.deepEqual(await readTexts(book), texts);
  });

  it('adjusts references of typed formulas to the cells that their author saw', async () => {
    const book = await createBookWithDistinctTexts();
    await book.put('A1', [[10], [20], [30]]);
    await book.addSheet('Other');
    const base = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet, before: 1, count: 2 } }] });
    await book.renameSheet('Other', 'Renamed');
    const values = [['=A1+SUM(A2:A3)+N(Other!A1)']];
    assert.equal((await write(book, base, 'PUT', '/values/D1', { values })).status, 200);
    assert.deepEqual(
      [await readPlainValues(book, 'D3'), (await book.cell('D3'))['f']],
      [[[60]], '=A3+SUM(A4:A5)+N(Renamed!A1)'],
    );
  });

  it('follows renamed sheets, and is refused for a deleted sheet even if another sheet has its name', async () => {
    const book = await createBookWithDistinctTexts();
    await book.addSheet('Data');
    const base = await book.revision();
    await book.renameSheet('Sheet1', 'First');
    assert.equal((await write(book, base, 'PUT', '/values/Sheet1!A1', { values: [['mine']] })).status, 200);
    assert.deepEqual(await readPlainValues(book, 'First!A1'), [['mine']]);
    await book.deleteSheet('Data');
    await book.addSheet('Data');
    assert.equal((await write(book, base, 'PUT', '/values/Data!A1', { values: [['mine']] })).status, 409);
    assert.deepEqual(await readPlainValues(book, 'Data!A1'), [[null]]);
  });

  it('follows a sheet that was deleted and, after other changes, restored', async () => {
    const book = await createBookWithDistinctTexts();
    await book.addSheet('Other');
    const base = await book.revision();
    await book.deleteSheet('Sheet1');
    const deletion = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet: 'Other', before: 1, count: 1 } }] });
    await book.undo(deletion);
    await book.post('/structure', { operations: [{ insertRows: { sheet: 'Sheet1', before: 1, count: 1 } }] });
    assert.equal((await write(book, base, 'PUT', '/values/Sheet1!A1', { values: [['mine']] })).status, 200);
    assert.deepEqual(await readPlainValues(book, 'Sheet1!A2'), [['mine']]);
  });

  it('follows a row that was deleted and, after a change that moved no cells, restored', async () => {
    const book = await createBookWithDistinctTexts();
    const base = await book.revision();
    await book.post('/structure', { operations: [{ deleteRows: { sheet, from: 3, count: 1 } }] });
    const deletion = await book.revision();
    await book.renameSheet('Sheet1', 'First');
    await book.undo(deletion);
    assert.equal((await write(book, base, 'PUT', '/values/Sheet1!A3', { values: [['mine']] })).status, 200);
    assert.deepEqual(await readPlainValues(book, 'First!A3'), [['mine']]);
  });

  it('follows lines that were deleted and, after other cells moved, restored', async () => {
    const moves: readonly object[] = [
      { insertRows: { sheet, before: 1, count: 2 } },
      { insertColumns: { sheet, before: 'B', count: 1 } },
      { moveRows: { sheet, from: 2, count: 2, before: 6 } },
      { moveColumns: { sheet, from: 'A', count: 1, before: 'D' } },
      { deleteRows: { sheet, from: 1, count: 1 } },
      { deleteColumns: { sheet, from: 'D', count: 1 } },
      { sort: { range: 'A4:D6', by: [{ column: 'B' }] } },
    ];
    const deletions = [{ deleteRows: { sheet, from: 3, count: 2 } }, { deleteColumns: { sheet, from: 'B', count: 1 } }];
    for (const deletion of deletions) {
      for (const move of [...moves, null]) {
        const book = await createBookWithDistinctTexts();
        const base = await book.revision();
        await book.post('/structure', { operations: [deletion] });
        const deleted = await book.revision();
        for (const one of move === null ? moves.slice(0, 2) : [move])
          await book.post('/structure', { operations: [one] });
        const name = JSON.stringify([deletion, move]);
        const undo = await book.undo(deleted);
        assert.equal(undo.status, 200, name);
        const before = await readTexts(book);
        const answer = await write(book, base, 'PUT', '/values/B4', { values: [['mine']] });
        const [place] = [...before].find(([, text]) => text === formatCellText(3, 1)) ?? [];
        assert.equal(answer.status, 200, name);
        assert.deepEqual(await readTexts(book), new Map(before).set(place ?? '', 'mine'), name);
      }
    }
  });

  it('tells the console which revision a change undoes or restores', async () => {
    const book = await createBookWithDistinctTexts();
    const base = await book.revision();
    await book.post('/structure', { operations: [{ deleteRows: { sheet, from: 3, count: 1 } }] });
    const deletion = await book.revision();
    await book.undo(deletion);
    await book.restore(base);
    const { body } = await browser.request('GET', `/api/documents/${book.document}/changes?since=${base}`);
    const entries = memberAt(body, 'changes')['entries'] as unknown as { undoes?: number; restores?: number }[];
    const described = entries.map(({ undoes, restores }) => [undoes, restores].map((one) => one?.toString()));
    assert.deepEqual(described, [
      [undefined, undefined],
      [deletion, undefined],
      [undefined, base],
    ]);
  });

  it('adjusts several edits of one action, fills, formats and pastes', async () => {
    const book = await createBookWithDistinctTexts();
    const base = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet, before: 1, count: 1 } }] });
    const edits = [
      { clear: 'A1' },
      { put: 'B2', values: [['mine']] },
      { copy: 'C3:D3', to: 'C8' },
      { format: 'A4', code: '0.00' },
    ];
    assert.equal((await editCells(book, base, edits)).status, 200);
    assert.deepEqual(await readPlainValues(book, 'A2:B3'), [
      [null, formatCellText(0, 1)],
      [formatCellText(1, 0), 'mine'],
    ]);
    assert.deepEqual(await readPlainValues(book, 'C9:D9'), [[formatCellText(2, 2), formatCellText(2, 3)]]);
    const cut = { operations: [{ cut: { from: 'A3', to: 'F1' } }] };
    assert.equal((await write(book, base, 'POST', '/structure', cut)).status, 200);
    assert.deepEqual(await readPlainValues(book, 'F2'), [[formatCellText(2, 0)]]);
  });

  it('follows rows through a large sort and its undo', async () => {
    const book = world.apiFor(token, await world.createDocument(owner));
    const rows = 30_000;
    const computeKey = (i: number) => (i * 7_919) % rows;
    await book.put(
      'A1',
      Array.from({ length: rows }, (_, i) => [computeKey(i), `row ${i}`]),
    );
    const before = await book.revision();
    const sorted = await book.post('/structure', {
      operations: [{ sort: { range: `A1:B${rows}`, by: [{ column: 'A' }] } }],
    });
    assert.equal(sorted.status, 200, JSON.stringify(sorted.body));
    const base = await book.revision();
    // Cells next to the sorted range do not move.
    await write(book, before, 'PUT', '/values/C12346', { values: [['beside']] });
    assert.equal((await book.cell('C12346'))['v'], 'beside');
    for (const i of [0, 1, 12_345, rows - 1]) {
      const written = await write(book, before, 'PUT', `/values/A${i + 1}`, { values: [[`${computeKey(i)} seen`]] });
      assert.equal(written.status, 200, JSON.stringify(written.body));
      const { body } = await book.get(`A${computeKey(i) + 1}:B${computeKey(i) + 1}`, { render: 'plain' });
      assert.deepEqual(memberAt(body, 'values')['cells'], [[`${computeKey(i)} seen`, `row ${i}`]]);
      await book.undo(await book.revision());
    }
    const inside = await write(book, before, 'PUT', '/values/B7', { values: [['mine']] });
    assert.equal(inside.status, 200);
    assert.equal((await book.cell(`B${computeKey(6) + 1}`))['v'], 'mine');
    assert.equal((await book.undo(base)).status, 412);
    await book.undo(await book.revision());
    assert.equal((await book.undo(base)).status, 200);
    await write(book, base, 'PUT', `/values/B${computeKey(9) + 1}`, { values: [['again']] });
    assert.equal((await book.cell('B10'))['v'], 'again');
    const { entries } = memberAt(
      (await browser.request('GET', `/api/documents/${book.document}/changes?since=${before}`)).body,
      'changes',
    );
    const [first] = entries as unknown as readonly {
      readonly places?: { readonly steps: readonly RowOrder[] };
    }[];
    assert.equal(typeof first?.places?.steps[0]?.targets, 'string');
  });

  it('adjusts the columns of a filter and of duplicate removal, or is refused', async () => {
    const book = await createBookWithDistinctTexts();
    const before = await book.revision();
    await book.post('/structure', { operations: [{ insertColumns: { sheet, before: 'A', count: 1 } }] });
    const change = (operation: object) => write(book, before, 'POST', '/structure', { operations: [operation] });
    const filter = async () => {
      const { body } = await browser.request('GET', `/documents/${book.document}/sheets/${sheet}/filter`);
      return [memberAt(body, 'filter')['range'], Object.keys(memberAt(body, 'filter', 'columns'))] as unknown;
    };
    const values = { values: ['x'] };
    const set = await change({ setFilter: { range: 'A1:D8', columns: { B: values } } });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    assert.deepEqual(await filter(), ['B1:E8', ['C']]);
    await change({ filterColumn: { sheet, column: 'A', condition: values } });
    assert.deepEqual(await filter(), ['B1:E8', ['B', 'C']]);
    const duplicates = await change({ removeDuplicates: { range: 'A1:D8', columns: ['A'] } });
    assert.equal(duplicates.status, 200, JSON.stringify(duplicates.body));
    await book.post('/structure', { operations: [{ deleteColumns: { sheet, from: 'B', count: 1 } }] });
    const refused = await change({ filterColumn: { sheet, column: 'A', condition: values } });
    assert.equal(refused.status, 409, JSON.stringify(refused.body));
  });

  it('is refused on request if another user has changed the cell', async () => {
    const book = await createBookWithDistinctTexts();
    const base = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet, before: 1, count: 1 } }] });
    await book.put('A2', [['theirs']]);
    const headers = { 'cellwire-base-revision': base, 'cellwire-unless-changed': 'true' };
    const put = (cell: string) => sendTo(book, headers, 'PUT', '/api', `/values/${cell}`, { values: [['mine']] });
    assert.deepEqual([(await put('A1')).status, (await put('A2')).status], [409, 200]);
    assert.deepEqual(await readPlainValues(book, 'A2:A3'), [['theirs'], ['mine']]);
  });

  it('is not refused if another user only sorted its cells, undid this, or removed duplicate rows', async () => {
    const book = await createBookWithDistinctTexts();
    await book.put('A9:D9', [Array.from({ length: COLUMNS }, (_, j) => formatCellText(0, j))]);
    const base = await book.revision();
    const headers = { 'cellwire-base-revision': base, 'cellwire-unless-changed': 'true' };
    const clear = (range: string, base: string) =>
      sendTo(book, { ...headers, 'cellwire-base-revision': base }, 'POST', '/api', '/values/clear', { range });
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
    const book = await createBookWithDistinctTexts();
    const base = await book.revision();
    const headers = { 'cellwire-base-revision': base, 'cellwire-unless-changed': 'true' };
    const clear = (range: string) => sendTo(book, headers, 'POST', '/api', '/values/clear', { range });
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
    const book = await createBookWithDistinctTexts();
    const base = await book.revision();
    const headers = { 'cellwire-base-revision': base, 'cellwire-unless-changed': 'true' };
    const put = (cell: string, text: string, more: Readonly<Record<string, string>> = {}) =>
      sendTo(book, { ...headers, ...more }, 'PUT', '/api', `/values/${cell}`, { values: [[text]] });
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
    const book = await createBookWithDistinctTexts();
    const base = await book.revision();
    const put = (range: string) =>
      browser.request('PUT', `/api/documents/${book.document}/values/${range}`, {
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
      put: (book, headers) => sendTo(book, headers, 'PUT', '/api', '/values/A2', { values: [['a'], ['b'], ['c']] }),
      clear: (book, headers) => sendTo(book, headers, 'POST', '/api', '/values/clear', { range: 'A2:B4' }),
      edits: (book, headers) =>
        sendTo(book, headers, 'POST', '', '/cells', {
          edits: [{ clear: 'A3' }, { put: 'A4', values: [['x']] }, { format: 'A3', code: '0.00' }],
        }),
      'a copy': (book, headers) =>
        sendTo(book, headers, 'POST', '', '/cells', { edits: [{ copy: 'B2:B3', to: 'A2' }] }),
      'a fill': (book, headers) =>
        sendTo(book, headers, 'POST', '', '/fill', { from: 'A1', to: 'A2:A4', values: [[1], [2], [3]] }),
      'a format': (book, headers) => sendTo(book, headers, 'PUT', '', '/format/A2:A4', { format: '0.00' }),
      'a pasted copy': createStructureWrite({ copy: { from: 'B2:B3', to: 'A2' } }),
      'a cut': createStructureWrite({ cut: { from: 'B2:B3', to: 'A2' } }),
      'a repeated row': createStructureWrite({ fill: { from: 'A2:D2', to: 'A3:D4' } }),
      'a replacement': createStructureWrite({ replace: { range: 'A1:D8', find: 'theirs', with: 'mine' } }),
      'deleted rows': createStructureWrite({ deleteRows: { sheet, from: 2, count: 2 } }),
      'deleted columns': createStructureWrite({ deleteColumns: { sheet, from: 'A', count: 1 } }),
      'deleted cells': createStructureWrite({ deleteCells: { range: 'A2:A4', shift: 'up' } }),
      'a deleted sheet': (book, headers) => sendTo(book, headers, 'DELETE', '/api', '/sheets/Sheet1', {}),
      'a restored version': (book, headers) => sendTo(book, headers, 'POST', '/api', '/revisions/1/restore', {}),
    };
    for (const [name, send] of Object.entries(writes)) {
      const book = await createBookWithDistinctTexts();
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
    const kept: Readonly<
      Record<string, readonly [send: ReturnType<typeof createStructureWrite>, cells: readonly unknown[]]>
    > = {
      put: [(book, headers) => sendTo(book, headers, 'PUT', '/api', '/values/A2', values), ['a', 'theirs', 'c']],
      clear: [
        (book, headers) => sendTo(book, headers, 'POST', '/api', '/values/clear', { range: 'A2:A4' }),
        [null, 'theirs', null],
      ],
      edits: [
        (book, headers) =>
          sendTo(book, headers, 'POST', '', '/cells', {
            edits: [{ clear: 'A2:A3' }, { put: 'A3', values: [['x'], ['y']] }],
          }),
        [null, 'theirs', 'y'],
      ],
    };
    for (const [name, [send, cells]] of Object.entries(kept)) {
      const book = await createBookWithDistinctTexts();
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
    const book = await createBookWithDistinctTexts();
    const base = await book.revision();
    await book.put('A3', [['theirs']]);
    const headers = { 'cellwire-base-revision': base, 'cellwire-unless-changed': 'keep' };
    const cut = await createStructureWrite({ cut: { from: 'B2:B3', to: 'A2' } })(book, headers);
    const only = await sendTo(book, headers, 'PUT', '/api', '/values/A3', { values: [['mine']] });
    assert.deepEqual([cut.status, only.status], [409, 409]);
  });

  // Behind 300 programs the queue is never empty: more commits than the service keeps in memory precede each attempt.
  for (const programCount of [20, 300]) {
    it(`is written beside ${programCount} programs that never stop, without the cells that they write`, async () => {
      const [rows, columns] = [1_000, 10];
      // The programs write all columns except the last one, cell by cell.
      const programCells = rows * (columns - 1);
      const book = await createBookWithDistinctTexts();
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
        return sendTo(book, headers, 'PUT', '/api', `/values/${cell}`, { values });
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

  it('deletes and renames the sheet that its author saw', async () => {
    const book = await createBookWithDistinctTexts();
    await book.addSheet('Data');
    const base = await book.revision();
    await book.renameSheet('Data', 'Old');
    await book.addSheet('Data');
    const headers = { 'cellwire-base-revision': base };
    const readNames = async () =>
      ((await book.sheets()).body['sheets'] as unknown as readonly { name: string }[]).map(({ name }) => name);
    assert.equal((await sendTo(book, headers, 'PATCH', '/api', '/sheets/Data', { name: 'Older' })).status, 200);
    assert.deepEqual(await readNames(), ['Sheet1', 'Older', 'Data']);
    assert.equal((await sendTo(book, headers, 'DELETE', '/api', '/sheets/Data', {})).status, 200);
    assert.deepEqual(await readNames(), ['Sheet1', 'Data']);
    assert.equal((await sendTo(book, headers, 'DELETE', '/api', '/sheets/Data', {})).status, 409);
  });

  it('uses the change log, which tells the console that names and tables were renamed', async () => {
    const book = await createBookWithDistinctTexts();
    const base = await book.revision();
    const change = (...operations: readonly object[]) => book.post('/structure', { operations });
    await change({ setName: { name: 'old', refersTo: '=Sheet1!A1' } });
    await book.put('B20', [['=old']]);
    await change({ setTable: { name: 'Items', range: 'A1:A8' } });
    await book.put('A1', [['Another header']]);
    await book.post(`/revisions/${await book.revision()}/undo`, {});
    const path = `/documents/${book.document}/changes?since=${base}`;
    const readRenamed = ({ body }: ApiResponse) =>
      (memberAt(body, 'changes')['entries'] as unknown as { renamed?: true }[]).map(({ renamed }) => renamed);
    const changes = [true, undefined, true, true, true];
    assert.deepEqual(readRenamed(await browser.request('GET', `/api${path}`)), changes);
  });

  it('uses the change log, which describes moved cells to the console only, and on visible sheets only', async () => {
    const book = await createBookWithDistinctTexts();
    await book.addSheet('Hidden');
    const ben = await createPerson(world);
    await world.share(book.document, String(ben.id), 'edit');
    await world.protect(book.document, 'Hidden', { hideValues: true });
    const base = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet: 'Hidden', before: 1, count: 1 } }] });
    await book.post('/structure', { operations: [{ cut: { from: 'A1', to: 'Hidden!B2' } }] });
    await book.post('/structure', { operations: [{ sort: { range: 'A2:A8', by: [{ column: 'A' }] } }] });
    const path = `/documents/${book.document}/changes?since=${base}`;
    const benChanges = (await (await signInAs(world, ben)).request('GET', `/api${path}`)).body;
    const listMovedCells = (body: ApiResponse['body']) =>
      (
        memberAt(body, 'changes')['entries'] as unknown as { places?: { steps: { kind: string; sheet: number }[] } }[]
      ).map(({ places }) => places?.steps.map(({ kind, sheet: id }) => `${kind} ${id}`));
    // For a cell moved to a hidden sheet, the log only says that it cannot be followed.
    assert.deepEqual(listMovedCells(benChanges), [undefined, ['order 1'], ['order 1']]);
    assert.deepEqual(listMovedCells((await browser.request('GET', `/api${path}`)).body), [
      ['insert 2'],
      ['carry 1'],
      ['order 1'],
    ]);
    assert.deepEqual(listMovedCells((await book.request('GET', path)).body), [undefined, undefined, undefined]);
  });

  it('uses current addresses if it comes from the API', async () => {
    const book = await createBookWithDistinctTexts();
    const base = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet, before: 1, count: 1 } }] });
    const headers = { 'cellwire-base-revision': base };
    await book.request('PUT', `/documents/${book.document}/values/A1`, { body: { values: [['mine']] }, headers });
    assert.deepEqual(await readPlainValues(book, 'A1'), [['mine']]);
  });
});

async function readPlainValues(book: Api, range: string): Promise<unknown> {
  return memberAt((await book.get(range, { render: 'plain' })).body, 'values')['cells'];
}
