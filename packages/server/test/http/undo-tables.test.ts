import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { everything, structure } from './revisions-support.ts';
import { type Api, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

/** The values of a range's cells, null for empty ones. */
async function cellsOf(api: Api, range: string): Promise<readonly (readonly unknown[])[]> {
  const rows = (await api.cells(range)) as unknown as readonly (readonly ({ v: unknown } | null)[])[];
  return rows.map((row) => row.map((cell) => cell?.v ?? null));
}

interface TableShown {
  readonly name: string;
  readonly range: string;
  readonly columns: readonly string[];
}

async function tables(api: Api): Promise<readonly TableShown[]> {
  return (await api.here('GET', '/tables')).body['tables'] as unknown as readonly TableShown[];
}

async function renameHeader(api: Api): Promise<void> {
  await structure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:B3' } });
  await api.put('D1', [['=SUM(Sales[Column1])']]);
  await api.put('A1', [['Qty']]);
  await structure(api, { deleteTable: { name: 'Sales' } });
}

describe('undo of tables and names', () => {
  it('leaves tables as they were: what comes back below one does not belong to it', async () => {
    const api = await world.book();
    await api.put('A1:B3', [
      ['Id', 'N'],
      ['a', 1],
      ['below', 2],
    ]);
    await api.post('/structure', { operations: [{ setTable: { name: 'Orders', range: 'A1:B2' } }] });
    const table = async () => (await api.here('GET', '/tables')).body['tables'][0]['range'];
    await api.clear('A3:B3');
    assert.equal((await api.undo(3)).status, 200);
    assert.equal(await table(), 'Sheet1!A1:B2');
    await api.clear('A1:B3');
    assert.equal((await api.here('POST', '/revisions/2/restore')).status, 200);
    assert.equal(await table(), 'Sheet1!A1:B2');
    await api.put('A3', [['written']]);
    assert.equal(await table(), 'Sheet1!A1:B3');
  });

  it('gives columns that come back into a table their headers, though the table itself comes back after them', async () => {
    const api = await world.book();
    await structure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:B3' } });
    await structure(api, { moveColumns: { sheet: 'Sheet1', from: 'C', count: 2, before: 'B' } });
    const last = await everything(api);
    for (const revision of [2, 1, 3, 4]) assert.equal((await api.undo(revision)).status, 200);
    assert.deepEqual(await everything(api), last);
  });

  it('takes the headers that a table made away with it, also of columns that came into it', async () => {
    const api = await world.book();
    const before = await everything(api);
    await structure(api, { deleteColumns: { sheet: 'Sheet1', from: 'B', count: 1 } });
    await structure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:B3' } });
    assert.equal((await api.undo(1)).status, 200);
    const headers = async () => (await cellsOf(api, 'A1:C1')).flat();
    assert.deepEqual(await headers(), ['Column1', 'Column3', 'Column2']);
    assert.equal((await api.undo(2)).status, 200);
    assert.deepEqual(await everything(api), before);
    assert.equal((await api.undo(4)).status, 200);
    assert.deepEqual(await headers(), ['Column1', 'Column3', 'Column2']);
    await api.put('B1', [['Price']]);
    assert.equal((await api.undo(2)).status, 200);
    assert.deepEqual(await headers(), [null, 'Price', null], 'what somebody has written stays');
    assert.deepEqual(await tables(api), []);
  });

  it('takes a table away that has grown since, and whose columns are called otherwise, and gives it back', async () => {
    const api = await world.book();
    await api.put('A1:B1', [['Name', 'Count']]);
    await structure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:B3' } });
    await api.put('A4', [['grown']]);
    await api.put('A1', [['Who']]);
    assert.equal((await api.undo(2)).status, 200);
    assert.deepEqual(await tables(api), []);
    for (const revision of [3, 4, 5]) assert.equal((await api.undo(revision)).status, 200);
    assert.deepEqual(await tables(api), [{ name: 'Sales', range: 'Sheet1!A1:B3', columns: ['Name', 'Count'] }]);
    for (const revision of [7, 6]) assert.equal((await api.undo(revision)).status, 200);
    assert.deepEqual(await tables(api), [{ name: 'Sales', range: 'Sheet1!A1:B4', columns: ['Who', 'Count'] }]);
  });

  it('is refused where somebody has defined the same name or table anew', async () => {
    const api = await world.book();
    await api.put('A1:C1', [['Name', 'Count', 'Price']]);
    await structure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:B3' } });
    await structure(api, { setTable: { name: 'Sales', range: 'Sheet1!B1:C3' } });
    await structure(api, { setName: { name: 'rate', refersTo: '=Sheet1!B2' } });
    await structure(api, { setName: { name: 'rate', refersTo: '=0,2' } });
    for (const [revision, conflicts] of [
      [2, ['Sheet1!B1:C3']],
      [4, []],
    ] as const) {
      const { status, body } = await api.undo(revision);
      assert.deepEqual([status, body['conflicts']], [412, conflicts]);
    }
    for (const revision of [3, 2, 5, 4]) assert.equal((await api.undo(revision)).status, 200);
    assert.deepEqual(await tables(api), []);
    assert.deepEqual((await api.here('GET', '/names')).body['names'], []);
  });

  it('gives a table the columns that come back into it, though it was deleted and taken back meanwhile', async () => {
    const api = await world.book();
    await structure(api, { insertColumns: { sheet: 'Sheet1', before: 'C', count: 1 } });
    await api.put('C1', [['Price']]);
    await structure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:C2' } });
    await structure(api, { deleteTable: { name: 'Sales' } });
    const last = await everything(api);
    for (const revision of [2, 1, 4, 3]) assert.equal((await api.undo(revision)).status, 200);
    for (const revision of [8, 6, 7, 5]) assert.equal((await api.undo(revision)).status, 200);
    assert.deepEqual([await everything(api), await tables(api)], [last, []]);
  });

  const RENAMED: readonly {
    readonly what: string;
    readonly perform: (api: Api) => Promise<unknown>;
    readonly order: readonly number[];
  }[] = [
    {
      what: 'a header was',
      perform: renameHeader,
      order: [2, 3, 4, 1, 5, 8, 7, 6],
    },
    {
      what: 'a header was, once without its table,',
      perform: renameHeader,
      order: [3, 4, 2, 1, 8, 5, 7, 6],
    },
    {
      what: 'a sheet that it waited for was',
      perform: async (api) => {
        await api.addSheet('Data');
        await api.renameSheet('Data', 'Other');
        await api.put('A1', [[1]]);
        await api.put('A1', [['=SUM(Data!A:A)']]);
      },
      order: [2, 4, 3, 5, 7, 6],
    },
  ];
  for (const { what, perform, order } of RENAMED) {
    it(`gives a formula the text that it had although ${what} renamed meanwhile and all is taken back by turns`, async () => {
      const api = await world.book();
      await perform(api);
      const last = await everything(api);
      for (const revision of order) assert.equal((await api.undo(revision)).status, 200);
      assert.deepEqual(await everything(api), last);
    });
  }

  it('takes a name away, and gives it back, that only says otherwise what it meant of a table', async () => {
    const api = await world.book();
    await structure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:B3' } });
    await structure(api, { setName: { name: 'area', refersTo: '=SUM(Sales[Column2])' } });
    await api.put('A1', [['Name', 'Qty']]);
    await structure(api, { deleteTable: { name: 'Sales' } });
    const names = async () => (await api.here('GET', '/names')).body['names'];
    assert.equal((await api.undo(3)).status, 200, 'the header is nobody’s definition of the name');
    assert.equal((await api.undo(5)).status, 200);
    assert.equal((await api.undo(2)).status, 200);
    assert.deepEqual(await names(), []);
    assert.equal((await api.undo(7)).status, 200);
    assert.deepEqual(await names(), [{ name: 'area', refersTo: '=SUM(Sheet1!$B$2:$B$3)' }]);
  });

  it('gives a formula back with the names that columns have by now', async () => {
    const api = await world.book();
    await structure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:B3' } });
    await api.put('A2', [[1], [2]]);
    await api.put('D1', [['=SUM(Sales[Column1])'], ['=SUM(Sales[[Column1]:[Column2]])']]);
    await api.put('D1', [[5], [6]]);
    await structure(api, { insertColumns: { sheet: 'Sheet1', before: 'B', count: 1 } });
    await api.put('A1', [['Qty']]);
    assert.equal((await api.undo(4)).status, 200);
    const [[first], [second]] = (await api.cells('E1:E2')) as unknown as { f: string; v: number }[][];
    assert.deepEqual([first?.f, first?.v], ['=SUM(Sales[Qty])', 3]);
    assert.deepEqual([second?.f, second?.v], ['=SUM(Sales[[Qty]:[Column2]])', 3]);
  });

  it('overwrites a name that others have defined anew when told to', async () => {
    const api = await world.book();
    await structure(api, { setName: { name: 'rate', refersTo: '=0,1' } });
    await structure(api, { setName: { name: 'rate', refersTo: '=0,2' } });
    assert.equal((await api.undo(1)).status, 412);
    assert.equal((await api.undo(1, { force: true })).status, 200);
    assert.deepEqual((await api.here('GET', '/names')).body['names'], []);
  });

  it('takes a copy of a sheet away with the tables that it has', async () => {
    const api = await world.book();
    await structure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:B3' } });
    await structure(api, { duplicateSheet: { sheet: 'Sheet1', name: 'Copy' } });
    const tables = async () => (await api.here('GET', '/tables')).body['tables'];
    const columns = ['Column1', 'Column2'];
    const own = { name: 'Sales', range: 'Sheet1!A1:B3', columns };
    const copied = { name: 'Sales2', range: 'Copy!A1:B3', columns };
    assert.deepEqual(await tables(), [own, copied]);
    for (const [revision, left] of [
      [2, [own]],
      [3, [own, copied]],
    ] as const) {
      assert.equal((await api.undo(revision)).status, 200);
      assert.deepEqual(await tables(), left);
    }
  });
});
