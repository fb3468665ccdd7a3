import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type CellData, jsonText } from '@cellwire/engine';
import { importBook } from './imported-book.ts';
import { type Api, type ApiResponse, type Json, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

async function createBookWithRows(rows: readonly (readonly unknown[])[], locale = 'en-US'): Promise<Api> {
  const book = await world.createBook({ locale });
  assert.equal((await book.put('A1', rows)).status, 200);
  return book;
}

function post(book: Api, path: string, body: object): Promise<ApiResponse> {
  return book.post(`/records/${path}`, { range: 'A:B', ...body });
}

async function expectSuccess({ status, body }: ApiResponse): Promise<Json> {
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function upsert(book: Api, records: readonly object[], more: object = {}): Promise<Json> {
  return expectSuccess(await post(book, 'upsert', { key: ['Id'], records, ...more }));
}

async function readFields(book: Api, body: object = {}): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { records } = (await expectSuccess(await post(book, 'query', body))) as unknown as {
    records: { fields: Record<string, unknown> }[];
  };
  return records.map((record) => record.fields);
}

/** The type of each cell in a column. */
async function readCellTypes(book: Api, range: string): Promise<unknown> {
  const rows = (await book.cells(range)) as unknown as ({ v: unknown; t?: string } | null)[][];
  return rows.map(([cell]) => (cell === null || cell === undefined ? null : (cell.t ?? typeof cell.v)));
}

const createDates = (count: number): unknown[][] =>
  Array.from({ length: count }, (_, i) => [i + 1, `2026-03-${String((i % 28) + 1).padStart(2, '0')}`]);

describe('a text in a column of dates', () => {
  for (const oddValue of ['TBD', '-', ' ', 0, true, '2026-03-01T10:00:00Z']) {
    it(`does not change the type of the column if it is ${JSON.stringify(oddValue)}`, async () => {
      const book = await createBookWithRows([['Id', 'Due'], ...createDates(20), [21, oddValue]]);
      const answer = await upsert(book, [
        { Id: 1, Due: '2026-04-01' },
        { Id: 21, Due: '2026-04-02' },
        { Id: 22, Due: '2026-04-03T12:30:00' },
      ]);
      assert.equal(answer['warnings'], undefined);
      assert.deepEqual(await readCellTypes(book, 'B22:B23'), ['d', 'd']);
      assert.deepEqual(
        (await readFields(book)).slice(20).map((one) => one['Due']),
        ['2026-04-02', '2026-04-03T12:30:00'],
      );
    });
  }

  it('has the same effect for every batch size of a stream', async () => {
    for (const batch of [1, 3, 100]) {
      const book = await createBookWithRows([['Id', 'Due'], ...createDates(3)]);
      const texts = Array.from({ length: 6 }, (_, i) => ({ Id: 10 + i, Due: i < 5 ? `later ${i}` : '2026-05-01' }));
      const raw = texts.map((one) => JSON.stringify(one)).join('\n');
      const query = `range=A:B&batch=${batch}`;
      const headers = { 'content-type': 'application/x-ndjson' };
      const { status } = await sendStream(book, `/records/append?${query}`, raw, headers);
      assert.equal(status, 200);
      assert.deepEqual(await readCellTypes(book, 'B5:B10'), ['string', 'string', 'string', 'string', 'string', 'd']);
    }
  });

  it('causes a warning with its record and column', async () => {
    const book = await createBookWithRows([
      ['Id', 'Due'],
      [1, 'later'],
      [2, '2026-03-01'],
      [3, 'x'],
      [4, 'y'],
    ]);
    const body = await upsert(book, [
      { Id: 1, Due: 'soon' },
      { Id: 5, Due: '2026-03-02' },
    ]);
    const [warning, other] = body['warnings'] as unknown as { record: number; column: string; message: string }[];
    assert.deepEqual([warning?.record, warning?.column, other], [1, 'Due', undefined]);
    assert.match(warning?.message ?? '', /"Due": "date"/);
    assert.deepEqual(await readCellTypes(book, 'B6'), ['string']);
  });
});

describe('the type of a written field', () => {
  const typeAndWarnings = async (column: readonly unknown[], value: unknown, more: object = {}) => {
    const rows = column.map((one, i) => [i + 1, one]);
    const book = await createBookWithRows([['Id', 'Value'], ...rows]);
    const body = await expectSuccess(await post(book, 'append', { records: [{ Id: 99, Value: value }], ...more }));
    const [type] = (await readCellTypes(book, `B${rows.length + 2}`)) as [string];
    return [type, ((body['warnings'] ?? []) as unknown as unknown[]).length];
  };

  for (const [description, column, value, expected, more] of [
    [
      'half of the cells are dates, the others of two kinds',
      ['2026-03-01', '2026-03-02', 'a', 1],
      '2026-03-03',
      ['d', 0],
    ],
    ['as many are texts as dates', ['2026-03-01', 'a'], '2026-03-03', ['string', 1]],
    ['dates and date-times are one type', ['2026-03-01', '2026-03-01 10:00', 'a'], '2026-03-03', ['d', 0]],
    ['times and durations are one type', ['08:30', '25:30', 'a'], '09:00:00', ['d', 0]],
    ['a date in a column of times', ['08:30'], '2026-03-03', ['string', 0]],
    ['no cell is filled', [], '2026-03-03', ['string', 1]],
    ['no cell is filled, a time', [], '08:30:00', ['string', 1]],
    ['no cell is filled, a number', [], '7', ['string', 0]],
    ['a number in a column of numbers', [1, 2], '7', ['string', 1]],
    ['a code in a column of texts', ['a', 'b'], '7', ['string', 0]],
    ['a boolean in a column of booleans', [true], 'true', ['string', 1]],
    ['a date with a zone in a column of dates', ['2026-03-01'], '2026-03-03T10:00:00Z', ['string', 1]],
    ['a date as people write it', ['2026-03-01'], '03/03/2026', ['string', 1]],
    ['types say a text', ['2026-03-01'], '2026-03-03', ['string', 0], { types: { Value: 'text' } }],
    ['types say a date', [], '2026-03-03', ['d', 0], { types: { Value: 'date' } }],
    ['the value says a text', ['2026-03-01'], { value: '2026-03-03', as: 'text' }, ['string', 0]],
  ] as const) {
    it(`is ${expected[0] === 'd' ? 'a date or time' : 'a text'}, ${expected[1] === 0 ? 'without' : 'with'} a warning: ${description}`, async () => {
      assert.deepEqual(await typeAndWarnings(column, value, more), expected);
    });
  }

  it('follows the number format of the existing cell', async () => {
    const formats = ['yyyy-mm-dd', '@', '0.00', '', 'hh:mm'];
    const cells: CellData[] = [
      { row: 0, column: 0, value: 'Id' },
      { row: 0, column: 1, value: 'Due' },
    ];
    for (const [i, format] of formats.entries()) {
      cells.push({ row: i + 1, column: 0, value: i });
      cells.push({ row: i + 1, column: 1, value: 'x', ...(format === '' ? {} : { format }) });
    }
    const book = await importBook(world, { cells });
    const body = await upsert(
      book,
      formats.map((_, Id) => ({ Id, Due: Id === 4 ? '08:30:00' : '2026-03-26' })),
    );
    assert.deepEqual(await readCellTypes(book, 'B2:B6'), ['d', 'string', 'string', 'string', 'd']);
    assert.deepEqual(memberAt(body, 'upserted')['updated'], 5);
  });

  it('causes warnings in dry runs and updates, once per record and column, at most a hundred', async () => {
    const book = await createBookWithRows([
      ['Id', 'Sum'],
      [1, 10],
      [2, 20],
      [3, 30],
    ]);
    const set = await post(book, 'update', { all: true, set: { Sum: '5' } });
    assert.deepEqual((set.body['warnings'] as unknown as object[]).length, 1);
    const records = Array.from({ length: 101 }, (_, i) => ({ Id: 10 + i, Sum: '7' }));
    const other = await createBookWithRows([
      ['Id', 'Sum'],
      [1, 10],
    ]);
    const preview = await other.post('/records/append?dryRun=true', { range: 'A:B', records });
    const appended = await post(other, 'append', { records });
    for (const { body } of [preview, appended]) {
      assert.deepEqual([(body['warnings'] as unknown as object[]).length, body['warningsTruncated']], [100, true]);
    }
  });

  it('causes warnings in the lines of a stream, with record numbers of the whole stream', async () => {
    const book = await createBookWithRows([
      ['Id', 'Sum'],
      [1, 10],
    ]);
    const raw = Array.from({ length: 150 }, (_, i) => `${JSON.stringify({ Id: 10 + i, Sum: i % 2 ? '7' : 7 })}\n`).join(
      '',
    );
    const headers = { 'content-type': 'application/x-ndjson' };
    const { lines } = await sendStream(book, '/records/append?range=A:B&batch=40', raw, headers);
    const warnings = lines.flatMap((one) => (one['warnings'] ?? []) as unknown as { record: number }[]);
    assert.deepEqual(
      warnings.map(({ record }) => record),
      Array.from({ length: 75 }, (_, i) => 2 * i + 1),
    );
  });
});

describe('times of day and durations', () => {
  const TIMES = [
    ['Id', 'Start'],
    [1, '08:30'],
    [2, '12:00:15'],
    [3, '25:30'],
  ];

  it('have the plain form of their format, independent of the day', async () => {
    const cells: CellData[] = [
      { row: 0, column: 0, value: 'Id' },
      { row: 0, column: 1, value: 'Start' },
    ];
    const values = [8.5 / 24, 0.5 + 15 / 86_400, 25.5 / 24, 17 / 24, -17 / 24];
    const formats = ['hh:mm', 'h:mm AM/PM', 'hh:mm:ss', '[h]:mm:ss', 'mm:ss'];
    for (const [i, value] of values.entries()) {
      cells.push({ row: i + 1, column: 0, value: i });
      cells.push({ row: i + 1, column: 1, value, format: formats[i] ?? '' });
    }
    const book = await importBook(world, { cells, settings: { dateSystem: '1904' } });
    const expectedStarts = ['08:30:00', '12:00:15', '25:30:00', '17:00:00', '-17:00:00'];
    assert.deepEqual(
      (await readFields(book)).map((one) => one['Start']),
      expectedStarts,
    );
    const plain = memberAt((await book.get('B2:B6', { render: 'plain' })).body, 'values')['cells'];
    assert.deepEqual(
      plain,
      expectedStarts.map((one) => [one]),
    );
  });

  it('stay numbers when records are written, with fractions of seconds', async () => {
    const book = await createBookWithRows(TIMES);
    await upsert(book, [
      { Id: 1, Start: '09:15:00' },
      { Id: 2, Start: '-01:00:00' },
      { Id: 4, Start: '00:00:01.5' },
      { Id: 5, Start: '100:00:00' },
    ]);
    const expectedStarts = ['09:15:00', '-01:00:00', '25:30:00', '00:00:01.500', '100:00:00'];
    assert.deepEqual(
      (await readFields(book)).map((one) => one['Start']),
      expectedStarts,
    );
    assert.deepEqual(await readCellTypes(book, 'B2:B6'), ['d', 'd', 'd', 'd', 'd']);
    const [total] = (await book.cells('B2:B2')) as unknown as { v: number }[][];
    assert.equal(total?.[0]?.v, 9.25 / 24);
  });

  it('are reported as column types and accepted as requested types', async () => {
    const book = await createBookWithRows([
      ['Id', 'Start', 'Took'],
      [1, '08:30', '25:00'],
      [2, '09:00', '01:00'],
    ]);
    const { columns } = (await expectSuccess(await book.post('/records/query', { range: 'A:C' }))) as unknown as {
      columns: { type: string }[];
    };
    assert.deepEqual(
      columns.map(({ type }) => type),
      ['number', 'time', 'duration'],
    );
    const empty = await createBookWithRows([['Id', 'Start', 'Took']]);
    const record = { Id: 1, Start: '08:30:00', Took: '00:45:00' };
    const types = { Start: 'time', Took: 'duration' };
    await expectSuccess(await empty.post('/records/append', { range: 'A:C', records: [record], types }));
    const [cells] = (await empty.cells('B2:C2')) as unknown as { m: string }[][];
    assert.deepEqual(
      cells?.map(({ m }) => m),
      ['08:30:00', '0:45:00'],
    );
    const refused = await empty.post('/records/append', { range: 'A:C', records: [{ Id: 2, Start: 'noon' }], types });
    assert.deepEqual([refused.status, Object.keys(refused.body['errors'] as object)], [422, ['records.0.Start']]);
    await expectSuccess(
      await empty.put('E1', [
        [
          { value: '25:30:00', as: 'duration' },
          { value: '08:30:00', as: 'time' },
        ],
      ]),
    );
    assert.deepEqual(memberAt((await empty.get('E1:F1', { render: 'plain' })).body, 'values')['cells'], [
      ['25:30:00', '08:30:00'],
    ]);
  });

  it('work in filters, keys and expectations', async () => {
    const book = await createBookWithRows(TIMES);
    const readIds = async (where: object) => (await readFields(book, { where })).map((one) => one['Id']);
    assert.deepEqual(await readIds({ Start: '08:30:00' }), [1]);
    assert.deepEqual(await readIds({ Start: { in: ['08:30', '25:30:00'] } }), [1, 3]);
    assert.deepEqual(await readIds({ Start: { gte: '12:00:00' } }), [2, 3]);
    assert.deepEqual(await readIds({ Start: { lt: '24:00:00' } }), [1, 2]);
    assert.deepEqual(await readIds({ Start: { gte: '1899-12-30' } }), []);
    const keyed = await expectSuccess(
      await post(book, 'upsert', { key: ['Start'], records: [{ Start: '25:30:00', Id: 9 }] }),
    );
    assert.deepEqual(memberAt(keyed, 'upserted')['records'], [{ row: 4, result: 'updated' }]);
    const expect = [{ range: 'B2:B3', values: [['08:30:00'], ['12:00:15']] }];
    assert.equal((await book.requestInDocument('PUT', '/values/D1', { body: { values: [[1]], expect } })).status, 200);
  });
});

describe('date filters', () => {
  const DUE = [
    ['Id', 'Due'],
    [1, '2026-03-01'],
    [2, "'2026-04-01"],
    [3, 'TBD'],
    [4, 'after summer'],
    [5, '2026-05-01 10:00'],
    [6, '-'],
    [7, "'zzz"],
    [8, 99_999],
    [9, '08:30'],
  ];

  for (const [where, ids, types] of [
    [{ Due: { gte: '2026-03-01' } }, [1, 2, 5]],
    [{ Due: { gt: '2026-03-01' } }, [2, 5]],
    [{ Due: { lt: '2026-05-01' } }, [1, 2]],
    [{ Due: { lte: '2026-05-01T10:00' } }, [1, 2, 5]],
    [{ Due: { gt: '2026-04-30T23:59:59' } }, [5]],
    [{ Due: '2026-04-01' }, [2]],
    [{ Due: { in: ['2026-03-01', 'TBD'] } }, [1, 3]],
    [{ Due: { ne: '2026-03-01' } }, [2, 3, 4, 5, 6, 7, 8, 9]],
    [{ Due: { nin: ['2026-04-01', '2026-03-01T00:00:00'] } }, [3, 4, 5, 6, 7, 8, 9]],
    [{ Due: { gte: 'a' } }, [3, 4, 7]],
    [{ Due: { gte: '2026-04-01' } }, [2, 5, 8], { Due: 'date' }],
    [{ Due: '2026-04-01T00:00' }, [2], { Due: 'date' }],
  ] as const) {
    it(`find ${ids} for ${JSON.stringify([where, types])}`, async () => {
      const book = await createBookWithRows(DUE);
      const records = await readFields(book, { where, ...(types === undefined ? {} : { types }) });
      assert.deepEqual(
        records.map((one) => one['Id']),
        ids,
      );
    });
  }

  it('do not match texts in a deletion', async () => {
    const book = await createBookWithRows(DUE);
    const { deleted } = (await expectSuccess(
      await post(book, 'delete', { where: { Due: { gte: '2026-05-01' } } }),
    )) as unknown as { deleted: { deleted: number } };
    assert.equal(deleted.deleted, 1);
  });
});

describe('record keys', () => {
  const KEYED = [
    ['Id', 'Name'],
    [501, 'a'],
    ["'502", 'b'],
    [-1.5, 'c'],
    ["'0503", 'd'],
  ];

  for (const [key, row] of [
    ['501', 2],
    [502, 3],
    ['502', 3],
    ['-1.5', 4],
    ['0503', 5],
    [503, null],
    ['+501', null],
    ['5.01e2', null],
    ['501.0', null],
    [' 501', null],
  ] as const) {
    it(`${JSON.stringify(key)} ${row === null ? 'matches no row' : `matches row ${row}`}`, async () => {
      const rows = Array.from({ length: 600 }, (_, i) => [`k${i}`, '']);
      for (const book of [await createBookWithRows(KEYED), await createBookWithRows([...KEYED, ...rows])]) {
        const { upserted } = (await upsert(book, [{ Id: key, Name: 'new' }])) as unknown as {
          upserted: { records: unknown[] };
        };
        const expected = {
          row: row ?? Number((upserted.records[0] as { row: number }).row),
          result: row === null ? 'created' : 'updated',
        };
        assert.deepEqual(upserted.records, [expected]);
        if (row !== null)
          assert.deepEqual((await book.cell(`A${row}`))['v'], { 2: 501, 3: '502', 4: -1.5, 5: '0503' }[row]);
      }
    });
  }

  it('are compared strictly with a declared type', async () => {
    const book = await createBookWithRows(KEYED);
    const first = await upsert(book, [{ Id: '501', Name: 'new' }], { types: { Id: 'text' } });
    assert.deepEqual(memberAt(first, 'upserted')['created'], 1);
    const second = await post(book, 'upsert', { key: ['Id'], records: [{ Id: 501, Name: 'both' }] });
    assert.equal(second.status, 422);
    const all = await upsert(book, [{ Id: 501, Name: 'both' }], { onMany: 'all' });
    assert.deepEqual(memberAt(all, 'upserted')['records'], [{ row: 2, rows: [2, 6], result: 'updated' }]);
  });

  it('that match the same row are refused as duplicates', async () => {
    const book = await createBookWithRows(KEYED);
    for (const [a, b] of [
      [501, '501'],
      ['7', 7],
      ['2026-03-01', { value: '2026-03-01', as: 'date' }],
    ]) {
      const { status, body } = await post(book, 'upsert', { key: ['Id'], records: [{ Id: a }, { Id: b }] });
      assert.deepEqual([status, Object.keys(body['errors'] as object)], [422, ['records.1']]);
    }
  });

  it('without a value are refused', async () => {
    const book = await createBookWithRows(KEYED);
    for (const blank of ['', ' ', '\u00a0\t', null]) {
      const { status, body } = await post(book, 'upsert', { key: ['Id'], records: [{ Id: blank, Name: 'x' }] });
      assert.deepEqual([status, Object.keys(body['errors'] as object)], [422, ['records.0.Id']]);
    }
  });
});

describe('numbers from 2^53', () => {
  const LARGE = [2 ** 53, -(2 ** 53), 1e17, 123_456_789_012_345_680_000, 1e21, 1.797_693_134_862_315_7e308];
  const LONG = /[0-9]{16,}(?![0-9]*e)/;

  /** The raw text of a response. */
  async function readRawResponse(book: Api, method: string, path: string, body?: object, accept = 'application/json') {
    const response = await fetch(`${book.base}/api/v1/documents/${book.document}${path}`, {
      method,
      headers: { authorization: `Bearer ${book.token}`, 'content-type': 'application/json', accept },
      ...(body === undefined ? {} : { body: jsonText(body) }),
    });
    return response.text();
  }

  it('are written with an exponent in every response, and accepted in that form', async () => {
    const book = await createBookWithRows([['Id', 'Sum']]);
    const rows = LARGE.map((value, i) => [i, value]);
    assert.match(await readRawResponse(book, 'PUT', '/values/A2', { values: rows }), /updated/);
    const query = { range: 'A:B' };
    const key = encodeURIComponent('key[]');
    const answers = await Promise.all([
      readRawResponse(book, 'GET', '/values/B2:B9'),
      readRawResponse(book, 'GET', '/values/B2:B9?render=plain'),
      readRawResponse(book, 'GET', '/values/batchGet?ranges[]=B2:B9'),
      readRawResponse(book, 'GET', '/values/B2:B9', undefined, 'application/x-ndjson'),
      readRawResponse(book, 'GET', '/values/B2:B9?render=plain', undefined, 'application/x-ndjson'),
      readRawResponse(book, 'POST', '/records/query', query),
      readRawResponse(book, 'POST', '/records/query', query, 'application/x-ndjson'),
      readRawResponse(book, 'POST', '/records/query', { ...query, aggregate: { measures: { most: { max: 'Sum' } } } }),
      readRawResponse(book, 'GET', '/changes?since=0&values=true'),
      readRawResponse(book, 'GET', `/changes?since=0&range=A:B&${key}=Id`),
      readRawResponse(book, 'PUT', '/values/B2?dryRun=true', { values: [[1]] }),
      readRawResponse(book, 'PUT', '/values/B2', { values: [[1]], expect: [{ range: 'B2', values: [[5]] }] }),
    ]);
    for (const answer of answers) {
      const withoutFormatted = answer.replaceAll(/"m":"[^"]*"/g, '');
      assert.match(withoutFormatted, /[0-9]e\+/, answer.slice(0, 200));
      assert.doesNotMatch(withoutFormatted, LONG, answer.slice(0, 200));
    }
    const values = [...(answers[1] ?? '').matchAll(/\[(-?[0-9.e+]+)\]/g)].map(([, number]) => number);
    const back = await fetch(`${book.base}/api/v1/documents/${book.document}/values/B2`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${book.token}`, 'content-type': 'application/json' },
      body: `{"values":[${values.map((value) => `[${value}]`).join(',')}]}`,
    });
    assert.equal(back.status, 200);
    const cells = (await book.cells('B2:B7')) as unknown as { v: number }[][];
    assert.deepEqual(
      cells.map(([cell]) => cell?.v),
      LARGE,
    );
  });
});

describe('appended records', () => {
  const FORMATS = ['', '#,##0.00 "€"', '0%', 'dd.mm.yyyy', 'hh:mm', '@'];
  const createCellsAbove = (): CellData[] =>
    FORMATS.flatMap((format, column): CellData[] => [
      { row: 0, column, value: `F${column}` },
      { row: 1, column, value: column === 5 ? '007' : 46_082.25, ...(format === '' ? {} : { format }) },
    ]);

  it('get the number formats of the row above', async () => {
    const book = await importBook(world, { cells: createCellsAbove() });
    const record = { F0: 1, F1: 1234.5, F2: 0.25, F3: '2026-03-26', F4: '08:30:00', F5: '008' };
    const records = [record, { ...record, F1: 'text', F3: 5 }, record];
    await expectSuccess(await book.post('/records/append', { range: 'A:F', records }));
    const rows = (await book.cells('A3:F5')) as unknown as { m: string }[][];
    const expectedTexts = ['1', '1,234.50 €', '25%', '26.03.2026', '08:30', '008'];
    assert.deepEqual(
      rows.map((row) => row.map(({ m }) => m)),
      [expectedTexts, [expectedTexts[0], 'text', expectedTexts[2], '5', ...expectedTexts.slice(4)], expectedTexts],
    );
  });

  it('keep the formats of their own cells', async () => {
    const columnFormats = new Map([
      [1, '0.0'],
      [2, 'yyyy-mm-dd'],
    ]);
    const book = await importBook(world, { cells: createCellsAbove().slice(0, 6), columnFormats });
    await expectSuccess(
      await book.post('/records/append', { range: 'A:C', records: [{ F0: 1, F1: 2, F2: '2026-03-26' }] }),
    );
    const [row] = (await book.cells('A3:C3')) as unknown as { m: string; t?: string }[][];
    assert.deepEqual(
      row?.map(({ m, t }) => [m, t]),
      [
        ['1', undefined],
        ['2.0', undefined],
        ['2026-03-26', 'd'],
      ],
    );
  });
});

describe('a write into a merged range', () => {
  it('causes a warning, except for the visible cell', async () => {
    const merges = [{ top: 0, left: 0, bottom: 1, right: 1 }];
    const layout = { columns: [], rows: [], merges, carried: {} };
    const book = await importBook(world, { cells: [], layout });
    const write = async (range: string, values: unknown[][]) => (await book.put(range, values)).body['warnings'];
    assert.equal(await write('A1', [['shown', null, 'beside']]), undefined);
    assert.equal(await write('A1', [['shown', '']]), undefined);
    const [warning, other] = (await write('A1', [['x', 'y'], ['z']])) as unknown as { cell: string; message: string }[];
    assert.deepEqual([warning?.cell, other], ['Data!B1', undefined]);
    assert.match(warning?.message ?? '', /A1:B2/);
  });
});

async function sendStream(book: Api, path: string, raw: string, headers: Record<string, string>) {
  const url = `${book.base}/api/v1/documents/${book.document}${path}`;
  const response = await fetch(url, {
    method: 'POST',
    body: raw,
    headers: { authorization: `Bearer ${book.token}`, ...headers },
  });
  const text = await response.text();
  return {
    status: response.status,
    lines: text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Json),
  };
}
