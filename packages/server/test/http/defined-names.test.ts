import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WorkbookData } from '@cellwire/engine';
import { createDocument } from '../../src/service/operator/new-document.ts';
import { type Api, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld({ limits: { calculationCells: 100_000 } });
});
after(() => world.close());

/** Creates a document with defined names, as after an import. The formulas use the grammar of files. */
async function createBookWithNames(names: WorkbookData['names']): Promise<Api> {
  const owner = await world.createUser();
  const data: WorkbookData = {
    settings: { locale: 'en-US', dateSystem: '1900', timeZone: 'UTC' },
    names,
    tables: [],
    sheets: [{ name: 'Data', hidden: false, color: null, hiddenRows: [], columnFormats: new Map(), cells: [] }],
  };
  const created = await createDocument(world.server.service.context, {
    owner: owner.id,
    title: 'Names',
    content: { kind: 'data', data },
  });
  assert.ok('id' in created);
  return world.apiFor(await world.createToken(owner.id), created.id);
}

/** Creates a chain of names, each with a formula over the next name. */
function createNameChain(length: number, link: (next: string) => string, end: string): WorkbookData['names'] {
  return Array.from({ length }, (_, index) => ({
    name: `name_${index}`,
    formula: index === length - 1 ? end : link(`name_${index + 1}`),
  }));
}

describe('defined names', () => {
  it('evaluate to #REF! in a cycle, but a recursive function works', async () => {
    const cases: readonly [names: WorkbookData['names'], formula: string, v: unknown][] = [
      [[{ name: 'own', formula: 'own' }], '=own', '#REF!'],
      [[{ name: 'own', formula: 'own+own' }], '=own', '#REF!'],
      [
        [
          { name: 'one_way', formula: 'other_way+1' },
          { name: 'other_way', formula: 'one_way' },
        ],
        '=other_way',
        '#REF!',
      ],
      [[{ name: 'down', formula: 'LAMBDA(n,IF(n<1,0,down(n-1)+1))' }], '=down(50)', 50],
      [[{ name: 'twice', formula: '2' }], '=twice*twice', 4],
    ];
    for (const [names, formula, v] of cases) {
      const book = await createBookWithNames(names);
      assert.equal((await book.put('A1', [[formula]])).status, 200, formula);
      assert.equal((await book.cell('A1'))['v'], v, formula);
    }
  });

  it('propagate changes through long chains', async () => {
    const book = await createBookWithNames(createNameChain(200, (next) => `${next}+1`, 'Data!$B$1'));
    await book.put('A1', [['=name_0']]);
    await book.put('B1', [[5]]);
    assert.equal((await book.cell('A1'))['v'], 204);
  });

  it('fail with the calculation limit if their evaluation grows exponentially', async () => {
    const book = await createBookWithNames(createNameChain(60, (next) => `${next}+${next}`, 'Data!$B$1'));
    const { status, body } = await book.put('A1', [['=name_0']]);
    assert.deepEqual([status, body['message']], [422, 'Calculation limit exceeded']);
    assert.equal((await book.put('A1', [['=name_50']])).status, 200);
  });
});

describe('sheet-local names', () => {
  /** Creates a document whose sheet has a name for its own cells, and a copy of the sheet with its own name. */
  async function createBookWithLocalName(): Promise<Api> {
    const book = await world.createBook();
    await book.renameSheet('Sheet1', 'Orders');
    await book.put('Orders!A1', [
      ['Item', 'Sum'],
      ['Tea', 5],
      ['Cup', 7],
    ]);
    await changeStructure(
      book,
      { setName: { name: 'sums', refersTo: 'Orders!$A$1:$B$3' } },
      { duplicateSheet: { sheet: 'Orders', name: 'May orders' } },
    );
    await book.put("'May orders'!B2", [[50]]);
    return book;
  }

  async function changeStructure(book: Api, ...operations: readonly object[]): Promise<void> {
    const { status, body } = await book.post('/structure', { operations });
    assert.equal(status, 200, JSON.stringify(body));
  }

  const listNames = async (book: Api) => (await book.requestInDocument('GET', '/names')).body['names'];
  const readTotal = async (book: Api, range: string) => {
    const aggregate = { measures: { total: { sum: 'Sum' } } };
    const { status, body } = await book.post('/records/query', { range, aggregate });
    return status === 200 ? memberAt(body, 'records', 0, 'fields')['total'] : body['message'];
  };

  it('are listed with their sheet and usable in ranges and formulas', async () => {
    const book = await createBookWithLocalName();
    assert.deepEqual(await listNames(book), [
      { name: 'sums', refersTo: '=Orders!$A$1:$B$3' },
      { name: "'May orders'!sums", refersTo: "='May orders'!$A$1:$B$3" },
    ]);
    assert.equal(await readTotal(book, 'sums'), 12);
    assert.equal(await readTotal(book, "'May orders'!sums"), 57);
    assert.equal(await readTotal(book, "'MAY ORDERS'!SUMS"), 57);
    assert.equal(await readTotal(book, 'Orders!sums'), 12, 'the document’s own, as in formulas');
    assert.equal(await readTotal(book, "'May orders'!others"), 'Invalid range');
    await book.put('Orders!D1', [['=SUM(sums)', "=SUM('May orders'!sums)", '=SUM(INDIRECT("\'May orders\'!sums"))']]);
    const [row] = (await book.cells('Orders!D1:F1')) as unknown as { v: unknown }[][];
    assert.deepEqual(
      row?.map(({ v }) => v),
      [12, 57, 57],
    );
  });

  it('can be set, replaced, deleted and undone next to global names', async () => {
    const book = await createBookWithLocalName();
    await book.put('Orders!D1', [["=SUM('May orders'!sums)", '=SUM(sums)']]);
    const readValue = async (cell: string) => (await book.cell(cell))['v'];
    await changeStructure(book, { setName: { name: "'may orders'!SUMS", refersTo: "'May orders'!$B$2" } });
    assert.deepEqual([await readValue('Orders!D1'), await readValue('Orders!E1')], [50, 12]);
    await changeStructure(book, { setName: { name: 'Orders!rate', refersTo: '=0,5' } });
    assert.deepEqual(
      ((await listNames(book)) as unknown as { name: string }[]).map(({ name }) => name),
      ['sums', "'May orders'!SUMS", 'Orders!rate'],
    );
    const before = await book.revision();
    await changeStructure(book, { deleteName: { name: "'May orders'!sums" } });
    assert.equal(await readValue('Orders!D1'), 12, 'the document’s own name is left');
    assert.equal((await book.undo(await book.revision())).status, 200);
    assert.equal(await readValue('Orders!D1'), 50);
    assert.equal((await book.post(`/revisions/${before}/restore`, {})).status, 200);
    assert.equal(await readValue('Orders!D1'), 50);
    await changeStructure(book, { deleteName: { name: 'sums' } });
    assert.deepEqual([await readValue('Orders!D1'), await readValue('Orders!E1')], [50, '#NAME?']);
  });

  it('of a copied sheet are available to later operations of the same request', async () => {
    const book = await createBookWithLocalName();
    await changeStructure(
      book,
      { duplicateSheet: { sheet: 'Orders', name: 'June' } },
      { deleteName: { name: 'June!sums' } },
      { setName: { name: 'June!sums', refersTo: 'June!$B$3' } },
    );
    const since = Number(await book.revision()) - 1;
    const { body } = await book.requestInDocument('GET', `/changes?since=${since}`);
    const structure = memberAt(body, 'changes', 'entries', 0, 'structure');
    assert.deepEqual(structure[1], { deleteName: { name: 'June!sums' } });
    await book.put('Orders!D1', [['=June!sums']]);
    assert.equal((await book.cell('Orders!D1'))['v'], 7);
  });

  it('are refused with the same messages as global names, and on a locked sheet', async () => {
    const book = await createBookWithLocalName();
    const { api } = await world.addMember(book.document, 'edit');
    await world.protect(book.document, 'May orders', { lock: true });
    for (const [operation, status, message] of [
      [{ deleteName: { name: 'Orders!sums' } }, 404, 'Name not found'],
      [{ deleteName: { name: 'Nowhere!sums' } }, 404, 'Sheet not found'],
      [{ setName: { name: 'Nowhere!x1y', refersTo: '1' } }, 404, 'Sheet not found'],
      [{ setName: { name: 'Orders!A1', refersTo: '1' } }, 422, 'a name must not read as a cell'],
      [{ setName: { name: "'May orders'!sums", refersTo: '1' } }, 403, 'Sheet is protected'],
      [{ deleteName: { name: "'May orders'!sums" } }, 403, 'Sheet is protected'],
    ] as const) {
      const { status: actual, body } = await api.post('/structure', { operations: [operation] });
      assert.deepEqual([actual, body['message']], [status, message], JSON.stringify(operation));
    }
  });
});
