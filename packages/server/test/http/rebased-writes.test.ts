import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RowOrder } from '@cellwire/engine';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { createPerson, signInAs } from './browser.ts';
import { type Api, type ApiResponse, memberAt } from './support.ts';
import {
  COLUMNS,
  formatAddress,
  formatCellText,
  ROWS,
  readPlainValues,
  readTexts,
  sheet,
  WrittenBooks,
} from './written-books.ts';

let books: WrittenBooks;

before(async () => {
  books = await WrittenBooks.start();
});
after(() => books.close());

function write(book: Api, base: string, method: string, path: string, body: object): Promise<ApiResponse> {
  const headers = { 'cellwire-base-revision': base };
  return books.browser.request(method, `/api/documents/${book.document}${path}`, { body, headers });
}

function editCells(book: Api, base: string, edits: readonly object[]): Promise<ApiResponse> {
  const headers = { 'cellwire-base-revision': base };
  return books.browser.request('POST', `/documents/${book.document}/cells`, { body: { edits }, headers });
}

const row = fc.integer({ min: 1, max: ROWS });
const count = fc.integer({ min: 1, max: 2 });
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
          const book = await books.create();
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
      { numRuns: scaleRunCount(40) },
    );
  });

  it('writes and clears blocks cell by cell if their rows have been separated', async () => {
    const book = await books.create();
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
    const book = await books.create();
    const base = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet, before: 3, count: 1 } }] });
    await book.put('A3', [['new']]);
    const operations = [{ deleteRows: { sheet, from: 2, count: 2 } }];
    assert.equal((await write(book, base, 'POST', '/structure', { operations })).status, 200);
    assert.deepEqual(await readPlainValues(book, 'A1:A3'), [[formatCellText(0, 0)], ['new'], [formatCellText(3, 0)]]);
  });

  it('does not delete a row to which another user cut one cell of the deleted row', async () => {
    const book = await books.create();
    const base = await book.revision();
    await book.post('/structure', { operations: [{ cut: { from: 'Sheet1!B2', to: 'Sheet1!F7' } }] });
    const texts = await readTexts(book);
    const operations = [{ deleteRows: { sheet, from: 2, count: 1 } }];
    assert.equal((await write(book, base, 'POST', '/structure', { operations })).status, 409);
    assert.deepEqual(await readTexts(book), texts);
  });

  it('adjusts references of typed formulas to the cells that their author saw', async () => {
    const book = await books.create();
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
    const book = await books.create();
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
    const book = await books.create();
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
    const book = await books.create();
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
        const book = await books.create();
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
    const book = await books.create();
    const base = await book.revision();
    await book.post('/structure', { operations: [{ deleteRows: { sheet, from: 3, count: 1 } }] });
    const deletion = await book.revision();
    await book.undo(deletion);
    await book.restore(base);
    const { body } = await books.browser.request('GET', `/api/documents/${book.document}/changes?since=${base}`);
    const entries = memberAt(body, 'changes')['entries'] as unknown as { undoes?: number; restores?: number }[];
    const described = entries.map(({ undoes, restores }) => [undoes, restores].map((one) => one?.toString()));
    assert.deepEqual(described, [
      [undefined, undefined],
      [deletion, undefined],
      [undefined, base],
    ]);
  });

  it('adjusts several edits of one action, fills, formats and pastes', async () => {
    const book = await books.create();
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
    const book = await books.createEmpty();
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
      (await books.browser.request('GET', `/api/documents/${book.document}/changes?since=${before}`)).body,
      'changes',
    );
    const [first] = entries as unknown as readonly {
      readonly places?: { readonly steps: readonly RowOrder[] };
    }[];
    assert.equal(typeof first?.places?.steps[0]?.targets, 'string');
  });

  it('adjusts the columns of a filter and of duplicate removal, or is refused', async () => {
    const book = await books.create();
    const before = await book.revision();
    await book.post('/structure', { operations: [{ insertColumns: { sheet, before: 'A', count: 1 } }] });
    const change = (operation: object) => write(book, before, 'POST', '/structure', { operations: [operation] });
    const filter = async () => {
      const { body } = await books.browser.request('GET', `/documents/${book.document}/sheets/${sheet}/filter`);
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

  it('deletes and renames the sheet that its author saw', async () => {
    const book = await books.create();
    await book.addSheet('Data');
    const base = await book.revision();
    await book.renameSheet('Data', 'Old');
    await book.addSheet('Data');
    const headers = { 'cellwire-base-revision': base };
    const readNames = async () =>
      ((await book.sheets()).body['sheets'] as unknown as readonly { name: string }[]).map(({ name }) => name);
    assert.equal((await books.send(book, headers, 'PATCH', '/api', '/sheets/Data', { name: 'Older' })).status, 200);
    assert.deepEqual(await readNames(), ['Sheet1', 'Older', 'Data']);
    assert.equal((await books.send(book, headers, 'DELETE', '/api', '/sheets/Data', {})).status, 200);
    assert.deepEqual(await readNames(), ['Sheet1', 'Data']);
    assert.equal((await books.send(book, headers, 'DELETE', '/api', '/sheets/Data', {})).status, 409);
  });

  it('uses the change log, which tells the console that names and tables were renamed', async () => {
    const book = await books.create();
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
    assert.deepEqual(readRenamed(await books.browser.request('GET', `/api${path}`)), changes);
  });

  it('uses the change log, which describes moved cells to the console only, and on visible sheets only', async () => {
    const book = await books.create();
    await book.addSheet('Hidden');
    const ben = await createPerson(books.world);
    await books.world.share(book.document, String(ben.id), 'edit');
    await books.world.protect(book.document, 'Hidden', { hideValues: true });
    const base = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet: 'Hidden', before: 1, count: 1 } }] });
    await book.post('/structure', { operations: [{ cut: { from: 'A1', to: 'Hidden!B2' } }] });
    await book.post('/structure', { operations: [{ sort: { range: 'A2:A8', by: [{ column: 'A' }] } }] });
    const path = `/documents/${book.document}/changes?since=${base}`;
    const benChanges = (await (await signInAs(books.world, ben)).request('GET', `/api${path}`)).body;
    const listMovedCells = (body: ApiResponse['body']) =>
      (
        memberAt(body, 'changes')['entries'] as unknown as { places?: { steps: { kind: string; sheet: number }[] } }[]
      ).map(({ places }) => places?.steps.map(({ kind, sheet: id }) => `${kind} ${id}`));
    // For a cell moved to a hidden sheet, the log only says that it cannot be followed.
    assert.deepEqual(listMovedCells(benChanges), [undefined, ['order 1'], ['order 1']]);
    assert.deepEqual(listMovedCells((await books.browser.request('GET', `/api${path}`)).body), [
      ['insert 2'],
      ['carry 1'],
      ['order 1'],
    ]);
    assert.deepEqual(listMovedCells((await book.request('GET', path)).body), [undefined, undefined, undefined]);
  });

  it('uses current addresses if it comes from the API', async () => {
    const book = await books.create();
    const base = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet, before: 1, count: 1 } }] });
    const headers = { 'cellwire-base-revision': base };
    await book.request('PUT', `/documents/${book.document}/values/A1`, { body: { values: [['mine']] }, headers });
    assert.deepEqual(await readPlainValues(book, 'A1'), [['mine']]);
  });
});
