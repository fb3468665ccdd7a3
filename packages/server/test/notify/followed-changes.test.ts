import assert from 'node:assert/strict';
import { after, before, suite, type TestContext, test } from 'node:test';
import { ORDERS, writeOrders } from '../http/records-support.ts';
import { type Api, type Json, memberAt, startWorld, type World } from '../http/support.ts';
import { openEventStream } from './event-stream.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { listDeliveries, QUICK, subscribe, toElements } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

async function readChanges(book: Api, query: string): Promise<readonly Json[]> {
  const answer = await book.requestInDocument('GET', `/changes?${query}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(memberAt(answer.body, 'changes')['gap'], false);
  return toElements(memberAt(answer.body, 'changes')['entries']);
}

async function expectSuccess(answer: Promise<{ readonly status: number; readonly body: Json }>): Promise<void> {
  const { status, body } = await answer;
  assert.equal(status, 200, JSON.stringify(body));
}

function applyOperations(book: Api, ...operations: readonly object[]): Promise<void> {
  return expectSuccess(book.post('/structure', { operations }));
}

/** The changed records by number, with row and the values of the field `shown`, before and after. */
function listRecordChanges(entries: readonly Json[], field = 'Status'): readonly unknown[] {
  return entries.flatMap((entry) =>
    toElements(entry['records']).map(({ result, key, row, before: old, after: now }) => [
      result,
      key?.['Number'],
      row,
      (old as unknown) === null ? null : old?.[field],
      (now as unknown) === null ? null : now?.[field],
    ]),
  );
}

test('the change feed contains the old and new values of cells', async () => {
  const book = await world.createBook();
  await expectSuccess(book.put('A1', [['open', 2, '=B1*2']]));
  await expectSuccess(book.put('A1', [['paid', 3]]));
  await applyOperations(book, { insertRows: { sheet: 'Sheet1', before: 1 } });
  await expectSuccess(book.put('B2', [[5]]));
  const [first, second, third, fourth] = await readChanges(book, 'since=0&values=true');
  assert.deepEqual(first?.['cells'], [
    { cell: 'Sheet1!A1', before: null, after: 'open' },
    { cell: 'Sheet1!B1', before: null, after: 2 },
    { cell: 'Sheet1!C1', before: null, after: 4 },
  ]);
  assert.deepEqual(second?.['cells'], [
    { cell: 'Sheet1!A1', before: 'open', after: 'paid' },
    { cell: 'Sheet1!B1', before: 2, after: 3 },
    { cell: 'Sheet1!C1', before: 4, after: 6, derived: true },
  ]);
  assert.deepEqual(third?.['cells'], []);
  assert.deepEqual(fourth?.['cells'], [
    { cell: 'Sheet1!B2', before: 3, after: 5 },
    { cell: 'Sheet1!C2', before: 6, after: 10, derived: true },
  ]);
});

test('changed cells are named with the current sheet name, or the last one of a deleted sheet', async () => {
  const book = await world.createBook();
  await expectSuccess(book.addSheet('Gone'));
  await expectSuccess(book.put('A1', [[1]]));
  await expectSuccess(book.put('Gone!A1', [[2]]));
  await expectSuccess(book.renameSheet('Sheet1', 'Orders'));
  await expectSuccess(book.deleteSheet('Gone'));
  const entriesBefore = (await readChanges(book, 'since=1&values=true')).slice(0, 2);
  assert.deepEqual(
    entriesBefore.map((entry) => [entry['ranges'], toElements(entry['cells']).map(({ cell }) => cell)]),
    [
      [['Orders!A1'], ['Orders!A1']],
      [[], ['Gone!A1']],
    ],
  );
});

test('the change feed lists the first of many changed cells and marks the rest as truncated', async () => {
  const book = await world.createBook();
  await expectSuccess(
    book.put(
      'A1',
      Array.from({ length: 1_001 }, (_, i) => [i]),
    ),
  );
  const [entry] = await readChanges(book, 'since=0&values=true');
  assert.deepEqual([toElements(entry?.['cells']).length, entry?.['truncated']], [1_000, true]);
});

test('the changes of a range exclude other cells, and the range follows later moves', async () => {
  const book = await world.createBook();
  await expectSuccess(book.put('A1', [[1, 2, 3]]));
  await expectSuccess(book.put('C1', [['beside']]));
  await applyOperations(book, { insertRows: { sheet: 'Sheet1', before: 1, count: 2 } });
  await expectSuccess(book.put('A1', [['above']]));
  await expectSuccess(book.put('A3', [[7, 8, 9]]));
  const entries = await readChanges(book, 'since=0&range=A3:B3&values=true');
  assert.deepEqual(
    entries.map(({ revision, ranges, cellCount, cells }) => [revision, ranges, cellCount, toElements(cells).length]),
    [
      [1, ['Sheet1!A1:B1'], 2, 2],
      [5, ['Sheet1!A3:B3'], 2, 2],
    ],
  );
});

test('a page without entries continues after the examined revisions', async () => {
  const book = await world.createBook();
  for (let i = 1; i <= 30; i++) await expectSuccess(book.put('A1', [[i]]));
  await expectSuccess(book.put('B1', [[1]]));
  const { body } = await book.requestInDocument('GET', '/changes?since=0&range=B:B&limit=1');
  const { entries, next, hasMore } = body['changes'] as Json;
  assert.deepEqual([toElements(entries).map(({ revision }) => revision), next, hasMore], [[31], 31, false]);
});

interface RecordChangeCase {
  readonly description: string;
  readonly perform: (book: Api) => Promise<void>;
  readonly expected: readonly unknown[];
  /** The range after the change; absent if it is the same. */
  readonly range?: string;
}

const CASES: readonly RecordChangeCase[] = [
  {
    description: 'an upsert',
    perform: (book) =>
      expectSuccess(
        book.post('/records/upsert', {
          range: 'A:H',
          key: ['Number'],
          records: [
            { Number: 'a-1002', Status: 'late' },
            { Number: 'A-1001', Status: 'open' },
            { Number: 'B-1', Status: 'new' },
          ],
        }),
      ),
    expected: [
      ['updated', 'A-1002', 3, 'paid', 'late'],
      ['created', 'B-1', 7, null, 'new'],
    ],
  },
  {
    description: 'a deletion of records',
    perform: (book) => expectSuccess(book.post('/records/delete', { range: 'A:H', where: { City: 'Riga' } })),
    expected: [
      ['deleted', 'A-1001', 2, 'open', null],
      ['deleted', 'A-1002', 3, 'paid', null],
      ['deleted', 'A-1005', 6, 'OPEN', null],
    ],
  },
  {
    description: 'a deleted row',
    perform: (book) => applyOperations(book, { deleteRows: { sheet: 'Sheet1', from: 3 } }),
    expected: [['deleted', 'A-1002', 3, 'paid', null]],
  },
  {
    description: 'an inserted row',
    perform: (book) => applyOperations(book, { insertRows: { sheet: 'Sheet1', before: 3 } }),
    expected: [],
  },
  {
    description: 'a sort',
    perform: (book) => applyOperations(book, { sort: { range: 'A2:H6', by: [{ column: 'A', order: 'descending' }] } }),
    expected: [],
  },
  {
    description: 'a row put elsewhere',
    perform: (book) => applyOperations(book, { moveRows: { sheet: 'Sheet1', from: 2, before: 6 } }),
    expected: [],
  },
  {
    description: 'a row cut onto another',
    perform: (book) => applyOperations(book, { cut: { from: 'A2:H2', to: 'A6' } }),
    expected: [['deleted', 'A-1005', 6, 'OPEN', null]],
  },
  {
    description: 'a changed key',
    perform: (book) => expectSuccess(book.put('A2', [['Z-1']])),
    expected: [
      ['deleted', 'A-1001', 2, 'open', null],
      ['created', 'Z-1', 2, null, 'open'],
    ].reverse(),
  },
  {
    description: 'a cleared last row',
    perform: (book) => expectSuccess(book.clear('A6:H6')),
    expected: [['deleted', 'A-1005', 6, 'OPEN', null]],
  },
  { description: 'a cell outside the range', perform: (book) => expectSuccess(book.put('J2', [[1]])), expected: [] },
  {
    description: 'an inserted column and a write after it',
    perform: async (book) => {
      await applyOperations(book, { insertColumns: { sheet: 'Sheet1', before: 'B' } });
      await expectSuccess(book.put('I2', [['shipped']]));
    },
    range: 'A:I',
    expected: [['updated', 'A-1001', 2, 'open', 'shipped']],
  },
  {
    description: 'cells shifted up in some of the columns',
    perform: (book) => applyOperations(book, { deleteCells: { range: 'H2:H2', shift: 'up' } }),
    expected: [
      ['updated', 'A-1001', 2, 'open', 'paid'],
      ['updated', 'A-1002', 3, 'paid', 'new'],
      ['updated', 'A-1003', 4, 'new', 'open'],
      ['updated', 'A-1004', 5, 'open', 'OPEN'],
      ['updated', 'A-1005', 6, 'OPEN', null],
    ],
  },
];

suite('records of a range, identified by a key', () => {
  for (const { description, perform, expected, range = 'A:H' } of CASES) {
    test(`${description}: ${expected.length} changed`, async () => {
      const book = await writeOrders(await world.createBook());
      await perform(book);
      const entries = await readChanges(book, `since=1&range=${range}&key[]=Number`);
      const sortTexts = (list: readonly unknown[]) => list.map((one) => JSON.stringify(one)).sort();
      assert.deepEqual(sortTexts(listRecordChanges(entries)), sortTexts(expected));
    });
  }

  test('have all fields, with ISO dates and formula results', async () => {
    const book = await world.createBook();
    await expectSuccess(book.put('A1', [['Number', 'Date', 'Sum', 'Twice']]));
    await expectSuccess(book.put('A2', [['A-1', '2026-03-01', 2, '=C2*2']]));
    await expectSuccess(book.put('C2', [[3]]));
    const [, created, updated] = await readChanges(book, 'since=0&range=A:D&key[]=number');
    assert.deepEqual(created?.['records'], [
      {
        result: 'created',
        key: { Number: 'A-1' },
        row: 2,
        before: null,
        after: { Number: 'A-1', Date: '2026-03-01', Sum: 2, Twice: 4 },
      },
    ]);
    assert.deepEqual(memberAt(updated, 'records', 0)['before'], {
      Number: 'A-1',
      Date: '2026-03-01',
      Sum: 2,
      Twice: 4,
    });
    assert.deepEqual(memberAt(updated, 'records', 0)['after'], { Number: 'A-1', Date: '2026-03-01', Sum: 3, Twice: 6 });
  });

  test('follow a table that grows and shrinks', async () => {
    const book = await writeOrders(await world.createBook());
    await applyOperations(book, { setTable: { name: 'Orders', range: 'A1:H6' } });
    await expectSuccess(book.post('/records/append', { range: 'Orders', records: [{ Number: 'B-1', Status: 'new' }] }));
    await expectSuccess(book.post('/records/delete', { range: 'Orders', where: { Number: 'B-1' } }));
    assert.deepEqual(listRecordChanges(await readChanges(book, 'since=1&range=Orders&key[]=Number')), [
      ['created', 'B-1', 7, null, 'new'],
      ['deleted', 'B-1', 7, 'new', null],
    ]);
  });
});

const INVALID_QUERIES: readonly (readonly [string, number, string])[] = [
  ['key[]=Number', 422, 'range'],
  ['range=A:H&key[]=Nothing', 422, 'key'],
  ['range=A:H&key[]=Number&key[]=number', 422, 'key'],
  ['range=Nowhere!A1', 404, ''],
  ['range=1A1', 422, ''],
  ['values=yes', 422, 'values'],
];
for (const [query, status, field] of INVALID_QUERIES) {
  test(`?${query} is refused with ${status}, for a stream, too`, async (t) => {
    const book = await writeOrders(await world.createBook());
    const answer = await book.requestInDocument('GET', `/changes?since=0&${query}`);
    assert.equal(answer.status, status);
    if (field !== '') assert.deepEqual(Object.keys(answer.body['errors'] as object), [field]);
    assert.equal((await openEventStream(t, book, {}, `?${query}`)).status, status);
  });
}

test('hidden sheets are excluded from changes, but cells cut from them appear in their new sheet', async () => {
  const book = await world.createBook();
  await book.addSheet('Salaries');
  await expectSuccess(book.put('Salaries!A1', [['Number'], ['secret']]));
  await world.protect(book.document, 'Salaries', { hideValues: true });
  const { api } = await world.addMember(book.document, 'view');
  await applyOperations(book, { cut: { from: 'Salaries!A2', to: 'Sheet1!A1' } });
  await expectSuccess(book.put('A1', [['shown']]));
  for (const query of ['range=Salaries!A:A', 'range=Salaries!A:A&key[]=Number', 'range=Salaries']) {
    assert.equal((await api.requestInDocument('GET', `/changes?since=0&${query}`)).status, 403, query);
  }
  const { body } = await api.requestInDocument('GET', '/changes?since=0&values=true');
  const cells = toElements(memberAt(body, 'changes')['entries']).map((entry) => entry['cells']);
  const cut = { cell: 'Sheet1!A1', before: null, after: 'secret' };
  assert.deepEqual(cells, [[], [], [cut], [{ cell: 'Sheet1!A1', before: 'secret', after: 'shown' }]]);
});

test('a record stream contains changed records only, and follows structural changes', async (t) => {
  const book = await writeOrders(await world.createBook());
  const stream = await openEventStream(t, book, {}, '?range=A1:H&key[]=Number');
  await expectSuccess(book.put('J1', [['beside']]));
  await applyOperations(book, { insertRows: { sheet: 'Sheet1', before: 1, count: 3 } });
  await applyOperations(book, { sort: { range: 'A5:H9', by: [{ column: 'A', order: 'descending' }] } });
  await expectSuccess(book.put('A1', [['above the header']]));
  await expectSuccess(book.put('H9', [['paid']]));
  const event = await stream.next();
  assert.deepEqual(listRecordChanges([event?.data as Json]), [['updated', 'A-1001', 9, 'open', 'paid']]);
  assert.equal(event?.id, String(await book.revision()));
});

test('a stream can include cell values', async (t) => {
  const book = await writeOrders(await world.createBook());
  const stream = await openEventStream(t, book, {}, '?range=H:H&values=true');
  await expectSuccess(book.put('A2', [['beside']]));
  await expectSuccess(book.put('H2', [['paid']]));
  const event = await stream.next();
  assert.deepEqual(event?.data['cells'], [{ cell: 'Sheet1!H2', before: 'open', after: 'paid' }]);
});

test('the change feed is the same after a restart', async (t) => {
  const first = await startWorld();
  const book = await writeOrders(await first.createBook());
  await expectSuccess(
    book.post('/records/update', { range: 'A:H', where: { Status: 'open' }, set: { Status: 'paid' } }),
  );
  const query = 'since=0&range=A:H&key[]=Number&values=true';
  const beforeRestart = await readChanges(book, query);
  const restarted = await first.restart();
  t.after(() => restarted.close());
  assert.deepEqual(await readChanges(restarted.apiFor(book.token, book.document), query), beforeRestart);
  assert.equal(listRecordChanges(beforeRestart).length, ORDERS.length - 1 + 3);
});

suite('a subscription to', () => {
  let notifyingWorld: World;
  before(async () => {
    // On a slow machine, the window must stay open between two writes, too.
    notifyingWorld = await startWorld({ notifications: { ...QUICK, quietMs: 1_000, maxWaitMs: 60_000 } });
  });
  after(() => notifyingWorld.close());

  async function subscribeTo(t: TestContext, book: Api, watch: object): Promise<Receiver> {
    const receiver = await startReceiver(t);
    await expectSuccess(book.post('/webhooks', { url: receiver.url, ...watch }));
    return receiver;
  }

  test('a range is notified of its cells only, and the range follows structural changes', async (t) => {
    const book = await notifyingWorld.createBook();
    await expectSuccess(book.put('A1', [[1, '=A1*2', 3]]));
    const receiver = await subscribeTo(t, book, { range: 'A1:B1' });
    await expectSuccess(book.put('C1', [['beside']]));
    await expectSuccess(book.put('A1:C1', [[2, null, 4]]));
    const [first] = await receiver.waitForRequests(1);
    assert.deepEqual(first?.body['ranges'], ['Sheet1!A1:B1']);
    assert.equal(first?.body['cellCount'], 2);
    assert.equal('records' in (first?.body ?? {}), false);
    await applyOperations(book, { insertRows: { sheet: 'Sheet1', before: 1, count: 2 } });
    await expectSuccess(book.put('A1', [['above']]));
    await expectSuccess(book.put('A3', [[5]]));
    const [, second] = await receiver.waitForRequests(2);
    assert.deepEqual(second?.body['ranges'], ['Sheet1!A3:B3']);
    const { webhooks } = (await book.requestInDocument('GET', '/webhooks')).body as Json as { readonly webhooks: Json };
    assert.equal(webhooks?.[0]?.['range'], 'Sheet1!A3:B3');
  });

  test('a range is listed with current sheet names', async () => {
    const book = await notifyingWorld.createBook();
    await expectSuccess(book.addSheet('Plan 1'));
    const sheets = toElements((await book.sheets()).body['sheets']);
    for (const range of ["'Plan 1'!A1:B2", "'Plan 1'", 'B:C', 'Sheet1!A1', 'Sheet1']) {
      await expectSuccess(book.post('/webhooks', { url: 'http://127.0.0.1:9/', range }));
    }
    const listRanges = async () =>
      toElements((await book.requestInDocument('GET', '/webhooks')).body['webhooks']).map((one) =>
        String(one['range']),
      );
    await expectSuccess(book.renameSheet(String(sheets[1]?.['name']), 'Plan’s 2'));
    await expectSuccess(book.renameSheet('Sheet1', 'R1'));
    await expectSuccess(book.post('/webhooks', { url: 'http://127.0.0.1:9/', range: "'R1'!A1" }));
    const plan = "'Plan’s 2'";
    assert.deepEqual(await listRanges(), [`${plan}!A1:B2`, plan, 'B:C', "'R1'!A1", "'R1'", "'R1'!A1"]);
    await applyOperations(book, { moveSheet: { sheet: 'R1', order: 1 } });
    assert.deepEqual(await listRanges(), [`${plan}!A1:B2`, plan, "'R1'!B:C", "'R1'!A1", "'R1'", "'R1'!A1"]);
  });

  test('records is notified of the changes of each record in the window only', async (t) => {
    const book = await writeOrders(await notifyingWorld.createBook());
    const receiver = await subscribeTo(t, book, { range: 'A:H', key: ['Number'] });
    await applyOperations(book, { sort: { range: 'A2:H6', by: [{ column: 'A', order: 'descending' }] } });
    await expectSuccess(book.put('J1', [['beside']]));
    const upsert = (...records: readonly object[]) =>
      expectSuccess(book.post('/records/upsert', { range: 'A:H', key: ['Number'], records }));
    await upsert({ Number: 'A-1001', Status: 'sent' }, { Number: 'B-1', Status: 'new' }, { Number: 'B-2' });
    await upsert({ Number: 'A-1001', Status: 'paid' }, { Number: 'B-1', Status: 'seen' });
    await expectSuccess(book.post('/records/delete', { range: 'A:H', where: { Number: ['B-2', 'A-1005'] } }));
    const bodies = await waitForNotifications(receiver, Number(await book.revision()));
    assert.deepEqual(mergeChanges(bodies), [
      ['A-1001', 'open', 'paid'],
      ['B-1', null, 'seen'],
      ['A-1005', 'OPEN', null],
    ]);
    const results = [['updated'], ['created'], ['deleted']];
    if (bodies.length === 1)
      assert.deepEqual(
        listRecordChanges(bodies).map((one) => (one as unknown[]).slice(0, 1)),
        results,
      );
    for (const body of bodies) assert.equal(body['truncated'], false);
  });

  /** The notifications up to a revision. The number of windows depends on the machine. */
  async function waitForNotifications(receiver: Receiver, revision: number): Promise<readonly Json[]> {
    for (let count = 1; ; count++) {
      const bodies = (await receiver.waitForRequests(count)).map(({ body }) => body);
      if (bodies.some((body) => Number(memberAt(body, 'revision')['to']) >= revision)) return bodies;
    }
  }

  /** The changes of each record over all notifications, without records that were created and deleted. */
  function mergeChanges(bodies: readonly Json[]): readonly (readonly unknown[])[] {
    const records = new Map<unknown, { readonly first: unknown; readonly last: unknown }>();
    for (const [, key, , first, last] of listRecordChanges(bodies) as readonly unknown[][]) {
      records.set(key, { first: records.has(key) ? records.get(key)?.first : first, last });
    }
    const remaining = [...records].filter(([, { first, last }]) => first !== null || last !== null);
    return remaining.map(([key, { first, last }]) => [key, first, last]);
  }

  test('a table is notified of its records, and marked as truncated when its sheet is deleted', async (t) => {
    const book = await writeOrders(await notifyingWorld.createBook());
    await book.addSheet('Other');
    await applyOperations(book, { setTable: { name: 'Orders', range: 'Sheet1!A1:H6' } });
    const receiver = await subscribeTo(t, book, { range: 'Orders', key: ['Number'] });
    await expectSuccess(book.post('/records/append', { range: 'Orders', records: [{ Number: 'B-1' }] }));
    const [first] = await receiver.waitForRequests(1);
    assert.deepEqual(listRecordChanges([first?.body as Json]), [['created', 'B-1', 7, null, null]]);
    await expectSuccess(book.deleteSheet('Sheet1'));
    const [, second] = await receiver.waitForRequests(2);
    assert.deepEqual(
      [second?.body['structure'], second?.body['truncated']],
      [[{ deleteSheet: { sheet: 'Sheet1' } }], true],
    );
  });

  for (const [watch, status, field] of [
    [{ key: ['Number'] }, 422, 'range'],
    [{ range: 'A:H', key: ['Nothing'] }, 422, 'key'],
    [{ range: 'A:H', key: [] }, 422, 'key'],
    [{ range: 'Nowhere!A1' }, 404, null],
    [{ range: 'Salaries!A:A' }, 403, null],
  ] as const) {
    test(`${JSON.stringify(watch)} is refused with ${status}`, async () => {
      const book = await writeOrders(await notifyingWorld.createBook());
      await book.addSheet('Salaries');
      await notifyingWorld.protect(book.document, 'Salaries', { hideValues: true });
      const { api } = await notifyingWorld.addMember(book.document, 'edit');
      const answer = await api.post('/webhooks', { url: 'http://127.0.0.1:9/', ...watch });
      assert.equal(answer.status, status);
      if (field !== null) assert.deepEqual(Object.keys(answer.body['errors'] as object), [field]);
    });
  }

  test('records is not notified of a sheet that has been hidden from the creator', async (t) => {
    const book = await writeOrders(await notifyingWorld.createBook());
    const { api } = await notifyingWorld.addMember(book.document, 'edit');
    const watch = { url: 'http://127.0.0.1:9/', range: 'A:H', key: ['Number'] };
    const { webhook } = (await api.post('/webhooks', watch)).body;
    const receiver = await subscribeTo(t, book, { range: 'A:H', key: ['Number'] });
    await notifyingWorld.protect(book.document, 'Sheet1', { hideValues: true });
    await expectSuccess(book.put('H2', [['secret']]));
    // Deliveries of one window are stored together.
    await receiver.waitForRequests(1);
    assert.equal((await listDeliveries({ book }, Number(webhook?.['id'])))['total'], 0);
  });
});

test('a subscription to the document is notified of inserted rows', async (t) => {
  const notifyingWorld = await startWorld({ notifications: QUICK });
  t.after(() => notifyingWorld.close());
  const book = await writeOrders(await notifyingWorld.createBook());
  const { receiver } = await subscribe(t, notifyingWorld, book);
  await applyOperations(book, { insertRows: { sheet: 'Sheet1', before: 2, count: 1 } });
  const [request] = await receiver.waitForRequests(1);
  assert.deepEqual(request?.body['structure'], [{ insertRows: { sheet: 'Sheet1', before: 2, count: 1 } }]);
  assert.equal(request?.body['cellCount'], 0);
});
