import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { query, rowsOf, withOrders } from './records-support.ts';
import { type Answer, type Api, type Json, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const orders = async (): Promise<Api> => withOrders(await world.book());

function change(book: Api, kind: string, body: object, dryRun = false): Promise<Answer> {
  return book.post(`/records/${kind}${dryRun ? '?dryRun=true' : ''}`, { range: 'A:H', ...body });
}

async function done(answer: Promise<Answer>, name: string): Promise<Json> {
  const { status, body } = await answer;
  assert.equal(status, 200, JSON.stringify(body));
  return body[name];
}

/** Raw values of a range. */
async function values(book: Api, range: string): Promise<unknown> {
  const rows = (await book.cells(range)) as unknown as readonly (readonly ({ v: unknown } | null)[])[];
  return rows.map((row) => row.map((cell) => cell?.v ?? null));
}

/** The range of the newest entry of the change log. */
async function auditedRange(book: Api): Promise<unknown> {
  return (await book.audit())['entries'][0]['properties']['range'];
}

describe('records that are appended', () => {
  it('are within the range that the change log names', async () => {
    const book = await orders();
    await change(book, 'append', { records: [{ Number: 'x' }, { Number: 'y' }] });
    assert.equal(await auditedRange(book), 'Sheet1!A1:H8');
    await change(book, 'upsert', { key: ['Number'], records: [{ Number: 'y', Sum: 1 }, { Number: 'z' }] });
    assert.equal(await auditedRange(book), 'Sheet1!A1:H9');
    await book.post('/structure', { operations: [{ setTable: { name: 'Orders', range: 'A1:H9' } }] });
    const inTable = { range: 'Orders', records: [{ Number: 'v' }, { Number: 'w' }] };
    assert.equal((await book.post('/records/append', inTable)).status, 200);
    assert.equal(await auditedRange(book), 'Sheet1!A1:H11');
  });

  it('go below the last filled row of the range, typed and never guessed', async () => {
    const book = await orders();
    await book.put('J20', [['beside']]);
    const records = [
      { number: '00501', Date: '2026-04-01', Sum: 12.5, Open: true, Status: '=1+1' },
      { Number: { value: '123456789012345678', as: 'text' }, Sum: { error: '#N/A' }, Status: null },
    ];
    const appended = await done(change(book, 'append', { records }), 'appended');
    assert.deepEqual(appended, {
      sheet: 'Sheet1',
      created: 2,
      cells: 7,
      records: [
        { row: 7, result: 'created' },
        { row: 8, result: 'created' },
      ],
      revisionId: await book.revision(),
    });
    const cells = await book.cells('A7:H8');
    assert.deepEqual(cells[0][0], { v: '00501', m: '00501' });
    assert.deepEqual([cells[0][3]['t'], cells[0][3]['m']], ['d', '4/1/2026']);
    assert.deepEqual([cells[0][4]['v'], cells[0][6]['v'], cells[0][7]['v']], [12.5, true, '=1+1']);
    assert.deepEqual([cells[1][0]['v'], cells[1][4]['v'], cells[1][7]], ['123456789012345678', '#N/A', null]);
  });

  it('get the formulas of the row above where they leave a column out', async () => {
    const book = await withOrders(await world.book(), [
      ['Item', 'Price', 'Count', 'Total'],
      ['a', 2, 3, '=B2*C2'],
    ]);
    const records = [
      { Item: 'b', Price: 4, Count: 5 },
      { Item: 'c', Total: 9 },
      { Item: 'd', Count: 1 },
    ];
    const appended = await done(change(book, 'append', { range: 'A:D', records, fillFormulas: true }), 'appended');
    assert.equal(appended['cells'], 9);
    assert.deepEqual(await values(book, 'D2:D5'), [[6], [20], [9], [0]]);
    await done(change(book, 'append', { range: 'A:D', records: [{ Item: 'e' }] }), 'appended');
    assert.deepEqual(await values(book, 'D6'), [[null]]);
  });

  it('grow a table, above its totals and what stands below it', async () => {
    const book = await withOrders(await world.book(), [
      ['Item', 'Count'],
      ['a', 1],
      ['', ''],
      ['note', '=SUM(Items[Count])'],
    ]);
    await book.post('/structure', { operations: [{ setTable: { name: 'Items', range: 'A1:B2' } }] });
    const records = [
      { Item: 'b', Count: 2 },
      { Item: 'c', Count: 3 },
      { Item: 'd', Count: 4 },
    ];
    const appended = await done(change(book, 'append', { range: 'Items', records }), 'appended');
    assert.deepEqual(appended['records'][0], { row: 3, result: 'created' });
    assert.deepEqual(await values(book, 'A3:B7'), [
      ['b', 2],
      ['c', 3],
      ['d', 4],
      [null, null],
      ['note', 10],
    ]);
    assert.deepEqual(rowsOf(await query(book, { range: 'Items' })), [2, 3, 4, 5]);
    const deleted = await done(change(book, 'delete', { range: 'Items', where: { Count: { gt: 2 } } }), 'deleted');
    assert.equal(deleted['deleted'], 2);
    assert.deepEqual(await values(book, 'A2:B5'), [
      ['a', 1],
      ['b', 2],
      [null, null],
      ['note', 3],
    ]);
  });

  const REFUSED: readonly (readonly [record: object, field: string])[] = [
    [{ Colour: 1 }, 'records.1.Colour'],
    [{ Sum: 'x' }, 'records.1.Sum'],
    [{ Date: '1.2.2026' }, 'records.1.Date'],
    [{ Number: { value: 1 } }, 'records.1.Number'],
    [{ Number: { value: '1+1', as: 'formula' } }, 'records.1.Number'],
    [{ Number: [1] }, 'records.1.Number'],
    [{ Number: 'a', ' number': 'b' }, 'records.1. number'],
    [{ Number: null }, 'records.1'],
    [{}, 'records.1'],
  ];
  for (const [record, field] of REFUSED) {
    it(`are refused with ${JSON.stringify(record)}, all of them`, async () => {
      const book = await orders();
      const revision = await book.revision();
      const body = { records: [{ Number: 'x' }, record], types: { Sum: 'number', Date: 'date' } };
      const answer = await change(book, 'append', body);
      assert.deepEqual([answer.status, Object.keys(answer.body['errors'] ?? {})], [422, [field]]);
      assert.equal(await book.revision(), revision);
    });
  }
});

describe('records that are upserted', () => {
  it('are updated where their key is there, appended where it is not, and left alone where nothing changes', async () => {
    const book = await orders();
    const records = [
      { Number: 'a-1001', Sum: 861, Status: 'open' },
      { Number: 'A-1002', Sum: 120, Date: '2026-03-05' },
      { Number: 'A-1003', Customer: '', Open: null },
      { Number: 'A-2000', Sum: 1 },
    ];
    const upserted = await done(change(book, 'upsert', { key: ['Number'], records }), 'upserted');
    assert.deepEqual(upserted, {
      sheet: 'Sheet1',
      created: 1,
      updated: 2,
      unchanged: 1,
      skipped: 0,
      cells: 5,
      records: [
        { row: 2, result: 'updated' },
        { row: 3, result: 'unchanged' },
        { row: 4, result: 'updated' },
        { row: 7, result: 'created' },
      ],
      revisionId: await book.revision(),
    });
    assert.deepEqual(await values(book, 'A2:E2'), [['A-1001', 'Nordwind', 'Riga', 46082, 861]]);
    assert.deepEqual(await values(book, 'B4'), [[null]]);
    const again = await done(change(book, 'upsert', { key: ['Number'], records }), 'upserted');
    assert.deepEqual([again['unchanged'], again['cells']], [4, 0]);
  });

  it('keep formulas whose results they repeat', async () => {
    const book = await withOrders(await world.book(), [
      ['Item', 'Double'],
      ['a', '=2*3'],
    ]);
    const records = [{ Item: 'a', Double: 6 }];
    const upserted = await done(change(book, 'upsert', { range: 'A:B', key: ['Item'], records }), 'upserted');
    assert.equal(upserted['unchanged'], 1);
    assert.equal((await book.cell('B2'))['f'], '=2*3');
  });

  const HOW: readonly (readonly [how: object, results: unknown])[] = [
    [
      { onMatch: 'skip' },
      [
        { row: 2, result: 'skipped' },
        { row: 7, result: 'created' },
      ],
    ],
    [
      { onMissing: 'skip' },
      [
        { row: 2, result: 'updated' },
        { row: null, result: 'skipped' },
      ],
    ],
    [{ onMatch: 'error' }, 'records.0'],
    [{ onMissing: 'error' }, 'records.1'],
  ];
  for (const [how, results] of HOW) {
    it(`do what ${JSON.stringify(how)} says`, async () => {
      const book = await orders();
      const records = [
        { Number: 'A-1001', Sum: 1 },
        { Number: 'A-9', Sum: 2 },
      ];
      const { body } = await change(book, 'upsert', { key: ['Number'], records, ...how });
      if (typeof results === 'string') assert.deepEqual(Object.keys(body['errors']), [results]);
      else assert.deepEqual(body['upserted']['records'], results);
    });
  }

  it('find a key of several columns, and several rows of one key', async () => {
    const book = await orders();
    const records = [{ City: 'RIGA', Status: 'Open', Paid: 5 }];
    const asked = { key: ['City', 'Status'], records };
    const refused = await change(book, 'upsert', asked);
    assert.deepEqual([refused.status, Object.keys(refused.body['errors'])], [422, ['records.0']]);
    const first = await done(change(book, 'upsert', { ...asked, onMany: 'first' }), 'upserted');
    assert.deepEqual(first['records'], [{ row: 2, result: 'updated' }]);
    const all = await done(change(book, 'upsert', { ...asked, onMany: 'all' }), 'upserted');
    assert.deepEqual(all['records'], [{ row: 2, rows: [2, 6], result: 'updated' }]);
    const exact = {
      key: ['City', 'Status'],
      records: [{ City: 'riga', Status: 'OPEN', Paid: 6 }],
      caseSensitive: true,
    };
    assert.deepEqual((await done(change(book, 'upsert', exact), 'upserted'))['records'], [
      { row: 6, result: 'updated' },
    ]);
  });

  it('tell keys of several columns apart whatever their texts hold', async () => {
    const book = await world.book();
    await book.put('A1', [
      ['First', 'Second', 'Sum'],
      ['a', 'b\u0000tc', 1],
    ]);
    const records = [{ First: 'a\u0000tb', Second: 'c', Sum: 2 }];
    const upserted = await done(
      change(book, 'upsert', { range: 'A:C', key: ['First', 'Second'], records }),
      'upserted',
    );
    assert.deepEqual(upserted['records'], [{ row: 3, result: 'created' }]);
  });

  it('are found again where the range ends above where they were appended', async () => {
    const book = await world.book();
    await book.put('A1', [['Item', 'Sum']]);
    for (const [range, Sum] of [
      ['A1:B1', 1],
      ['A1:B1', 2],
      ['A1:B2', 3],
    ] as const) {
      await done(change(book, 'upsert', { range, key: ['Item'], records: [{ Item: 'a', Sum }] }), 'upserted');
    }
    assert.deepEqual(await values(book, 'A1:B3'), [
      ['Item', 'Sum'],
      ['a', 3],
      [null, null],
    ]);
    const kept = { range: 'A1:B1', key: ['Item'], onMissing: 'skip', records: [{ Item: 'a', Sum: 4 }] };
    assert.deepEqual((await done(change(book, 'upsert', kept), 'upserted'))['records'], [
      { row: null, result: 'skipped' },
    ]);
  });

  it('are refused with a key twice, without one, and with an unknown one', async () => {
    const book = await orders();
    const refused = async (body: object) => Object.keys((await change(book, 'upsert', body)).body['errors'] ?? {});
    const twice = [{ Number: 'x' }, { Number: 'y' }, { Number: 'X' }];
    assert.deepEqual(await refused({ key: ['Number'], records: twice }), ['records.2']);
    assert.deepEqual(await refused({ key: ['Number'], records: [{ Sum: 1 }] }), ['records.0.Number']);
    assert.deepEqual(await refused({ key: ['Number'], records: [{ Number: '' }] }), ['records.0.Number']);
    assert.deepEqual(await refused({ key: ['Colour'], records: [{ Number: 'x' }] }), ['key']);
    assert.deepEqual(await refused({ key: [], records: [{ Number: 'x' }] }), ['key']);
    assert.deepEqual(await refused({ key: ['Number'], records: [] }), ['records']);
  });

  it('compare keys after typing', async () => {
    const book = await withOrders(await world.book(), [
      ['Number', 'Day', 'Sum'],
      [501, '2026-03-01', 1],
    ]);
    const upsert = async (body: object) =>
      (await change(book, 'upsert', { range: 'A:C', ...body })).body['upserted']['records'];
    assert.deepEqual(await upsert({ key: ['Day'], records: [{ Day: '2026-03-01', Sum: 3 }] }), [
      { row: 2, result: 'updated' },
    ]);
    const typed = { key: ['Number'], types: { Number: 'text' }, records: [{ Number: '501', Sum: 2 }] };
    assert.deepEqual(await upsert(typed), [{ row: 3, result: 'created' }]);
    assert.deepEqual(await upsert({ ...typed, types: { Number: 'number' } }), [{ row: 2, result: 'updated' }]);
  });
});

/** Filters that hold for every record, whatever the records are, or name no condition. */
const VACUOUS: readonly object[] = [
  {},
  { any: [{}] },
  { any: [{ City: 'Riga' }, {}] },
  { any: [] },
  { none: [] },
  { where: {}, any: [{}], none: [] },
  { where: { City: { nin: [] } } },
  { any: [{ City: { nin: [] } }] },
  { none: [{ City: [] }] },
  { none: [{ City: { in: [] }, Status: 'paid' }] },
  { any: [{ City: { empty: true } }, { City: { empty: false } }] },
  { any: [{ City: 'Riga' }, { city: { ne: 'Riga' } }] },
  { any: [{ City: { ne: 'Riga' } }, { City: { ne: 'Oslo' } }] },
  { formula: '=TRUE' },
  { formula: '=1=1' },
  { formula: '=OR(TRUE();FALSE)' },
  { formula: '=LEN("x")>0' },
];
/** Filters that look alike, and can tell records apart. */
const TELLING: readonly object[] = [
  { any: [{ City: 'Riga' }] },
  { any: [{ City: 'Riga' }, { City: { ne: 'Oslo' } }] },
  { any: [{ City: { ne: 'Riga' } }, { Status: { ne: 'paid' } }] },
  { any: [{ City: { ne: 'Riga' } }, { City: { ne: 'riga' } }] },
  { none: [{}] },
  { where: { City: [] } },
  { where: { City: { contains: '' } } },
  { formula: '=[Sum]>0' },
  { formula: '=ROW()>1' },
  { formula: '=RAND()<2' },
  { formula: '=Sheet1!$A$1<>""' },
];

describe('records that are updated or deleted by a filter', () => {
  it('hold what is set, where it is another value', async () => {
    const book = await orders();
    const updated = await done(
      change(book, 'update', { where: { City: 'Riga' }, formula: '=[Sum]>100', set: { Status: 'paid', Paid: 120 } }),
      'updated',
    );
    assert.deepEqual(updated, {
      sheet: 'Sheet1',
      updated: 1,
      unchanged: 1,
      cells: 2,
      records: [
        { row: 2, result: 'updated' },
        { row: 3, result: 'unchanged' },
      ],
      revisionId: await book.revision(),
    });
    assert.deepEqual(await values(book, 'F2:H2'), [[120, true, 'paid']]);
  });

  it('keep what stands between the fields that are set, in whichever order these come', async () => {
    const book = await withOrders(await world.book(), [
      ['Item', 'Price', 'Count', 'Note'],
      ['a', 2, 3, 'x'],
      ['b', 4, 5, 'y'],
    ]);
    const set = { Note: 'z', Price: 7 };
    assert.equal((await done(change(book, 'update', { range: 'A:D', all: true, set }), 'updated'))['cells'], 4);
    assert.deepEqual(await values(book, 'A2:D3'), [
      ['a', 7, 3, 'z'],
      ['b', 7, 5, 'z'],
    ]);
  });

  it('are gone, with what is below moved up in their columns alone and references following', async () => {
    const book = await orders();
    await book.put('J1:K6', [['x', '=A6'], ['y'], ['z'], ['beside', '=SUM(E2:E6)']]);
    const deleted = await done(change(book, 'delete', { any: [{ Number: 'A-1002' }, { Sum: 400 }] }), 'deleted');
    assert.deepEqual(deleted, {
      sheet: 'Sheet1',
      deleted: 2,
      records: [
        { row: 3, result: 'deleted' },
        { row: 5, result: 'deleted' },
      ],
      revisionId: await book.revision(),
    });
    assert.deepEqual(await values(book, 'A1:A6'), [['Number'], ['A-1001'], ['A-1003'], ['A-1005'], [null], [null]]);
    assert.deepEqual(
      [(await book.cell('J4'))['v'], (await book.cell('K1'))['f'], (await book.cell('K4'))['f']],
      ['beside', '=A4', '=SUM(E2:E4)'],
    );
  });

  it('need a filter, or all', async () => {
    const book = await orders();
    for (const kind of ['update', 'delete']) {
      const set = kind === 'update' ? { set: { Paid: 0 } } : {};
      const refused = await change(book, kind, { ...set, where: {} });
      assert.deepEqual([refused.status, Object.keys(refused.body['errors'])], [422, ['where']]);
      for (const filter of VACUOUS) {
        const { status, body } = await change(book, kind, { ...set, ...filter, dryRun: true });
        assert.deepEqual([status, Object.keys(body['errors'] ?? {})], [422, ['where']], JSON.stringify(filter));
        const meant = await change(book, kind, { ...set, ...filter, dryRun: true, all: true });
        assert.equal(meant.status, 200, JSON.stringify(meant.body));
      }
      for (const filter of TELLING) {
        const { status, body } = await change(book, kind, { ...set, ...filter, dryRun: true });
        assert.equal(status, 200, `${JSON.stringify(filter)}: ${JSON.stringify(body)}`);
      }
      assert.equal((await change(book, kind, { ...set, all: true })).status, 200);
    }
    assert.deepEqual(rowsOf(await query(book, {})), []);
    const unknown = await change(book, 'update', { all: true, set: { Colour: 1 } });
    assert.deepEqual(Object.keys(unknown.body['errors']), ['set.Colour']);
  });
});

describe('a change of records', () => {
  it('is only told by a dry run', async () => {
    const book = await orders();
    await book.put('J1', [['=SUM(E:E)']]);
    const revision = await book.revision();
    const records = [{ Number: 'A-1001', Sum: 1 }];
    const { body } = await change(book, 'upsert', { key: ['Number'], records }, true);
    assert.deepEqual(body, {
      upserted: {
        sheet: 'Sheet1',
        created: 0,
        updated: 1,
        unchanged: 0,
        skipped: 0,
        cells: 1,
        records: [{ row: 2, result: 'updated' }],
        revisionId: revision,
      },
      dryRun: true,
      changes: [
        { cell: 'Sheet1!E2', before: 860, after: 1 },
        { cell: 'Sheet1!J1', before: 1479.5, after: 620.5, derived: true },
      ],
    });
    assert.equal(await book.revision(), revision);
  });

  it('tells in a dry run of a deletion the cells that it takes away, and what depends on them', async () => {
    const book = await orders();
    await book.put('J1', [['=SUM(E2:E6)']]);
    const before = (await query(book, {})).body['records'];
    const { status, body } = await change(book, 'delete', { where: { Number: ['A-1002', 'A-1005'] } }, true);
    assert.equal(status, 200);
    const gone = (row: number, held: Readonly<Record<string, unknown>>) =>
      Object.entries(held).map(([column, value]) => ({
        cell: `Sheet1!${column}${row}`,
        before: value,
        after: null,
        deleted: true,
      }));
    const changes = body['changes'] as unknown as readonly { readonly deleted?: boolean; readonly derived?: boolean }[];
    assert.deepEqual(
      new Set(changes.filter(({ deleted }) => deleted)),
      new Set([
        ...gone(3, { A: 'A-1002', B: 'Baltika', C: 'Riga', D: '2026-03-05', E: 120, F: 120, G: false, H: 'paid' }),
        ...gone(6, { A: 'A-1005', B: 'Sudwest', C: 'riga', D: '2026-03-20', F: 10, G: false, H: 'OPEN' }),
      ]),
    );
    assert.deepEqual(
      changes.filter(({ deleted }) => !deleted),
      [{ cell: 'Sheet1!J1', before: 1479.5, after: 1359.5, derived: true }],
    );
    assert.deepEqual((await query(book, {})).body['records'], before);
  });

  it('makes one row of a key that many upsert at once', async () => {
    const book = await orders();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        change(book, 'upsert', { key: ['Number'], records: [{ Number: 'A-7', Sum: i }] }),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(answers.filter(({ body }) => (body['upserted']['created'] as unknown) === 1).length, 1);
    assert.deepEqual(rowsOf(await query(book, { where: { Number: 'A-7' } })), [7]);
  });

  it('loses none of the updates of those who say what they have seen', async () => {
    const book = await orders();
    const add = async (): Promise<void> => {
      for (;;) {
        const tag = (await book.here('GET', '')).headers.get('etag') ?? '';
        const sum = (await query(book, { where: { Number: 'A-1001' } })).body['records'][0]['fields']['Sum'];
        const body = { range: 'A:H', key: ['Number'], records: [{ Number: 'A-1001', Sum: Number(sum) + 1 }] };
        const { status } = await book.here('POST', '/records/upsert', { body, headers: { 'if-match': tag } });
        if (status === 200) return;
        assert.equal(status, 412);
      }
    };
    await Promise.all(Array.from({ length: 12 }, add));
    assert.equal((await book.cell('E2'))['v'], 872);
  });

  it('is written once under a key, recorded, and refused by the rights of values', async () => {
    const book = await orders();
    const body = { range: 'A:H', records: [{ Number: 'once' }] };
    const first = await book.post('/records/append', body, 'k1');
    const second = await book.post('/records/append', body, 'k1');
    assert.equal(second.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(second.body, first.body);
    await change(book, 'upsert', { key: ['Number'], records: [{ Number: 'once', Sum: 1 }] });
    await change(book, 'update', { where: { Number: 'once' }, set: { Sum: 2 } });
    await change(book, 'delete', { where: { Number: 'once' } });
    const { entries } = (await book.audit()) as unknown as { entries: { action: string }[] };
    const actions = entries.slice(0, 4).map(({ action }) => action);
    assert.deepEqual(actions, ['records.delete', 'records.update', 'records.upsert', 'records.append']);

    await world.protect(book.document, 'Sheet1', { lock: true });
    const locked = await world.member(book.document, 'edit');
    assert.deepEqual(
      (await change(locked.api, 'append', { records: [{ Number: 'x' }] })).body['message'],
      'Sheet is protected',
    );
    await world.protect(book.document, 'Sheet1', { hideValues: true });
    assert.deepEqual(
      (await change(locked.api, 'append', { records: [{ Number: 'x' }] })).body['message'],
      'Sheet values are hidden',
    );
    const viewer = await world.member(book.document, 'view');
    assert.equal((await change(viewer.api, 'delete', { all: true })).body['message'], 'Insufficient permissions');
    const reader = await world.member(book.document, 'edit', ['sheets.read']);
    assert.deepEqual((await change(reader.api, 'delete', { all: true })).body, { success: false, access: false });
  });

  it('is taken back as one', async () => {
    const book = await orders();
    const before = await values(book, 'A1:H8');
    const { revisionId } = await done(change(book, 'delete', { where: { City: 'Riga' } }), 'deleted');
    assert.equal((await book.undo(String(revisionId))).status, 200);
    assert.deepEqual(await values(book, 'A1:H8'), before);
  });
});
