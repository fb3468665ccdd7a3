import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RowOrder } from '@cellwire/engine';
import fc from 'fast-check';
import { type Browser, person, signedIn } from './browser.ts';
import { type Answer, type Api, startWorld, type World } from './support.ts';

let world: World;
let page: Browser;
let token: string;
let owner: string;

before(async () => {
  world = await startWorld();
  const anna = await person(world);
  owner = String(anna.id);
  page = await signedIn(world, anna);
  token = await world.token(owner);
});
after(() => world.close());

const ROWS = 8;
const COLUMNS = 4;

/** A document whose cells each hold a text of their own. */
async function numbered(): Promise<Api> {
  const book = world.api(token, await world.document(owner));
  const rows = Array.from({ length: ROWS }, (_, i) => Array.from({ length: COLUMNS }, (_unused, j) => nameOf(i, j)));
  await book.put('A1', rows);
  return book;
}

/** Sorting by these texts changes the order of rows. */
function nameOf(row: number, column: number): string {
  return `${'dbhafceg'[(row + column) % ROWS]}${row}${column}`;
}

function addressOf(row: number, column: number): string {
  return `${'ABCD'[column]}${row + 1}`;
}

/** Texts of all cells by their addresses. */
async function texts(book: Api): Promise<ReadonlyMap<string, string>> {
  const { sheets } = (await book.here('GET', '/sheets')).body;
  const found = new Map<string, string>();
  for (const { name } of sheets as unknown as readonly { name: string }[]) {
    const cells = (await plain(book, `'${name}'!A1:L30`)) as readonly (readonly unknown[])[];
    for (const [i, line] of cells.entries()) {
      for (const [j, value] of line.entries()) if (value !== null) found.set(`${name}!${i}.${j}`, String(value));
    }
  }
  return found;
}

function write(book: Api, base: string, method: string, path: string, body: object): Promise<Answer> {
  const headers = { 'cellwire-base-revision': base };
  return page.ask(method, `/api/documents/${book.document}${path}`, { body, headers });
}

function cellsEdit(book: Api, base: string, edits: readonly object[]): Promise<Answer> {
  const headers = { 'cellwire-base-revision': base };
  return page.ask('POST', `/documents/${book.document}/cells`, { body: { edits }, headers });
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

/** Other people's work: refused steps change nothing. */
async function happen(book: Api, steps: readonly (object | 'undo' | 'restore')[], base: string): Promise<void> {
  for (const one of steps) {
    const newest = await book.revision();
    if (typeof one === 'object') await book.post('/structure', { operations: [one] });
    else if (one === 'restore') await book.restore(base);
    else if (newest !== base) await book.undo(newest);
  }
}

describe('a write of the console that was made on an earlier revision', () => {
  it('reaches the very cell its author saw, or none, whatever others did to the places of cells', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 0, max: ROWS - 1 }),
        fc.integer({ min: 0, max: COLUMNS - 1 }),
        async (steps, i, j) => {
          const book = await numbered();
          const base = await book.revision();
          await happen(book, steps, base);
          const old = await texts(book);
          const places = [...old].filter(([, text]) => text === nameOf(i, j)).map(([place]) => place);
          const { status } = await write(book, base, 'PUT', `/values/${addressOf(i, j)}`, { values: [['mine']] });
          const changed = [...(await texts(book))].filter(([place, text]) => old.get(place) !== text);
          if (status === 409) assert.deepEqual([places, changed], [[], []]);
          else assert.deepEqual([status, changed], [200, [[places[0], 'mine']]]);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('writes and clears blocks whose rows came apart, cell by cell', async () => {
    const book = await numbered();
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
    assert.deepEqual(await plain(book, 'A2:B4'), [
      [1, 2],
      ['new', 'new'],
      [3, 4],
    ]);
    assert.equal((await write(book, base, 'POST', '/values/clear', { range: 'A2:B3' })).status, 200);
    assert.deepEqual(await plain(book, 'A2:B4'), [
      [null, null],
      ['new', 'new'],
      [null, null],
    ]);
  });

  it('deletes the rows its author saw, without those that came between', async () => {
    const book = await numbered();
    const base = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet, before: 3, count: 1 } }] });
    await book.put('A3', [['new']]);
    const operations = [{ deleteRows: { sheet, from: 2, count: 2 } }];
    assert.equal((await write(book, base, 'POST', '/structure', { operations })).status, 200);
    assert.deepEqual(await plain(book, 'A1:A3'), [[nameOf(0, 0)], ['new'], [nameOf(3, 0)]]);
  });

  it('takes references of typed formulas for the cells that their author saw', async () => {
    const book = await numbered();
    await book.put('A1', [[10], [20], [30]]);
    await book.addSheet('Other');
    const base = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet, before: 1, count: 2 } }] });
    await book.renameSheet('Other', 'Renamed');
    const values = [['=A1+SUM(A2:A3)+N(Other!A1)']];
    assert.equal((await write(book, base, 'PUT', '/values/D1', { values })).status, 200);
    assert.deepEqual([await plain(book, 'D3'), (await book.cell('D3'))['f']], [[[60]], '=A3+SUM(A4:A5)+N(Renamed!A1)']);
  });

  it('finds sheets that were renamed, and refuses those that were deleted though another is called so', async () => {
    const book = await numbered();
    await book.addSheet('Data');
    const base = await book.revision();
    await book.renameSheet('Sheet1', 'First');
    assert.equal((await write(book, base, 'PUT', '/values/Sheet1!A1', { values: [['mine']] })).status, 200);
    assert.deepEqual(await plain(book, 'First!A1'), [['mine']]);
    await book.deleteSheet('Data');
    await book.addSheet('Data');
    assert.equal((await write(book, base, 'PUT', '/values/Data!A1', { values: [['mine']] })).status, 409);
    assert.deepEqual(await plain(book, 'Data!A1'), [[null]]);
  });

  it('maps several edits of one action, fills, formats and pastes', async () => {
    const book = await numbered();
    const base = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet, before: 1, count: 1 } }] });
    const edits = [
      { clear: 'A1' },
      { put: 'B2', values: [['mine']] },
      { copy: 'C3:D3', to: 'C8' },
      { format: 'A4', code: '0.00' },
    ];
    assert.equal((await cellsEdit(book, base, edits)).status, 200);
    assert.deepEqual(await plain(book, 'A2:B3'), [
      [null, nameOf(0, 1)],
      [nameOf(1, 0), 'mine'],
    ]);
    assert.deepEqual(await plain(book, 'C9:D9'), [[nameOf(2, 2), nameOf(2, 3)]]);
    const cut = { operations: [{ cut: { from: 'A3', to: 'F1' } }] };
    assert.equal((await write(book, base, 'POST', '/structure', cut)).status, 200);
    assert.deepEqual(await plain(book, 'F2'), [[nameOf(2, 0)]]);
  });

  it('follows rows through a sort of very many, and through its undo', async () => {
    const book = world.api(token, await world.document(owner));
    const rows = 30_000;
    const keyOf = (i: number) => (i * 7_919) % rows;
    await book.put(
      'A1',
      Array.from({ length: rows }, (_, i) => [keyOf(i), `row ${i}`]),
    );
    const before = await book.revision();
    const sorted = await book.post('/structure', {
      operations: [{ sort: { range: `A1:B${rows}`, by: [{ column: 'A' }] } }],
    });
    assert.equal(sorted.status, 200, JSON.stringify(sorted.body));
    const base = await book.revision();
    // Cells beside the sorted ones stay where they are.
    await write(book, before, 'PUT', '/values/C12346', { values: [['beside']] });
    assert.equal((await book.cell('C12346'))['v'], 'beside');
    for (const i of [0, 1, 12_345, rows - 1]) {
      const written = await write(book, before, 'PUT', `/values/A${i + 1}`, { values: [[`${keyOf(i)} seen`]] });
      assert.equal(written.status, 200, JSON.stringify(written.body));
      const { body } = await book.get(`A${keyOf(i) + 1}:B${keyOf(i) + 1}`, { render: 'plain' });
      assert.deepEqual(body['values']['cells'], [[`${keyOf(i)} seen`, `row ${i}`]]);
      await book.undo(await book.revision());
    }
    const inside = await write(book, before, 'PUT', '/values/B7', { values: [['mine']] });
    assert.equal(inside.status, 200);
    assert.equal((await book.cell(`B${keyOf(6) + 1}`))['v'], 'mine');
    assert.equal((await book.undo(base)).status, 412);
    await book.undo(await book.revision());
    assert.equal((await book.undo(base)).status, 200);
    await write(book, base, 'PUT', `/values/B${keyOf(9) + 1}`, { values: [['again']] });
    assert.equal((await book.cell('B10'))['v'], 'again');
    const { entries } = (await page.ask('GET', `/api/documents/${book.document}/changes?since=${before}`)).body[
      'changes'
    ];
    const [first] = entries as unknown as readonly { readonly places?: { readonly steps: readonly RowOrder[] } }[];
    assert.equal(typeof first?.places?.steps[0]?.targets, 'string');
  });

  it('names the columns of a filter and of duplicates where they are now, or none', async () => {
    const book = await numbered();
    const before = await book.revision();
    await book.post('/structure', { operations: [{ insertColumns: { sheet, before: 'A', count: 1 } }] });
    const change = (operation: object) => write(book, before, 'POST', '/structure', { operations: [operation] });
    const filter = async () => {
      const { body } = await page.ask('GET', `/documents/${book.document}/sheets/${sheet}/filter`);
      return [body['filter']['range'], Object.keys(body['filter']['columns'])] as unknown;
    };
    const values = { values: ['x'] };
    const set = await change({ setFilter: { range: 'A1:D8', columns: { B: values } } });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    assert.deepEqual(await filter(), ['B1:E8', ['C']]);
    await change({ filterColumn: { sheet, column: 'A', condition: values } });
    assert.deepEqual(await filter(), ['B1:E8', ['B', 'C']]);
    const same = await change({ removeDuplicates: { range: 'A1:D8', columns: ['A'] } });
    assert.equal(same.status, 200, JSON.stringify(same.body));
    await book.post('/structure', { operations: [{ deleteColumns: { sheet, from: 'B', count: 1 } }] });
    const gone = await change({ filterColumn: { sheet, column: 'A', condition: values } });
    assert.equal(gone.status, 409, JSON.stringify(gone.body));
  });

  it('is refused if someone else changed the cell meanwhile, where its author asks for that', async () => {
    const book = await numbered();
    const base = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet, before: 1, count: 1 } }] });
    await book.put('A2', [['theirs']]);
    const headers = { 'cellwire-base-revision': base, 'cellwire-unless-changed': 'true' };
    const put = (cell: string) =>
      page.ask('PUT', `/api/documents/${book.document}/values/${cell}`, { body: { values: [['mine']] }, headers });
    assert.deepEqual([(await put('A1')).status, (await put('A2')).status], [409, 200]);
    assert.deepEqual(await plain(book, 'A2:A3'), [['theirs'], ['mine']]);
    assert.equal((await put('A2')).status, 200, 'the own write before it is no change by someone else');
  });

  it('is helped by the change log, which tells the console alone, and of visible sheets, how cells changed places', async () => {
    const book = await numbered();
    await book.addSheet('Hidden');
    const ben = await person(world);
    await world.share(book.document, String(ben.id), 'edit');
    await world.protect(book.document, 'Hidden', { hideValues: true });
    const base = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet: 'Hidden', before: 1, count: 1 } }] });
    await book.post('/structure', { operations: [{ cut: { from: 'A1', to: 'Hidden!B2' } }] });
    await book.post('/structure', { operations: [{ sort: { range: 'A2:A8', by: [{ column: 'A' }] } }] });
    const path = `/documents/${book.document}/changes?since=${base}`;
    const bens = (await (await signedIn(world, ben)).ask('GET', `/api${path}`)).body;
    const told = (body: Answer['body']) =>
      (body['changes']['entries'] as unknown as { places?: { steps: { kind: string; sheet: number }[] } }[]).map(
        ({ places }) => places?.steps.map(({ kind, sheet: id }) => `${kind} ${id}`),
      );
    // Of a cell that went to a hidden sheet nothing more is told than that it cannot be followed.
    assert.deepEqual(told(bens), [undefined, ['order 1'], ['order 1']]);
    assert.deepEqual(told((await page.ask('GET', `/api${path}`)).body), [['insert 2'], ['carry 1'], ['order 1']]);
    assert.deepEqual(told((await book.request('GET', path)).body), [undefined, undefined, undefined]);
  });

  it('means present addresses if it comes from the API', async () => {
    const book = await numbered();
    const base = await book.revision();
    await book.post('/structure', { operations: [{ insertRows: { sheet, before: 1, count: 1 } }] });
    const headers = { 'cellwire-base-revision': base };
    await book.request('PUT', `/documents/${book.document}/values/A1`, { body: { values: [['mine']] }, headers });
    assert.deepEqual(await plain(book, 'A1'), [['mine']]);
  });
});

async function plain(book: Api, range: string): Promise<unknown> {
  return (await book.get(range, { render: 'plain' })).body['values']['cells'];
}
