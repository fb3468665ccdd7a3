import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { applyStructure, readDocumentContent } from './revisions-support.ts';
import { type Api, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

/** The values of a range; null for empty cells. */
async function readCells(api: Api, range: string): Promise<readonly (readonly unknown[])[]> {
  const rows = (await api.cells(range)) as unknown as readonly (readonly ({ v: unknown } | null)[])[];
  return rows.map((row) => row.map((cell) => cell?.v ?? null));
}

interface ListedTable {
  readonly name: string;
  readonly range: string;
  readonly columns: readonly string[];
}

async function readTables(api: Api): Promise<readonly ListedTable[]> {
  return (await api.requestInDocument('GET', '/tables')).body['tables'] as unknown as readonly ListedTable[];
}

async function renameHeader(api: Api): Promise<void> {
  await applyStructure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:B3' } });
  await api.put('D1', [['=SUM(Sales[Column1])']]);
  await api.put('A1', [['Qty']]);
  await applyStructure(api, { deleteTable: { name: 'Sales' } });
}

describe('undo with tables and names', () => {
  it('does not add restored cells below a table to the table', async () => {
    const api = await world.createBook();
    await api.put('A1:B3', [
      ['Id', 'N'],
      ['a', 1],
      ['below', 2],
    ]);
    await api.post('/structure', { operations: [{ setTable: { name: 'Orders', range: 'A1:B2' } }] });
    const readTableRange = async () =>
      memberAt((await api.requestInDocument('GET', '/tables')).body, 'tables', 0)['range'];
    await api.clear('A3:B3');
    assert.equal((await api.undo(3)).status, 200);
    assert.equal(await readTableRange(), 'Sheet1!A1:B2');
    await api.clear('A1:B3');
    assert.equal((await api.requestInDocument('POST', '/revisions/2/restore')).status, 200);
    assert.equal(await readTableRange(), 'Sheet1!A1:B2');
    await api.put('A3', [['written']]);
    assert.equal(await readTableRange(), 'Sheet1!A1:B3');
  });

  it('restores the headers of columns in a table, even if the table is restored later', async () => {
    const api = await world.createBook();
    await applyStructure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:B3' } });
    await applyStructure(api, { moveColumns: { sheet: 'Sheet1', from: 'C', count: 2, before: 'B' } });
    const last = await readDocumentContent(api);
    for (const revision of [2, 1, 3, 4]) assert.equal((await api.undo(revision)).status, 200);
    assert.deepEqual(await readDocumentContent(api), last);
  });

  it('removes the headers that a table created, also of columns restored in between', async () => {
    const api = await world.createBook();
    const before = await readDocumentContent(api);
    await applyStructure(api, { deleteColumns: { sheet: 'Sheet1', from: 'B', count: 1 } });
    await applyStructure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:B3' } });
    assert.equal((await api.undo(1)).status, 200);
    const readHeaders = async () => (await readCells(api, 'A1:C1')).flat();
    assert.deepEqual(await readHeaders(), ['Column1', 'Column3', 'Column2']);
    assert.equal((await api.undo(2)).status, 200);
    assert.deepEqual(await readDocumentContent(api), before);
    assert.equal((await api.undo(4)).status, 200);
    assert.deepEqual(await readHeaders(), ['Column1', 'Column3', 'Column2']);
    await api.put('B1', [['Price']]);
    assert.equal((await api.undo(2)).status, 200);
    assert.deepEqual(await readHeaders(), [null, 'Price', null], 'what somebody has written stays');
    assert.deepEqual(await readTables(api), []);
  });

  it('removes a table that has grown and has renamed columns, and restores it', async () => {
    const api = await world.createBook();
    await api.put('A1:B1', [['Name', 'Count']]);
    await applyStructure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:B3' } });
    await api.put('A4', [['grown']]);
    await api.put('A1', [['Who']]);
    assert.equal((await api.undo(2)).status, 200);
    assert.deepEqual(await readTables(api), []);
    for (const revision of [3, 4, 5]) assert.equal((await api.undo(revision)).status, 200);
    assert.deepEqual(await readTables(api), [{ name: 'Sales', range: 'Sheet1!A1:B3', columns: ['Name', 'Count'] }]);
    for (const revision of [7, 6]) assert.equal((await api.undo(revision)).status, 200);
    assert.deepEqual(await readTables(api), [{ name: 'Sales', range: 'Sheet1!A1:B4', columns: ['Who', 'Count'] }]);
  });

  it('is refused if the same name or table has been redefined', async () => {
    const api = await world.createBook();
    await api.put('A1:C1', [['Name', 'Count', 'Price']]);
    await applyStructure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:B3' } });
    await applyStructure(api, { setTable: { name: 'Sales', range: 'Sheet1!B1:C3' } });
    await applyStructure(api, { setName: { name: 'rate', refersTo: '=Sheet1!B2' } });
    await applyStructure(api, { setName: { name: 'rate', refersTo: '=0,2' } });
    for (const [revision, conflicts] of [
      [2, ['Sheet1!B1:C3']],
      [4, []],
    ] as const) {
      const { status, body } = await api.undo(revision);
      assert.deepEqual([status, body['conflicts']], [412, conflicts]);
    }
    for (const revision of [3, 2, 5, 4]) assert.equal((await api.undo(revision)).status, 200);
    assert.deepEqual(await readTables(api), []);
    assert.deepEqual((await api.requestInDocument('GET', '/names')).body['names'], []);
  });

  it('restores columns of a table that was deleted and restored in between', async () => {
    const api = await world.createBook();
    await applyStructure(api, { insertColumns: { sheet: 'Sheet1', before: 'C', count: 1 } });
    await api.put('C1', [['Price']]);
    await applyStructure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:C2' } });
    await applyStructure(api, { deleteTable: { name: 'Sales' } });
    const last = await readDocumentContent(api);
    for (const revision of [2, 1, 4, 3]) assert.equal((await api.undo(revision)).status, 200);
    for (const revision of [8, 6, 7, 5]) assert.equal((await api.undo(revision)).status, 200);
    assert.deepEqual([await readDocumentContent(api), await readTables(api)], [last, []]);
  });

  const RENAME_CASES: readonly {
    readonly renamedItem: string;
    readonly perform: (api: Api) => Promise<unknown>;
    readonly order: readonly number[];
  }[] = [
    {
      renamedItem: 'a header',
      perform: renameHeader,
      order: [2, 3, 4, 1, 5, 8, 7, 6],
    },
    {
      renamedItem: 'a header, once without its table,',
      perform: renameHeader,
      order: [3, 4, 2, 1, 8, 5, 7, 6],
    },
    {
      renamedItem: 'a missing sheet',
      perform: async (api) => {
        await api.addSheet('Data');
        await api.renameSheet('Data', 'Other');
        await api.put('A1', [[1]]);
        await api.put('A1', [['=SUM(Data!A:A)']]);
      },
      order: [2, 4, 3, 5, 7, 6],
    },
  ];
  for (const { renamedItem, perform, order } of RENAME_CASES) {
    it(`restores the text of a formula although ${renamedItem} has been renamed, with undos in mixed order`, async () => {
      const api = await world.createBook();
      await perform(api);
      const last = await readDocumentContent(api);
      for (const revision of order) assert.equal((await api.undo(revision)).status, 200);
      assert.deepEqual(await readDocumentContent(api), last);
    });
  }

  it('removes and restores a name that was rewritten because its table was deleted', async () => {
    const api = await world.createBook();
    await applyStructure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:B3' } });
    await applyStructure(api, { setName: { name: 'area', refersTo: '=SUM(Sales[Column2])' } });
    await api.put('A1', [['Name', 'Qty']]);
    await applyStructure(api, { deleteTable: { name: 'Sales' } });
    const readNames = async () => (await api.requestInDocument('GET', '/names')).body['names'];
    assert.equal((await api.undo(3)).status, 200, 'the header is nobody’s definition of the name');
    assert.equal((await api.undo(5)).status, 200);
    assert.equal((await api.undo(2)).status, 200);
    assert.deepEqual(await readNames(), []);
    assert.equal((await api.undo(7)).status, 200);
    assert.deepEqual(await readNames(), [{ name: 'area', refersTo: '=SUM(Sheet1!$B$2:$B$3)' }]);
  });

  it('restores a formula with the current column names', async () => {
    const api = await world.createBook();
    await applyStructure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:B3' } });
    await api.put('A2', [[1], [2]]);
    await api.put('D1', [['=SUM(Sales[Column1])'], ['=SUM(Sales[[Column1]:[Column2]])']]);
    await api.put('D1', [[5], [6]]);
    await applyStructure(api, { insertColumns: { sheet: 'Sheet1', before: 'B', count: 1 } });
    await api.put('A1', [['Qty']]);
    assert.equal((await api.undo(4)).status, 200);
    const cells = await api.cells('E1:E2');
    const [first, second] = [memberAt(cells, 0, 0), memberAt(cells, 1, 0)];
    assert.deepEqual([first.f, first.v], ['=SUM(Sales[Qty])', 3]);
    assert.deepEqual([second.f, second.v], ['=SUM(Sales[[Qty]:[Column2]])', 3]);
  });

  it('overwrites a redefined name with force', async () => {
    const api = await world.createBook();
    await applyStructure(api, { setName: { name: 'rate', refersTo: '=0,1' } });
    await applyStructure(api, { setName: { name: 'rate', refersTo: '=0,2' } });
    assert.equal((await api.undo(1)).status, 412);
    assert.equal((await api.undo(1, { force: true })).status, 200);
    assert.deepEqual((await api.requestInDocument('GET', '/names')).body['names'], []);
  });

  it('removes a copied sheet with its tables', async () => {
    const api = await world.createBook();
    await applyStructure(api, { setTable: { name: 'Sales', range: 'Sheet1!A1:B3' } });
    await applyStructure(api, { duplicateSheet: { sheet: 'Sheet1', name: 'Copy' } });
    const readTables = async () => (await api.requestInDocument('GET', '/tables')).body['tables'];
    const columns = ['Column1', 'Column2'];
    const originalTable = { name: 'Sales', range: 'Sheet1!A1:B3', columns };
    const copiedTable = { name: 'Sales2', range: 'Copy!A1:B3', columns };
    assert.deepEqual(await readTables(), [originalTable, copiedTable]);
    for (const [revision, expected] of [
      [2, [originalTable]],
      [3, [originalTable, copiedTable]],
    ] as const) {
      assert.equal((await api.undo(revision)).status, 200);
      assert.deepEqual(await readTables(), expected);
    }
  });
});
