import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Api, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const applyOperations = (book: Api, ...operations: readonly object[]) => book.post('/structure', { operations });

interface OperationResults {
  readonly operations: readonly { readonly cells: number }[];
}

/** Orders with three rows, a sum, and a second sheet that reads the sum. */
async function createOrdersBook(): Promise<Api> {
  const book = await world.createBook();
  await book.renameSheet('Sheet1', 'Orders');
  await book.addSheet('Archive');
  await book.put('Orders!A1', [
    ['Item', 'Price'],
    ['Tea', 5],
    ['Cup', 7],
    ['Pot', 9],
    ['Sum', '=SUM(B2:B4)'],
  ]);
  await book.put('Archive!A1', [['=Orders!B5']]);
  return book;
}

async function readValues(book: Api, range: string): Promise<readonly (readonly unknown[])[]> {
  const cells = (await book.cells(range)) as unknown as ({ v: unknown } | null)[][];
  return cells.map((row) => row.map((cell) => cell?.v ?? null));
}

describe('a structural change', () => {
  it('performs all operations in order, in one revision, and returns the written cells of each', async () => {
    const book = await createOrdersBook();
    const revision = Number(await book.revision());
    const answer = await applyOperations(
      book,
      { insertRows: { sheet: 'orders', before: 3, count: 2 } },
      { deleteRows: { sheet: 'Orders', from: 2, count: 1 } },
      { moveRows: { sheet: 'Orders', from: 4, count: 1, before: 2 } },
      { insertColumns: { sheet: 'Orders', before: 'b' } },
      { copy: { from: 'Orders!A1:C2', to: 'Archive!C1' } },
    );
    assert.deepEqual(
      [answer.status, answer.body],
      [
        200,
        {
          structure: {
            revisionId: String(revision + 1),
            operations: [{ cells: 0 }, { cells: 0 }, { cells: 0 }, { cells: 0 }, { cells: 6 }],
          },
        },
      ],
    );
    assert.deepEqual(await readValues(book, 'Orders!A1:C6'), [
      ['Item', null, 'Price'],
      ['Cup', null, 7],
      [null, null, null],
      [null, null, null],
      ['Pot', null, 9],
      ['Sum', null, 16],
    ]);
    assert.equal((await book.cell('Archive!A1')).f, '=Orders!C6');
    assert.deepEqual(await readValues(book, 'Archive!C2:E2'), [['Cup', null, 7]]);
  });

  it('shifts, cuts, fills, sorts, replaces and deduplicates cells', async () => {
    const book = await createOrdersBook();
    const { status, body } = await applyOperations(
      book,
      { sort: { range: 'A2:B4', by: [{ column: 'B', order: 'descending' }] } },
      { replace: { range: 'Orders!A:A', find: 'po', with: 'Ca' } },
      { fill: { from: 'Orders!B5', to: 'Orders!C5:D5' } },
      { cut: { from: 'Orders!A1:B1', to: 'Orders!G1' } },
      { insertCells: { range: 'Orders!A2:A2', shift: 'right' } },
      { deleteCells: { range: 'Orders!C3:C4', shift: 'left' } },
      { removeDuplicates: { range: 'Orders!A2:A9' } },
    );
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      (body['structure'] as unknown as OperationResults).operations.map(({ cells }) => cells),
      [4, 1, 2, 0, 0, 0, 0],
    );
    assert.deepEqual(await readValues(book, 'Orders!A1:C2'), [
      [null, null, null],
      [null, 'Cat', 9],
    ]);
    assert.deepEqual(await readValues(book, 'Orders!G1:H1'), [['Item', 'Price']]);
  });

  it('creates and changes sheets, names and tables, and later operations find them', async () => {
    const book = await createOrdersBook();
    const { status, body } = await applyOperations(
      book,
      { duplicateSheet: { sheet: 'Orders', name: 'Copy' } },
      { duplicateSheet: { sheet: 'Copy' } },
      { moveSheet: { sheet: 'copy 2', order: 0 } },
      { colorSheet: { sheet: 'Copy', color: '#3366ff' } },
      { setName: { name: 'tea', refersTo: '=Copy!$B$2' } },
      { setTable: { name: 'Sales', range: 'Copy!A1:B4' } },
      { insertRows: { sheet: 'Copy', before: 2, count: 1 } },
    );
    assert.equal(status, 200, JSON.stringify(body));
    const sheets = (await book.sheets()).body['sheets'] as unknown as { name: string; color: string | null }[];
    assert.deepEqual(
      sheets.map(({ name, color }) => [name, color]),
      [
        ['Copy 2', null],
        ['Orders', null],
        ['Archive', null],
        ['Copy', '#3366ff'],
      ],
    );
    await book.put('Orders!D1', [['=tea'], ['=SUM(Sales[Price])']]);
    assert.deepEqual(await readValues(book, 'Orders!D1:D2'), [[5], [21]]);
    await applyOperations(book, { deleteTable: { name: 'sales' } }, { deleteName: { name: 'TEA' } });
    assert.deepEqual(await readValues(book, 'Orders!D1:D2'), [['#NAME?'], [21]]);
    assert.equal((await book.cell('Orders!D2')).f, '=SUM(Copy!$B$2:$B$5)');
  });

  it('reports errors with their path and changes nothing', async () => {
    const book = await createOrdersBook();
    const before = await readValues(book, 'Orders!A1:B5');
    const validOperation = { insertRows: { sheet: 'Orders', before: 1, count: 1 } };
    for (const [operation, field] of [
      [{ sort: { range: 'nowhere at all!', by: [{ column: 'A' }] } }, 'operations.1.range'],
      [{ sort: { range: 'A1:B2', by: [{ column: 'D' }] } }, 'operations.1.by'],
      [{ insertRows: { sheet: 'Orders', before: 0, count: 1 } }, 'operations.1.before'],
      [{ insertRows: { sheet: 'Orders', before: 1, count: 0 } }, 'operations.1.count'],
      [{ insertColumns: { sheet: 'Orders', before: '3', count: 1 } }, 'operations.1.before'],
      [{ insertRows: { before: 1 } }, 'operations.1.sheet'],
      [{ insertCells: { range: 'A1', shift: 'up' } }, 'operations.1.shift'],
      [{ colorSheet: { sheet: 'Orders', color: 'red' } }, 'operations.1.color'],
      [{ moveSheet: { sheet: 'Orders', order: 2 } }, 'operations.1.order'],
      [{ setName: { name: 'A1', refersTo: '=1' } }, 'operations.1.name'],
      [{ setName: { name: 'rate', refersTo: '=1+' } }, 'operations.1.refersTo'],
      [{ setTable: { name: 'Sales', range: 'A:B' } }, 'operations.1.range'],
      [{ insertRows: { sheet: 'Orders', before: 1 }, deleteRows: { sheet: 'Orders', from: 1 } }, 'operations'],
      [{ explode: {} }, 'operations'],
      [{ deleteCells: { range: 'no such word', shift: 'up' } }, 'operations.1.range'],
      [{ copy: { from: 'A1', to: 'no such word' } }, 'operations.1.to'],
      [{ duplicateSheet: { sheet: 'Orders', name: 'archive' } }, 'operations.1.name'],
      [{ setTable: { name: 'a b', range: 'A1:B2' } }, 'operations.1.name'],
    ] as const) {
      const { status, body } = await applyOperations(book, validOperation, operation);
      assert.deepEqual([status, Object.keys(body['errors'] ?? {})], [422, [field]], JSON.stringify(operation));
    }
    for (const operations of [undefined, [], {}, Array(1001).fill(validOperation)]) {
      assert.equal((await book.post('/structure', { operations })).status, 422);
    }
    for (const [operation, message] of [
      [{ deleteRows: { sheet: 'Nowhere', from: 1 } }, 'Sheet not found'],
      [{ deleteName: { name: 'rate' } }, 'Name not found'],
      [{ deleteTable: { name: 'Sales' } }, 'Table not found'],
    ] as const) {
      const { status, body } = await applyOperations(book, validOperation, operation);
      assert.deepEqual([status, body], [404, { message }]);
    }
    assert.deepEqual(await readValues(book, 'Orders!A1:B5'), before);
  });

  it('is refused if it would push filled cells off the grid', async () => {
    const book = await createOrdersBook();
    await book.put('Orders!A1048576', [['last']]);
    const { status, body } = await applyOperations(book, { insertRows: { sheet: 'Orders', before: 2, count: 1 } });
    assert.deepEqual([status, Object.keys(memberAt(body, 'errors'))], [422, ['operations.0']]);
  });

  it('respects protection: locked sheets, hidden values and protected copies', async () => {
    const owner = await createOrdersBook();
    const { api } = await world.addMember(owner.document, 'edit');
    await world.protect(owner.document, 'Orders', { lock: true });
    await world.protect(owner.document, 'Archive', { hideValues: true });
    const locked = { status: 403, body: { message: 'Sheet is protected' } };
    const hidden = { status: 403, body: { message: 'Sheet values are hidden' } };
    for (const [operation, expected] of [
      [{ insertRows: { sheet: 'Orders', before: 1 } }, locked],
      [{ cut: { from: 'Orders!A1', to: 'Archive!B1' } }, locked],
      [{ sort: { range: 'Archive!A1:B2', by: [{ column: 'A' }] } }, hidden],
      [{ copy: { from: 'Archive!A1', to: 'Archive!B9' } }, hidden],
      [{ duplicateSheet: { sheet: 'Archive' } }, hidden],
    ] as const) {
      const { status, body } = await applyOperations(api, operation);
      assert.deepEqual({ status, body }, expected, JSON.stringify(operation));
    }
    assert.equal((await applyOperations(owner, { duplicateSheet: { sheet: 'Archive', name: 'Second' } })).status, 200);
    assert.equal((await api.get('Second!A1')).body['message'], 'Sheet values are hidden');
    assert.equal((await applyOperations(owner, { insertRows: { sheet: 'Archive', before: 1 } })).status, 200);
    assert.equal((await owner.cell('Archive!A2')).f, '=Orders!B5');
  });

  it('reports invalid input first, then missing targets, then missing permissions', async () => {
    const owner = await createOrdersBook();
    await applyOperations(owner, { setTable: { name: 'Sales', range: 'Orders!A1:B4' } });
    const { api } = await world.addMember(owner.document, 'edit');
    await world.protect(owner.document, 'Orders', { lock: true });
    const forbidden = { deleteRows: { sheet: 'Orders', from: 1 } };
    for (const [operations, status] of [
      [[forbidden, { deleteName: { name: 'none' } }, { setName: { name: 'A1', refersTo: '=1' } }], 422],
      [[forbidden, { deleteTable: { name: 'none' } }, { setName: { name: 'rate', refersTo: '=1+' } }], 422],
      [[forbidden, { setName: { name: 'sales', refersTo: '=1' } }], 422],
      [[forbidden, { deleteName: { name: 'none' } }], 404],
      [[forbidden, { deleteTable: { name: 'none' } }], 404],
      [[{ setName: { name: 'rate', refersTo: '=1' } }, { deleteName: { name: 'RATE' } }], 200],
      [[{ deleteTable: { name: 'Sales' } }], 403],
      [[{ setTable: { name: 'sales', range: 'Archive!A1:B2' } }], 403],
      [[forbidden], 403],
    ] as const) {
      const answer = await applyOperations(api, ...operations);
      assert.equal(answer.status, status, JSON.stringify([operations, answer.body]));
    }
  });

  it('reveals nothing of hidden sheets in a dry run', async () => {
    const owner = await createOrdersBook();
    const { api } = await world.addMember(owner.document, 'edit');
    await world.protect(owner.document, 'Archive', { hideValues: true });
    const operations = [{ deleteRows: { sheet: 'Archive', from: 1 } }];
    assert.equal((await api.post('/structure?dryRun=true', { operations })).body['message'], 'Sheet values are hidden');
    await owner.post('/structure', { operations });
    const undo = `/revisions/${await owner.revision()}/undo`;
    assert.equal((await api.post(`${undo}?dryRun=true`, {})).body['message'], 'Sheet values are hidden');
    assert.equal((await owner.post(`${undo}?dryRun=true`, {})).status, 200);
  });

  it('needs a plan with sheets and a role with write access', async () => {
    const book = await world.createBook({ plan: 'standard' });
    assert.equal((await applyOperations(book, { insertRows: { sheet: 'Sheet1', before: 1 } })).status, 403);
    const owner = await createOrdersBook();
    const { api } = await world.addMember(owner.document, 'view');
    assert.equal((await applyOperations(api, { insertRows: { sheet: 'Orders', before: 1 } })).status, 403);
  });

  it('is performed once per key, logged as one entry and published in the change feed', async () => {
    const book = await createOrdersBook();
    const since = Number(await book.revision());
    const body = {
      operations: [
        { insertRows: { sheet: 'Orders', before: 3, count: 2 } },
        { copy: { from: 'A1:B1', to: 'Archive!A9' } },
      ],
    };
    const first = await book.post('/structure', body, 'once');
    const again = await book.post('/structure', body, 'once');
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    const entry = memberAt(await book.listAuditEntries(), 'entries', 0);
    assert.deepEqual([entry.action, entry.properties], ['structure', { range: '', cells: 2 }]);
    const feed = memberAt((await book.requestInDocument('GET', `/changes?since=${since}`)).body, 'changes');
    assert.equal(memberAt(feed, 'entries', 'length'), 1);
    const change = memberAt(feed, 'entries', 0);
    assert.deepEqual(change.moved, [{ from: 'Orders!3:1048574', to: 'Orders!5:1048576' }]);
    assert.deepEqual(change.ranges, ['Archive!A9:B9']);
    assert.deepEqual(change.structure, [
      { insertRows: { sheet: 'Orders', before: 3, count: 2 } },
      { copy: { from: 'Orders!A1:B1', to: 'Archive!A9' } },
    ]);
  });

  it('is previewed by a dry run without writing, storing or logging anything', async () => {
    const book = await createOrdersBook();
    const before = [
      await book.revision(),
      (await book.listAuditEntries())['total'],
      await readValues(book, 'Orders!A1:B6'),
    ];
    const operations = [
      { insertRows: { sheet: 'Orders', before: 3 } },
      { copy: { from: 'Orders!B2', to: 'Orders!B3' } },
    ];
    const preview = await book.post('/structure?dryRun=true', { operations }, 'tried');
    assert.deepEqual(preview.body, {
      structure: { revisionId: String(Number(before[0]) + 1), operations: [{ cells: 0 }, { cells: 1 }] },
      dryRun: true,
      changes: [
        { cell: 'Orders!B3', before: null, after: 5 },
        { cell: 'Orders!B6', before: 21, after: 26, derived: true },
        { cell: 'Archive!A1', before: 21, after: 26, derived: true },
      ],
    });
    assert.deepEqual(
      [await book.revision(), (await book.listAuditEntries())['total'], await readValues(book, 'Orders!A1:B6')],
      before,
    );
    const performed = await book.post('/structure', { operations }, 'tried');
    assert.deepEqual([performed.status, performed.headers.get('idempotency-replayed')], [200, null]);
    assert.deepEqual(performed.body['structure'], preview.body['structure']);
  });

  it('lists deleted but not moved cells in a dry run', async () => {
    const book = await world.createBook();
    await book.put('A1', [
      [1, 'a'],
      [2, 'b'],
      [3, '=A2'],
      [4, 'd'],
    ]);
    const previewCells = async (...operations: readonly object[]) => {
      const { status, body } = await book.post('/structure?dryRun=true', { operations });
      assert.equal(status, 200, JSON.stringify(body));
      const changes = body['changes'] as unknown as readonly { readonly cell: string; readonly deleted?: boolean }[];
      return changes.map(({ cell, deleted }) => (deleted ? `-${cell.slice('Sheet1!'.length)}` : cell));
    };
    const createRowDeletion = (from: number) => ({ deleteRows: { sheet: 'Sheet1', from } });
    assert.deepEqual(await previewCells(createRowDeletion(4)), ['-A4', '-B4']);
    assert.deepEqual(await previewCells(createRowDeletion(2)), ['-A2', '-B2', 'Sheet1!B2']);
    assert.deepEqual(
      await previewCells(createRowDeletion(1), { insertRows: { sheet: 'Sheet1', before: 1 } }, createRowDeletion(4)),
      ['-A1', '-B1', '-A4', '-B4'],
    );
    assert.deepEqual(await previewCells({ deleteCells: { range: 'Sheet1!A4', shift: 'up' } }), ['-A4']);
    assert.deepEqual(await previewCells({ cut: { from: 'Sheet1!A4', to: 'Sheet1!B4' } }), ['-B4']);
    assert.deepEqual(await previewCells({ insertRows: { sheet: 'Sheet1', before: 1 } }), []);
  });

  it('can be undone', async () => {
    const book = await createOrdersBook();
    const before = await readValues(book, 'Orders!A1:B5');
    await applyOperations(
      book,
      { deleteRows: { sheet: 'Orders', from: 2, count: 2 } },
      { deleteColumns: { sheet: 'Orders', from: 'A' } },
    );
    const undone = await book.undo(await book.revision());
    assert.equal(undone.status, 200, JSON.stringify(undone.body));
    assert.deepEqual(await readValues(book, 'Orders!A1:B5'), before);
    assert.equal((await book.cell('Orders!B5')).f, '=SUM(B2:B4)');
    assert.equal((await book.cell('Archive!A1')).f, '=Orders!B5');
  });

  it('can be undone in any order: inserted rows are deleted at their current position', async () => {
    const book = await createOrdersBook();
    const before = await readValues(book, 'Orders!A1:B5');
    const revisions: string[] = [];
    for (const operation of [
      { insertRows: { sheet: 'Orders', before: 3, count: 3 } },
      { insertRows: { sheet: 'Orders', before: 1 } },
      { insertRows: { sheet: 'Orders', before: 5 } },
    ]) {
      await applyOperations(book, operation);
      revisions.push(String(await book.revision()));
    }
    for (const revision of revisions) {
      const { status, body } = await book.undo(revision);
      assert.equal(status, 200, JSON.stringify(body));
    }
    assert.deepEqual(await readValues(book, 'Orders!A1:B5'), before);
    assert.equal((await book.cell('Archive!A1')).f, '=Orders!B5');
  });

  const OPERATIONS: readonly object[] = [
    { deleteRows: { sheet: 'Orders', from: 3, count: 1 } },
    { moveRows: { sheet: 'Orders', from: 2, count: 1, before: 4 } },
    { deleteRows: { sheet: 'Orders', from: 2, count: 1 } },
    { insertColumns: { sheet: 'Orders', before: 'B', count: 2 } },
  ];

  for (const order of [
    [0, 1, 2, 3],
    [1, 0, 3, 2],
    [2, 0, 1, 3],
    [0, 3, 2, 1],
  ]) {
    it(`can be undone in any order: deleted and moved rows return between their neighbours (${order})`, async () => {
      const book = await createOrdersBook();
      await book.put('Archive!A1:A2', [['=SUM(Orders!B:B)'], ['=Orders!B4']]);
      await book.clear('Orders!A5:B5');
      const before = await readValues(book, 'Orders!A1:B5');
      const revisions: string[] = [];
      for (const operation of OPERATIONS) {
        assert.equal((await applyOperations(book, operation)).status, 200);
        revisions.push(String(await book.revision()));
      }
      for (const i of order) {
        const { status, body } = await book.undo(revisions[i] as string);
        assert.equal(status, 200, JSON.stringify(body));
      }
      assert.deepEqual(await readValues(book, 'Orders!A1:B5'), before);
      assert.equal((await book.cell('Archive!A1')).f, '=SUM(Orders!B:B)');
      assert.equal((await book.cell('Archive!A2')).f, '=Orders!B4');
    });
  }

  it('restores deleted parts of a formula that was restored by an undo in between', async () => {
    const book = await createOrdersBook();
    await book.put('Archive!A1', [['=SUM(Orders!B2:B9)']]);
    await book.put('Archive!A1', [['=SUM(Orders!B2:B4)']]);
    const written = await book.revision();
    await applyOperations(book, { deleteRows: { sheet: 'Orders', from: 9, count: 1 } });
    const deleted = await book.revision();
    assert.equal((await book.undo(written)).status, 200);
    assert.equal((await book.cell('Archive!A1')).f, '=SUM(Orders!B2:B8)');
    assert.equal((await book.undo(deleted)).status, 200);
    assert.equal((await book.cell('Archive!A1')).f, '=SUM(Orders!B2:B9)');
  });

  it('can be undone after later structural changes, without affecting later writes of others', async () => {
    const book = await createOrdersBook();
    await applyOperations(book, { deleteRows: { sheet: 'Orders', from: 3, count: 1 } });
    const revision = await book.revision();
    await book.put('Orders!B3', [[90]]);
    await applyOperations(book, { insertRows: { sheet: 'Orders', before: 1, count: 2 } });
    await book.put('Orders!A1', [['Title']]);
    const { status, body } = await book.undo(revision);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(await readValues(book, 'Orders!A1:B7'), [
      ['Title', null],
      [null, null],
      ['Item', 'Price'],
      ['Tea', 5],
      ['Cup', 7],
      ['Pot', 90],
      ['Sum', 102],
    ]);
  });

  it('can be undone with force if other cells were cut to the source of a cut', async () => {
    const book = await createOrdersBook();
    await applyOperations(book, { cut: { from: 'Orders!A2:B2', to: 'Orders!D2' } });
    const revision = await book.revision();
    await applyOperations(book, { cut: { from: 'Orders!A3:B3', to: 'Orders!A2' } });
    const expected = await book.undo(revision);
    assert.deepEqual([expected.status, expected.body['conflicts']], [412, ['Orders!A2:B2', 'Orders!D2:E2']]);
    assert.equal((await book.undo(revision, { force: true })).status, 200);
    assert.deepEqual(await readValues(book, 'Orders!A2:E3'), [
      ['Tea', 5, null, null, null],
      [null, null, null, null, null],
    ]);
  });

  it('needs force to be undone if others have written into inserted rows', async () => {
    const book = await createOrdersBook();
    await applyOperations(book, { insertRows: { sheet: 'Orders', before: 3, count: 2 } });
    const revision = await book.revision();
    await book.put('Orders!A4', [['theirs']]);
    await applyOperations(book, { insertRows: { sheet: 'Orders', before: 1 } });
    const expected = await book.undo(revision);
    assert.deepEqual([expected.status, expected.body['conflicts']], [412, ['Orders!A5']]);
    assert.equal((await book.undo(revision, { force: true })).status, 200);
    assert.deepEqual(await readValues(book, 'Orders!A2:A4'), [['Item'], ['Tea'], ['Cup']]);
  });

  it('is visible in another process and after a restart', async () => {
    const book = await createOrdersBook();
    await applyOperations(book, { insertRows: { sheet: 'Orders', before: 2, count: 300 } });
    const secondService = await world.startSecondService();
    try {
      const secondApi = new Api(secondService.address, book.token, book.document);
      assert.deepEqual(await readValues(secondApi, 'Orders!A302:B305'), await readValues(book, 'Orders!A302:B305'));
      assert.equal((await secondApi.cell('Orders!B305')).f, '=SUM(B302:B304)');
    } finally {
      await secondService.close();
    }
  });
});
