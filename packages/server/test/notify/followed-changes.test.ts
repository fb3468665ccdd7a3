import assert from 'node:assert/strict';
import { after, before, suite, type TestContext, test } from 'node:test';
import { ORDERS, writeOrders } from '../http/records-support.ts';
import { type Api, type Json, startWorld, type World } from '../http/support.ts';
import { follow } from './event-stream.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { deliveries, items, QUICK, subscribe } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

async function changes(book: Api, query: string): Promise<readonly Json[]> {
  const answer = await book.here('GET', `/changes?${query}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(answer.body['changes']['gap'], false);
  return items(answer.body['changes']['entries']);
}

async function ok(answer: Promise<{ readonly status: number; readonly body: Json }>): Promise<void> {
  const { status, body } = await answer;
  assert.equal(status, 200, JSON.stringify(body));
}

function structure(book: Api, ...operations: readonly object[]): Promise<void> {
  return ok(book.post('/structure', { operations }));
}

/** What became of records, by their numbers: with the rows and the fields that `shown` names, before and after. */
function told(entries: readonly Json[], shown = 'Status'): readonly unknown[] {
  return entries.flatMap((entry) =>
    items(entry['records']).map(({ result, key, row, before: old, after: now }) => [
      result,
      key?.['Number'],
      row,
      (old as unknown) === null ? null : old?.[shown],
      (now as unknown) === null ? null : now?.[shown],
    ]),
  );
}

test('changed cells are told with what they held before and hold after', async () => {
  const book = await world.book();
  await ok(book.put('A1', [['open', 2, '=B1*2']]));
  await ok(book.put('A1', [['paid', 3]]));
  await structure(book, { insertRows: { sheet: 'Sheet1', before: 1 } });
  await ok(book.put('B2', [[5]]));
  const [first, second, third, fourth] = await changes(book, 'since=0&values=true');
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

test('changed cells are named as the ranges beside them: by what their sheet is called now, or was to the end', async () => {
  const book = await world.book();
  await ok(book.addSheet('Gone'));
  await ok(book.put('A1', [[1]]));
  await ok(book.put('Gone!A1', [[2]]));
  await ok(book.renameSheet('Sheet1', 'Orders'));
  await ok(book.deleteSheet('Gone'));
  const told = (await changes(book, 'since=1&values=true')).slice(0, 2);
  assert.deepEqual(
    told.map((entry) => [entry['ranges'], items(entry['cells']).map(({ cell }) => cell)]),
    [
      [['Orders!A1'], ['Orders!A1']],
      [[], ['Gone!A1']],
    ],
  );
});

test('of many changed cells the first are told, and that there are more', async () => {
  const book = await world.book();
  await ok(
    book.put(
      'A1',
      Array.from({ length: 1_001 }, (_, i) => [i]),
    ),
  );
  const [entry] = await changes(book, 'since=0&values=true');
  assert.deepEqual([items(entry?.['cells']).length, entry?.['truncated']], [1_000, true]);
});

test('a range tells of what happens there alone, wherever later changes have put it', async () => {
  const book = await world.book();
  await ok(book.put('A1', [[1, 2, 3]]));
  await ok(book.put('C1', [['beside']]));
  await structure(book, { insertRows: { sheet: 'Sheet1', before: 1, count: 2 } });
  await ok(book.put('A1', [['above']]));
  await ok(book.put('A3', [[7, 8, 9]]));
  const entries = await changes(book, 'since=0&range=A3:B3&values=true');
  assert.deepEqual(
    entries.map(({ revision, ranges, cellCount, cells }) => [revision, ranges, cellCount, items(cells).length]),
    [
      [1, ['Sheet1!A1:B1'], 2, 2],
      [5, ['Sheet1!A3:B3'], 2, 2],
    ],
  );
});

test('a page that tells nothing goes on behind what it looked at', async () => {
  const book = await world.book();
  for (let i = 1; i <= 30; i++) await ok(book.put('A1', [[i]]));
  await ok(book.put('B1', [[1]]));
  const { body } = await book.here('GET', '/changes?since=0&range=B:B&limit=1');
  const { entries, next, hasMore } = body['changes'] as Json;
  assert.deepEqual([items(entries).map(({ revision }) => revision), next, hasMore], [[31], 31, false]);
});

interface Case {
  readonly what: string;
  readonly does: (book: Api) => Promise<void>;
  readonly tells: readonly unknown[];
  /** The range afterwards, where it is another. */
  readonly range?: string;
}

const CASES: readonly Case[] = [
  {
    what: 'an upsert',
    does: (book) =>
      ok(
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
    tells: [
      ['updated', 'A-1002', 3, 'paid', 'late'],
      ['created', 'B-1', 7, null, 'new'],
    ],
  },
  {
    what: 'a deletion of records',
    does: (book) => ok(book.post('/records/delete', { range: 'A:H', where: { City: 'Riga' } })),
    tells: [
      ['deleted', 'A-1001', 2, 'open', null],
      ['deleted', 'A-1002', 3, 'paid', null],
      ['deleted', 'A-1005', 6, 'OPEN', null],
    ],
  },
  {
    what: 'a deleted row',
    does: (book) => structure(book, { deleteRows: { sheet: 'Sheet1', from: 3 } }),
    tells: [['deleted', 'A-1002', 3, 'paid', null]],
  },
  {
    what: 'an inserted row',
    does: (book) => structure(book, { insertRows: { sheet: 'Sheet1', before: 3 } }),
    tells: [],
  },
  {
    what: 'a sorting',
    does: (book) => structure(book, { sort: { range: 'A2:H6', by: [{ column: 'A', order: 'descending' }] } }),
    tells: [],
  },
  {
    what: 'a row put elsewhere',
    does: (book) => structure(book, { moveRows: { sheet: 'Sheet1', from: 2, before: 6 } }),
    tells: [],
  },
  {
    what: 'a row cut onto another',
    does: (book) => structure(book, { cut: { from: 'A2:H2', to: 'A6' } }),
    tells: [['deleted', 'A-1005', 6, 'OPEN', null]],
  },
  {
    what: 'another key',
    does: (book) => ok(book.put('A2', [['Z-1']])),
    tells: [
      ['deleted', 'A-1001', 2, 'open', null],
      ['created', 'Z-1', 2, null, 'open'],
    ].reverse(),
  },
  {
    what: 'a cleared last row',
    does: (book) => ok(book.clear('A6:H6')),
    tells: [['deleted', 'A-1005', 6, 'OPEN', null]],
  },
  { what: 'a cell beside', does: (book) => ok(book.put('J2', [[1]])), tells: [] },
  {
    what: 'an inserted column and a write after it',
    does: async (book) => {
      await structure(book, { insertColumns: { sheet: 'Sheet1', before: 'B' } });
      await ok(book.put('I2', [['shipped']]));
    },
    range: 'A:I',
    tells: [['updated', 'A-1001', 2, 'open', 'shipped']],
  },
  {
    what: 'cells shifted up in some of the columns',
    does: (book) => structure(book, { deleteCells: { range: 'H2:H2', shift: 'up' } }),
    tells: [
      ['updated', 'A-1001', 2, 'open', 'paid'],
      ['updated', 'A-1002', 3, 'paid', 'new'],
      ['updated', 'A-1003', 4, 'new', 'open'],
      ['updated', 'A-1004', 5, 'open', 'OPEN'],
      ['updated', 'A-1005', 6, 'OPEN', null],
    ],
  },
];

suite('records of a range, told apart by a key', () => {
  for (const { what, does, tells, range = 'A:H' } of CASES) {
    test(`${what}: ${tells.length} changed`, async () => {
      const book = await writeOrders(await world.book());
      await does(book);
      const entries = await changes(book, `since=1&range=${range}&key[]=Number`);
      const sorted = (list: readonly unknown[]) => list.map((one) => JSON.stringify(one)).sort();
      assert.deepEqual(sorted(told(entries)), sorted(tells));
    });
  }

  test('a record has all of its fields, dates as ISO texts, formulas by their results', async () => {
    const book = await world.book();
    await ok(book.put('A1', [['Number', 'Date', 'Sum', 'Twice']]));
    await ok(book.put('A2', [['A-1', '2026-03-01', 2, '=C2*2']]));
    await ok(book.put('C2', [[3]]));
    const [, created, updated] = await changes(book, 'since=0&range=A:D&key[]=number');
    assert.deepEqual(created?.['records'], [
      {
        result: 'created',
        key: { Number: 'A-1' },
        row: 2,
        before: null,
        after: { Number: 'A-1', Date: '2026-03-01', Sum: 2, Twice: 4 },
      },
    ]);
    assert.deepEqual(updated?.['records'][0]?.['before'], { Number: 'A-1', Date: '2026-03-01', Sum: 2, Twice: 4 });
    assert.deepEqual(updated?.['records'][0]?.['after'], { Number: 'A-1', Date: '2026-03-01', Sum: 3, Twice: 6 });
  });

  test('a table is followed as it grows and shrinks', async () => {
    const book = await writeOrders(await world.book());
    await structure(book, { setTable: { name: 'Orders', range: 'A1:H6' } });
    await ok(book.post('/records/append', { range: 'Orders', records: [{ Number: 'B-1', Status: 'new' }] }));
    await ok(book.post('/records/delete', { range: 'Orders', where: { Number: 'B-1' } }));
    assert.deepEqual(told(await changes(book, 'since=1&range=Orders&key[]=Number')), [
      ['created', 'B-1', 7, null, 'new'],
      ['deleted', 'B-1', 7, 'new', null],
    ]);
  });
});

const REFUSED: readonly (readonly [string, number, string])[] = [
  ['key[]=Number', 422, 'range'],
  ['range=A:H&key[]=Nothing', 422, 'key'],
  ['range=A:H&key[]=Number&key[]=number', 422, 'key'],
  ['range=Nowhere!A1', 404, ''],
  ['range=1A1', 422, ''],
  ['values=yes', 422, 'values'],
];
for (const [query, status, field] of REFUSED) {
  test(`?${query} is refused with ${status}, of a stream, too`, async (t) => {
    const book = await writeOrders(await world.book());
    const answer = await book.here('GET', `/changes?since=0&${query}`);
    assert.equal(answer.status, status);
    if (field !== '') assert.deepEqual(Object.keys(answer.body['errors'] as object), [field]);
    assert.equal((await follow(t, book, {}, `?${query}`)).status, status);
  });
}

test('of hidden sheets neither cells nor records are told; what is cut to another sheet is from there on', async () => {
  const book = await world.book();
  await book.addSheet('Salaries');
  await ok(book.put('Salaries!A1', [['Number'], ['secret']]));
  await world.protect(book.document, 'Salaries', { hideValues: true });
  const { api } = await world.member(book.document, 'view');
  await structure(book, { cut: { from: 'Salaries!A2', to: 'Sheet1!A1' } });
  await ok(book.put('A1', [['shown']]));
  for (const query of ['range=Salaries!A:A', 'range=Salaries!A:A&key[]=Number', 'range=Salaries']) {
    assert.equal((await api.here('GET', `/changes?since=0&${query}`)).status, 403, query);
  }
  const { body } = await api.here('GET', '/changes?since=0&values=true');
  const cells = items(body['changes']['entries']).map((entry) => entry['cells']);
  const cut = { cell: 'Sheet1!A1', before: null, after: 'secret' };
  assert.deepEqual(cells, [[], [], [cut], [{ cell: 'Sheet1!A1', before: 'secret', after: 'shown' }]]);
});

test('a stream that follows records hears of their changes alone, and follows structure', async (t) => {
  const book = await writeOrders(await world.book());
  const stream = await follow(t, book, {}, '?range=A1:H&key[]=Number');
  await ok(book.put('J1', [['beside']]));
  await structure(book, { insertRows: { sheet: 'Sheet1', before: 1, count: 3 } });
  await structure(book, { sort: { range: 'A5:H9', by: [{ column: 'A', order: 'descending' }] } });
  await ok(book.put('A1', [['above the header']]));
  await ok(book.put('H9', [['paid']]));
  const event = await stream.next();
  assert.deepEqual(told([event?.data as Json]), [['updated', 'A-1001', 9, 'open', 'paid']]);
  assert.equal(event?.id, String(await book.revision()));
});

test('a stream tells cells with their values', async (t) => {
  const book = await writeOrders(await world.book());
  const stream = await follow(t, book, {}, '?range=H:H&values=true');
  await ok(book.put('A2', [['beside']]));
  await ok(book.put('H2', [['paid']]));
  const event = await stream.next();
  assert.deepEqual(event?.data['cells'], [{ cell: 'Sheet1!H2', before: 'open', after: 'paid' }]);
});

test('what was told before is told alike from a stored state', async (t) => {
  const first = await startWorld();
  const book = await writeOrders(await first.book());
  await ok(book.post('/records/update', { range: 'A:H', where: { Status: 'open' }, set: { Status: 'paid' } }));
  const query = 'since=0&range=A:H&key[]=Number&values=true';
  const known = await changes(book, query);
  const again = await first.restart();
  t.after(() => again.close());
  assert.deepEqual(await changes(again.api(book.token, book.document), query), known);
  assert.equal(told(known).length, ORDERS.length - 1 + 3);
});

suite('a subscription that follows', () => {
  let notifying: World;
  before(async () => {
    // A window stays open between two writes on a slow machine, too.
    notifying = await startWorld({ notifications: { ...QUICK, quietMs: 1_000, maxWaitMs: 60_000 } });
  });
  after(() => notifying.close());

  async function following(t: TestContext, book: Api, watch: object): Promise<Receiver> {
    const receiver = await startReceiver(t);
    await ok(book.post('/webhooks', { url: receiver.url, ...watch }));
    return receiver;
  }

  test('a range is told of its cells alone, wherever structure puts them', async (t) => {
    const book = await notifying.book();
    await ok(book.put('A1', [[1, '=A1*2', 3]]));
    const receiver = await following(t, book, { range: 'A1:B1' });
    await ok(book.put('C1', [['beside']]));
    await ok(book.put('A1:C1', [[2, null, 4]]));
    const [first] = await receiver.take(1);
    assert.deepEqual(first?.body['ranges'], ['Sheet1!A1:B1']);
    assert.equal(first?.body['cellCount'], 2);
    assert.equal('records' in (first?.body ?? {}), false);
    await structure(book, { insertRows: { sheet: 'Sheet1', before: 1, count: 2 } });
    await ok(book.put('A1', [['above']]));
    await ok(book.put('A3', [[5]]));
    const [, second] = await receiver.take(2);
    assert.deepEqual(second?.body['ranges'], ['Sheet1!A3:B3']);
    const { webhooks } = (await book.here('GET', '/webhooks')).body as Json as { readonly webhooks: Json };
    assert.equal(webhooks?.[0]?.['range'], 'Sheet1!A3:B3');
  });

  test('a list of subscriptions names sheets as they are called now', async () => {
    const book = await notifying.book();
    await ok(book.addSheet('Plan 1'));
    const sheets = items((await book.sheets()).body['sheets']);
    for (const range of ["'Plan 1'!A1:B2", "'Plan 1'", 'B:C', 'Sheet1!A1', 'Sheet1']) {
      await ok(book.post('/webhooks', { url: 'http://127.0.0.1:9/', range }));
    }
    const listed = async () =>
      items((await book.here('GET', '/webhooks')).body['webhooks']).map((one) => String(one['range']));
    await ok(book.renameSheet(String(sheets[1]?.['name']), 'Plan’s 2'));
    await ok(book.renameSheet('Sheet1', 'R1'));
    await ok(book.post('/webhooks', { url: 'http://127.0.0.1:9/', range: "'R1'!A1" }));
    const plan = "'Plan’s 2'";
    assert.deepEqual(await listed(), [`${plan}!A1:B2`, plan, 'B:C', "'R1'!A1", "'R1'", "'R1'!A1"]);
    await structure(book, { moveSheet: { sheet: 'R1', order: 1 } });
    assert.deepEqual(await listed(), [`${plan}!A1:B2`, plan, "'R1'!B:C", "'R1'!A1", "'R1'", "'R1'!A1"]);
  });

  test('records hears what became of each in the window, and of nothing else', async (t) => {
    const book = await writeOrders(await notifying.book());
    const receiver = await following(t, book, { range: 'A:H', key: ['Number'] });
    await structure(book, { sort: { range: 'A2:H6', by: [{ column: 'A', order: 'descending' }] } });
    await ok(book.put('J1', [['beside']]));
    const upsert = (...records: readonly object[]) =>
      ok(book.post('/records/upsert', { range: 'A:H', key: ['Number'], records }));
    await upsert({ Number: 'A-1001', Status: 'sent' }, { Number: 'B-1', Status: 'new' }, { Number: 'B-2' });
    await upsert({ Number: 'A-1001', Status: 'paid' }, { Number: 'B-1', Status: 'seen' });
    await ok(book.post('/records/delete', { range: 'A:H', where: { Number: ['B-2', 'A-1005'] } }));
    const bodies = await untilRevision(receiver, Number(await book.revision()));
    assert.deepEqual(inAll(bodies), [
      ['A-1001', 'open', 'paid'],
      ['B-1', null, 'seen'],
      ['A-1005', 'OPEN', null],
    ]);
    const results = [['updated'], ['created'], ['deleted']];
    if (bodies.length === 1)
      assert.deepEqual(
        told(bodies).map((one) => (one as unknown[]).slice(0, 1)),
        results,
      );
    for (const body of bodies) assert.equal(body['truncated'], false);
  });

  /** What was sent until a revision is told of: how many windows that makes is the machine's affair. */
  async function untilRevision(receiver: Receiver, revision: number): Promise<readonly Json[]> {
    for (let count = 1; ; count++) {
      const bodies = (await receiver.take(count)).map(({ body }) => body);
      if (bodies.some((body) => Number(body['revision']['to']) >= revision)) return bodies;
    }
  }

  /** What became of each record over all notifications; without those that came and went. */
  function inAll(bodies: readonly Json[]): readonly (readonly unknown[])[] {
    const records = new Map<unknown, { readonly first: unknown; readonly last: unknown }>();
    for (const [, key, , first, last] of told(bodies) as readonly unknown[][]) {
      records.set(key, { first: records.has(key) ? records.get(key)?.first : first, last });
    }
    const kept = [...records].filter(([, { first, last }]) => first !== null || last !== null);
    return kept.map(([key, { first, last }]) => [key, first, last]);
  }

  test('records of a table, which are all gone with their sheet', async (t) => {
    const book = await writeOrders(await notifying.book());
    await book.addSheet('Other');
    await structure(book, { setTable: { name: 'Orders', range: 'Sheet1!A1:H6' } });
    const receiver = await following(t, book, { range: 'Orders', key: ['Number'] });
    await ok(book.post('/records/append', { range: 'Orders', records: [{ Number: 'B-1' }] }));
    const [first] = await receiver.take(1);
    assert.deepEqual(told([first?.body as Json]), [['created', 'B-1', 7, null, null]]);
    await ok(book.deleteSheet('Sheet1'));
    const [, second] = await receiver.take(2);
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
      const book = await writeOrders(await notifying.book());
      await book.addSheet('Salaries');
      await notifying.protect(book.document, 'Salaries', { hideValues: true });
      const { api } = await notifying.member(book.document, 'edit');
      const answer = await api.post('/webhooks', { url: 'http://127.0.0.1:9/', ...watch });
      assert.equal(answer.status, status);
      if (field !== null) assert.deepEqual(Object.keys(answer.body['errors'] as object), [field]);
    });
  }

  test('records of a sheet that is hidden from its creator by now are not told', async (t) => {
    const book = await writeOrders(await notifying.book());
    const { api } = await notifying.member(book.document, 'edit');
    const watch = { url: 'http://127.0.0.1:9/', range: 'A:H', key: ['Number'] };
    const { webhook } = (await api.post('/webhooks', watch)).body;
    const receiver = await following(t, book, { range: 'A:H', key: ['Number'] });
    await notifying.protect(book.document, 'Sheet1', { hideValues: true });
    await ok(book.put('H2', [['secret']]));
    // Deliveries of one window are stored together.
    await receiver.take(1);
    assert.equal((await deliveries({ book }, Number(webhook?.['id'])))['total'], 0);
  });
});

test('a subscription to everything hears of rows that are inserted', async (t) => {
  const notifying = await startWorld({ notifications: QUICK });
  t.after(() => notifying.close());
  const book = await writeOrders(await notifying.book());
  const { receiver } = await subscribe(t, notifying, book);
  await structure(book, { insertRows: { sheet: 'Sheet1', before: 2, count: 1 } });
  const [request] = await receiver.take(1);
  assert.deepEqual(request?.body['structure'], [{ insertRows: { sheet: 'Sheet1', before: 2, count: 1 } }]);
  assert.equal(request?.body['cellCount'], 0);
});
