import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { queryRecords, readRowNumbers, writeOrders } from './records-support.ts';
import { type Api, type ApiResponse, type Json, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const createOrdersBook = async (): Promise<Api> => writeOrders(await world.createBook());

function changeRecords(book: Api, kind: string, body: object, dryRun = false): Promise<ApiResponse> {
  return book.post(`/records/${kind}${dryRun ? '?dryRun=true' : ''}`, { range: 'A:H', ...body });
}

async function expectSuccess(answer: Promise<ApiResponse>, name: string): Promise<Json> {
  const { status, body } = await answer;
  assert.equal(status, 200, JSON.stringify(body));
  return memberAt(body, name);
}

/** Raw values of a range. */
async function readValues(book: Api, range: string): Promise<unknown> {
  const rows = (await book.cells(range)) as unknown as readonly (readonly ({ v: unknown } | null)[])[];
  return rows.map((row) => row.map((cell) => cell?.v ?? null));
}

/** The range of the newest entry of the change log. */
async function readAuditedRange(book: Api): Promise<unknown> {
  return memberAt(await book.listAuditEntries(), 'entries', 0, 'properties')['range'];
}

describe('appended records', () => {
  it('are within the range of their log entry', async () => {
    const book = await createOrdersBook();
    await changeRecords(book, 'append', { records: [{ Number: 'x' }, { Number: 'y' }] });
    assert.equal(await readAuditedRange(book), 'Sheet1!A1:H8');
    await changeRecords(book, 'upsert', { key: ['Number'], records: [{ Number: 'y', Sum: 1 }, { Number: 'z' }] });
    assert.equal(await readAuditedRange(book), 'Sheet1!A1:H9');
    await book.post('/structure', { operations: [{ setTable: { name: 'Orders', range: 'A1:H9' } }] });
    const inTable = { range: 'Orders', records: [{ Number: 'v' }, { Number: 'w' }] };
    assert.equal((await book.post('/records/append', inTable)).status, 200);
    assert.equal(await readAuditedRange(book), 'Sheet1!A1:H11');
  });

  it('are written below the last filled row, with declared types instead of guessed ones', async () => {
    const book = await createOrdersBook();
    await book.put('J20', [['beside']]);
    const records = [
      { number: '00501', Date: '2026-04-01', Sum: 12.5, Open: true, Status: '=1+1' },
      { Number: { value: '123456789012345678', as: 'text' }, Sum: { error: '#N/A' }, Status: null },
    ];
    const appended = await expectSuccess(changeRecords(book, 'append', { records }), 'appended');
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
    assert.deepEqual(memberAt(cells, 0)[0], { v: '00501', m: '00501' });
    assert.deepEqual([memberAt(cells, 0, 3)['t'], memberAt(cells, 0, 3)['m']], ['d', '4/1/2026']);
    assert.deepEqual(
      [memberAt(cells, 0, 4)['v'], memberAt(cells, 0, 6)['v'], memberAt(cells, 0, 7)['v']],
      [12.5, true, '=1+1'],
    );
    assert.deepEqual(
      [memberAt(cells, 1, 0)['v'], memberAt(cells, 1, 4)['v'], memberAt(cells, 1)[7]],
      ['123456789012345678', '#N/A', null],
    );
  });

  it('copy the formulas of the previous row into omitted columns on request', async () => {
    const book = await writeOrders(await world.createBook(), [
      ['Item', 'Price', 'Count', 'Total'],
      ['a', 2, 3, '=B2*C2'],
    ]);
    const records = [
      { Item: 'b', Price: 4, Count: 5 },
      { Item: 'c', Total: 9 },
      { Item: 'd', Count: 1 },
    ];
    const appended = await expectSuccess(
      changeRecords(book, 'append', { range: 'A:D', records, fillFormulas: true }),
      'appended',
    );
    assert.equal(appended['cells'], 9);
    assert.deepEqual(await readValues(book, 'D2:D5'), [[6], [20], [9], [0]]);
    await expectSuccess(changeRecords(book, 'append', { range: 'A:D', records: [{ Item: 'e' }] }), 'appended');
    assert.deepEqual(await readValues(book, 'D6'), [[null]]);
  });

  it('extend a table above its totals row and the cells below', async () => {
    const book = await writeOrders(await world.createBook(), [
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
    const appended = await expectSuccess(changeRecords(book, 'append', { range: 'Items', records }), 'appended');
    assert.deepEqual(memberAt(appended, 'records')[0], { row: 3, result: 'created' });
    assert.deepEqual(await readValues(book, 'A3:B7'), [
      ['b', 2],
      ['c', 3],
      ['d', 4],
      [null, null],
      ['note', 10],
    ]);
    assert.deepEqual(readRowNumbers(await queryRecords(book, { range: 'Items' })), [2, 3, 4, 5]);
    const deleted = await expectSuccess(
      changeRecords(book, 'delete', { range: 'Items', where: { Count: { gt: 2 } } }),
      'deleted',
    );
    assert.equal(deleted['deleted'], 2);
    assert.deepEqual(await readValues(book, 'A2:B5'), [
      ['a', 1],
      ['b', 2],
      [null, null],
      ['note', 3],
    ]);
  });

  const INVALID_RECORDS: readonly (readonly [record: object, field: string])[] = [
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
  for (const [record, field] of INVALID_RECORDS) {
    it(`are all refused if one is ${JSON.stringify(record)}`, async () => {
      const book = await createOrdersBook();
      const revision = await book.revision();
      const body = { records: [{ Number: 'x' }, record], types: { Sum: 'number', Date: 'date' } };
      const answer = await changeRecords(book, 'append', body);
      assert.deepEqual([answer.status, Object.keys(answer.body['errors'] ?? {})], [422, [field]]);
      assert.equal(await book.revision(), revision);
    });
  }
});

describe('upserted records', () => {
  it('are updated, appended, or unchanged, depending on their keys', async () => {
    const book = await createOrdersBook();
    const records = [
      { Number: 'a-1001', Sum: 861, Status: 'open' },
      { Number: 'A-1002', Sum: 120, Date: '2026-03-05' },
      { Number: 'A-1003', Customer: '', Open: null },
      { Number: 'A-2000', Sum: 1 },
    ];
    const upserted = await expectSuccess(changeRecords(book, 'upsert', { key: ['Number'], records }), 'upserted');
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
    assert.deepEqual(await readValues(book, 'A2:E2'), [['A-1001', 'Nordwind', 'Riga', 46082, 861]]);
    assert.deepEqual(await readValues(book, 'B4'), [[null]]);
    const again = await expectSuccess(changeRecords(book, 'upsert', { key: ['Number'], records }), 'upserted');
    assert.deepEqual([again['unchanged'], again['cells']], [4, 0]);
  });

  it('keep formulas whose results they repeat', async () => {
    const book = await writeOrders(await world.createBook(), [
      ['Item', 'Double'],
      ['a', '=2*3'],
    ]);
    const records = [{ Item: 'a', Double: 6 }];
    const upserted = await expectSuccess(
      changeRecords(book, 'upsert', { range: 'A:B', key: ['Item'], records }),
      'upserted',
    );
    assert.equal(upserted['unchanged'], 1);
    assert.equal((await book.cell('B2'))['f'], '=2*3');
  });

  const UPSERT_OPTIONS: readonly (readonly [options: object, results: unknown])[] = [
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
  for (const [options, results] of UPSERT_OPTIONS) {
    it(`follow the options ${JSON.stringify(options)}`, async () => {
      const book = await createOrdersBook();
      const records = [
        { Number: 'A-1001', Sum: 1 },
        { Number: 'A-9', Sum: 2 },
      ];
      const { body } = await changeRecords(book, 'upsert', { key: ['Number'], records, ...options });
      if (typeof results === 'string') assert.deepEqual(Object.keys(memberAt(body, 'errors')), [results]);
      else assert.deepEqual(memberAt(body, 'upserted')['records'], results);
    });
  }

  it('match keys of several columns, and several rows with one key', async () => {
    const book = await createOrdersBook();
    const records = [{ City: 'RIGA', Status: 'Open', Paid: 5 }];
    const upsertBody = { key: ['City', 'Status'], records };
    const refused = await changeRecords(book, 'upsert', upsertBody);
    assert.deepEqual([refused.status, Object.keys(memberAt(refused.body, 'errors'))], [422, ['records.0']]);
    const first = await expectSuccess(changeRecords(book, 'upsert', { ...upsertBody, onMany: 'first' }), 'upserted');
    assert.deepEqual(first['records'], [{ row: 2, result: 'updated' }]);
    const all = await expectSuccess(changeRecords(book, 'upsert', { ...upsertBody, onMany: 'all' }), 'upserted');
    assert.deepEqual(all['records'], [{ row: 2, rows: [2, 6], result: 'updated' }]);
    const exact = {
      key: ['City', 'Status'],
      records: [{ City: 'riga', Status: 'OPEN', Paid: 6 }],
      caseSensitive: true,
    };
    assert.deepEqual((await expectSuccess(changeRecords(book, 'upsert', exact), 'upserted'))['records'], [
      { row: 6, result: 'updated' },
    ]);
  });

  it('distinguish keys of several columns with any texts', async () => {
    const book = await world.createBook();
    await book.put('A1', [
      ['First', 'Second', 'Sum'],
      ['a', 'b\u0000tc', 1],
    ]);
    const records = [{ First: 'a\u0000tb', Second: 'c', Sum: 2 }];
    const upserted = await expectSuccess(
      changeRecords(book, 'upsert', { range: 'A:C', key: ['First', 'Second'], records }),
      'upserted',
    );
    assert.deepEqual(upserted['records'], [{ row: 3, result: 'created' }]);
  });

  it('are found again if the range ends above them', async () => {
    const book = await world.createBook();
    await book.put('A1', [['Item', 'Sum']]);
    for (const [range, Sum] of [
      ['A1:B1', 1],
      ['A1:B1', 2],
      ['A1:B2', 3],
    ] as const) {
      await expectSuccess(
        changeRecords(book, 'upsert', { range, key: ['Item'], records: [{ Item: 'a', Sum }] }),
        'upserted',
      );
    }
    assert.deepEqual(await readValues(book, 'A1:B3'), [
      ['Item', 'Sum'],
      ['a', 3],
      [null, null],
    ]);
    const skipRequest = { range: 'A1:B1', key: ['Item'], onMissing: 'skip', records: [{ Item: 'a', Sum: 4 }] };
    assert.deepEqual((await expectSuccess(changeRecords(book, 'upsert', skipRequest), 'upserted'))['records'], [
      { row: null, result: 'skipped' },
    ]);
  });

  it('are refused for a duplicate key, a missing key value and an unknown key column', async () => {
    const book = await createOrdersBook();
    const sendRefused = async (body: object) =>
      Object.keys((await changeRecords(book, 'upsert', body)).body['errors'] ?? {});
    const duplicateKeys = [{ Number: 'x' }, { Number: 'y' }, { Number: 'X' }];
    assert.deepEqual(await sendRefused({ key: ['Number'], records: duplicateKeys }), ['records.2']);
    assert.deepEqual(await sendRefused({ key: ['Number'], records: [{ Sum: 1 }] }), ['records.0.Number']);
    assert.deepEqual(await sendRefused({ key: ['Number'], records: [{ Number: '' }] }), ['records.0.Number']);
    assert.deepEqual(await sendRefused({ key: ['Colour'], records: [{ Number: 'x' }] }), ['key']);
    assert.deepEqual(await sendRefused({ key: [], records: [{ Number: 'x' }] }), ['key']);
    assert.deepEqual(await sendRefused({ key: ['Number'], records: [] }), ['records']);
  });

  it('compare keys after conversion to the declared types', async () => {
    const book = await writeOrders(await world.createBook(), [
      ['Number', 'Day', 'Sum'],
      [501, '2026-03-01', 1],
    ]);
    const upsert = async (body: object) =>
      memberAt((await changeRecords(book, 'upsert', { range: 'A:C', ...body })).body, 'upserted')['records'];
    assert.deepEqual(await upsert({ key: ['Day'], records: [{ Day: '2026-03-01', Sum: 3 }] }), [
      { row: 2, result: 'updated' },
    ]);
    const typedUpsert = { key: ['Number'], types: { Number: 'text' }, records: [{ Number: '501', Sum: 2 }] };
    assert.deepEqual(await upsert(typedUpsert), [{ row: 3, result: 'created' }]);
    assert.deepEqual(await upsert({ ...typedUpsert, types: { Number: 'number' } }), [{ row: 2, result: 'updated' }]);
  });
});

/** Filters that match every record, or name no condition. */
const UNCONDITIONAL_FILTERS: readonly object[] = [
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
/** Similar filters that can exclude records. */
const SELECTIVE_FILTERS: readonly object[] = [
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

describe('records updated or deleted by a filter', () => {
  it('get the new values and count unchanged ones separately', async () => {
    const book = await createOrdersBook();
    const updated = await expectSuccess(
      changeRecords(book, 'update', {
        where: { City: 'Riga' },
        formula: '=[Sum]>100',
        set: { Status: 'paid', Paid: 120 },
      }),
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
    assert.deepEqual(await readValues(book, 'F2:H2'), [[120, true, 'paid']]);
  });

  it('keep the fields between the updated ones, in any order of fields', async () => {
    const book = await writeOrders(await world.createBook(), [
      ['Item', 'Price', 'Count', 'Note'],
      ['a', 2, 3, 'x'],
      ['b', 4, 5, 'y'],
    ]);
    const set = { Note: 'z', Price: 7 };
    assert.equal(
      (await expectSuccess(changeRecords(book, 'update', { range: 'A:D', all: true, set }), 'updated'))['cells'],
      4,
    );
    assert.deepEqual(await readValues(book, 'A2:D3'), [
      ['a', 7, 3, 'z'],
      ['b', 7, 5, 'z'],
    ]);
  });

  it('are removed in the columns of the range only, and references follow', async () => {
    const book = await createOrdersBook();
    await book.put('J1:K6', [['x', '=A6'], ['y'], ['z'], ['beside', '=SUM(E2:E6)']]);
    const deleted = await expectSuccess(
      changeRecords(book, 'delete', { any: [{ Number: 'A-1002' }, { Sum: 400 }] }),
      'deleted',
    );
    assert.deepEqual(deleted, {
      sheet: 'Sheet1',
      deleted: 2,
      records: [
        { row: 3, result: 'deleted' },
        { row: 5, result: 'deleted' },
      ],
      revisionId: await book.revision(),
    });
    assert.deepEqual(await readValues(book, 'A1:A6'), [['Number'], ['A-1001'], ['A-1003'], ['A-1005'], [null], [null]]);
    assert.deepEqual(
      [(await book.cell('J4'))['v'], (await book.cell('K1'))['f'], (await book.cell('K4'))['f']],
      ['beside', '=A4', '=SUM(E2:E4)'],
    );
  });

  it('require a selective filter or the option `all`', async () => {
    const book = await createOrdersBook();
    for (const kind of ['update', 'delete']) {
      const set = kind === 'update' ? { set: { Paid: 0 } } : {};
      const refused = await changeRecords(book, kind, { ...set, where: {} });
      assert.deepEqual([refused.status, Object.keys(memberAt(refused.body, 'errors'))], [422, ['where']]);
      for (const filter of UNCONDITIONAL_FILTERS) {
        const { status, body } = await changeRecords(book, kind, { ...set, ...filter, dryRun: true });
        assert.deepEqual([status, Object.keys(body['errors'] ?? {})], [422, ['where']], JSON.stringify(filter));
        const forced = await changeRecords(book, kind, { ...set, ...filter, dryRun: true, all: true });
        assert.equal(forced.status, 200, JSON.stringify(forced.body));
      }
      for (const filter of SELECTIVE_FILTERS) {
        const { status, body } = await changeRecords(book, kind, { ...set, ...filter, dryRun: true });
        assert.equal(status, 200, `${JSON.stringify(filter)}: ${JSON.stringify(body)}`);
      }
      assert.equal((await changeRecords(book, kind, { ...set, all: true })).status, 200);
    }
    assert.deepEqual(readRowNumbers(await queryRecords(book, {})), []);
    const unknown = await changeRecords(book, 'update', { all: true, set: { Colour: 1 } });
    assert.deepEqual(Object.keys(memberAt(unknown.body, 'errors')), ['set.Colour']);
  });
});

describe('a change of records', () => {
  it('is previewed by a dry run', async () => {
    const book = await createOrdersBook();
    await book.put('J1', [['=SUM(E:E)']]);
    const revision = await book.revision();
    const records = [{ Number: 'A-1001', Sum: 1 }];
    const { body } = await changeRecords(book, 'upsert', { key: ['Number'], records }, true);
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

  it('lists deleted and dependent cells in a dry run of a deletion', async () => {
    const book = await createOrdersBook();
    await book.put('J1', [['=SUM(E2:E6)']]);
    const before = (await queryRecords(book, {})).body['records'];
    const { status, body } = await changeRecords(book, 'delete', { where: { Number: ['A-1002', 'A-1005'] } }, true);
    assert.equal(status, 200);
    const listDeletedCells = (row: number, fields: Readonly<Record<string, unknown>>) =>
      Object.entries(fields).map(([column, value]) => ({
        cell: `Sheet1!${column}${row}`,
        before: value,
        after: null,
        deleted: true,
      }));
    const changes = body['changes'] as unknown as readonly { readonly deleted?: boolean; readonly derived?: boolean }[];
    assert.deepEqual(
      new Set(changes.filter(({ deleted }) => deleted)),
      new Set([
        ...listDeletedCells(3, {
          A: 'A-1002',
          B: 'Baltika',
          C: 'Riga',
          D: '2026-03-05',
          E: 120,
          F: 120,
          G: false,
          H: 'paid',
        }),
        ...listDeletedCells(6, { A: 'A-1005', B: 'Sudwest', C: 'riga', D: '2026-03-20', F: 10, G: false, H: 'OPEN' }),
      ]),
    );
    assert.deepEqual(
      changes.filter(({ deleted }) => !deleted),
      [{ cell: 'Sheet1!J1', before: 1479.5, after: 1359.5, derived: true }],
    );
    assert.deepEqual((await queryRecords(book, {})).body['records'], before);
  });

  it('creates one row for simultaneous upserts of one key', async () => {
    const book = await createOrdersBook();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        changeRecords(book, 'upsert', { key: ['Number'], records: [{ Number: 'A-7', Sum: i }] }),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(answers.filter(({ body }) => (memberAt(body, 'upserted')['created'] as unknown) === 1).length, 1);
    assert.deepEqual(readRowNumbers(await queryRecords(book, { where: { Number: 'A-7' } })), [7]);
  });

  it('loses no update of clients that use If-Match', async () => {
    const book = await createOrdersBook();
    const add = async (): Promise<void> => {
      for (;;) {
        const tag = (await book.requestInDocument('GET', '')).headers.get('etag') ?? '';
        const sum = memberAt((await queryRecords(book, { where: { Number: 'A-1001' } })).body, 'records', 0, 'fields')[
          'Sum'
        ];
        const body = { range: 'A:H', key: ['Number'], records: [{ Number: 'A-1001', Sum: Number(sum) + 1 }] };
        const { status } = await book.requestInDocument('POST', '/records/upsert', {
          body,
          headers: { 'if-match': tag },
        });
        if (status === 200) return;
        assert.equal(status, 412);
      }
    };
    await Promise.all(Array.from({ length: 12 }, add));
    assert.equal((await book.cell('E2'))['v'], 872);
  });

  it('is written once per idempotency key, logged, and checked like cell writes', async () => {
    const book = await createOrdersBook();
    const body = { range: 'A:H', records: [{ Number: 'once' }] };
    const first = await book.post('/records/append', body, 'k1');
    const second = await book.post('/records/append', body, 'k1');
    assert.equal(second.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(second.body, first.body);
    await changeRecords(book, 'upsert', { key: ['Number'], records: [{ Number: 'once', Sum: 1 }] });
    await changeRecords(book, 'update', { where: { Number: 'once' }, set: { Sum: 2 } });
    await changeRecords(book, 'delete', { where: { Number: 'once' } });
    const { entries } = (await book.listAuditEntries()) as unknown as { entries: { action: string }[] };
    const actions = entries.slice(0, 4).map(({ action }) => action);
    assert.deepEqual(actions, ['records.delete', 'records.update', 'records.upsert', 'records.append']);

    await world.protect(book.document, 'Sheet1', { lock: true });
    const locked = await world.addMember(book.document, 'edit');
    assert.deepEqual(
      (await changeRecords(locked.api, 'append', { records: [{ Number: 'x' }] })).body['message'],
      'Sheet is protected',
    );
    await world.protect(book.document, 'Sheet1', { hideValues: true });
    assert.deepEqual(
      (await changeRecords(locked.api, 'append', { records: [{ Number: 'x' }] })).body['message'],
      'Sheet values are hidden',
    );
    const viewer = await world.addMember(book.document, 'view');
    assert.equal(
      (await changeRecords(viewer.api, 'delete', { all: true })).body['message'],
      'Insufficient permissions',
    );
    const reader = await world.addMember(book.document, 'edit', ['sheets.read']);
    assert.deepEqual((await changeRecords(reader.api, 'delete', { all: true })).body, {
      success: false,
      access: false,
    });
  });

  it('is undone as one revision', async () => {
    const book = await createOrdersBook();
    const before = await readValues(book, 'A1:H8');
    const { revisionId } = await expectSuccess(changeRecords(book, 'delete', { where: { City: 'Riga' } }), 'deleted');
    assert.equal((await book.undo(String(revisionId))).status, 200);
    assert.deepEqual(await readValues(book, 'A1:H8'), before);
  });
});
