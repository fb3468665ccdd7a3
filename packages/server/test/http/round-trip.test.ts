import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type CellData, errorByCode, jsonText, type Scalar } from '@cellwire/engine';
import fc from 'fast-check';
import { importBook } from './imported-book.ts';
import { sendHttp } from './send.ts';
import { type Api, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const NDJSON = 'application/x-ndjson';

const TEXTS = [
  ...['501', '0501', '-1.5', '5e2', '1,5', '1 000', '25%', '+5', '12345678901234567890', '9007199254740993', '1e+21'],
  ...['2026-03-01', '2026-03-01T12:00', '2026-03-01T12:00:00', '2026-03-01T12:00:00Z', '01.03.2026', '1900-02-29'],
  ...[
    '08:30:00',
    '08:30',
    '25:30:00',
    '-01:00:00',
    '8:30',
    'TBD',
    '-',
    ' ',
    ' 5',
    "'x",
    '=1+1',
    'TRUE',
    'true',
    'false',
  ],
  ...['#N/A', '#DIV/0!', 'Caf\u00e9', 'Cafe\u0301', 'straße', '\u0000', 'null', '{"a":1}', 'x'.repeat(300)],
];
const NUMBERS = [
  ...[0, -0, 1, -1, 0.5, 1.0625, -0.75, 0.1 + 0.2, 1 / 3, 59, 60, 60.5, 61, 1461, 1462, 46_082, 46_082.354_166_666_664],
  ...[
    46_082.608_325, 0.999_999_999_999, 2_958_465.999, 2_958_466, 65_535.123_456_789, 65_536.123_456_789, -1.5, -46_082,
  ],
  ...[2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e15, 1e17, 1.234_567_890_123_456_8e18, 1e21, 1e300, 5e-324, 1e-7],
];
const ERRORS = ['#N/A', '#DIV/0!', '#REF!'];
const FORMATS = [
  ...[
    '',
    '0.00',
    '0%',
    '#,##0.00 "€"',
    '0.00E+00',
    '@',
    'yyyy-mm-dd',
    'dd.mm.yyyy hh:mm',
    'hh:mm',
    'hh:mm:ss',
    '[h]:mm:ss',
  ],
  ...['mm:ss.0', 'h:mm AM/PM', '# ??/??'],
];

interface ReadCell {
  readonly v: string | number | boolean;
  readonly m: string;
  readonly t?: string;
  readonly f?: string;
  readonly error?: unknown;
}

/** Creates a column of keys and a column of values in all formats, as constants or as formula results. */
function createCells(values: readonly Scalar[], formats: readonly string[]): readonly CellData[] {
  const cells: CellData[] = [
    { row: 0, column: 0, value: 'Id' },
    { row: 0, column: 1, value: 'Value' },
  ];
  let row = 1;
  for (const value of values) {
    for (const [i, format] of formats.entries()) {
      const formatPart = format === '' ? {} : { format };
      cells.push({ row, column: 0, value: `r${row}` }, { row, column: 1, value, ...formatPart });
      const formula = formatFormula(value);
      if (formula !== null && i % 3 === 0) {
        row++;
        cells.push({ row, column: 0, value: `r${row}` }, { row, column: 1, value, formula, ...formatPart });
      }
      row++;
    }
  }
  return cells;
}

/** A formula in file grammar with the given result. */
function formatFormula(value: Scalar): string | null {
  if (typeof value === 'string')
    return value.length > 100 || value === '\u0000' ? null : `"${value.replaceAll('"', '""')}"`;
  if (typeof value === 'boolean') return `${value ? 'TRUE' : 'FALSE'}()`;
  return typeof value === 'number' && Math.abs(value) < 1e15 && Math.abs(value) > 1e-6 ? `${value}+0` : null;
}

async function readCells(book: Api): Promise<readonly (ReadCell | null)[]> {
  const cells: (ReadCell | null)[] = [];
  for (let offset = 0; ; offset += 1000) {
    const { body } = await book.get('B1:B5000', { offset: String(offset) });
    const page = memberAt(body, 'values')['cells'] as unknown as (ReadCell | null)[][];
    cells.push(...page.map(([cell]) => cell ?? null));
    if ((memberAt(body, 'values', 'pagination')['hasMore'] as unknown) !== true) return cells;
  }
}

async function requestText(
  book: Api,
  method: string,
  path: string,
  body?: string,
  type = 'application/json',
): Promise<string> {
  const answer = await sendHttp(`${book.base}/api/v1/documents/${book.document}${path}`, {
    method,
    headers: { authorization: `Bearer ${book.token}`, 'content-type': type, accept: type },
    ...(body === undefined ? {} : { body }),
  });
  assert.equal(answer.status, 200, answer.text.slice(0, 500));
  return answer.text;
}

/** Adds the type to a plain value, as a client that has read the cell. */
function addType(plain: unknown, cell: ReadCell | null): unknown {
  if (plain === null) return null;
  if (cell?.error !== undefined) return { error: plain };
  if (typeof plain === 'number') return { value: plain, as: 'number' };
  if (typeof plain === 'boolean') return { value: plain, as: 'boolean' };
  if (cell?.t !== 'd') return { value: plain, as: 'text' };
  return { value: plain, as: /^-?\d+:/.test(String(plain)) ? 'duration' : 'date' };
}

/** Reads the whole column through each operation and sends the same text back. */
const ROUND_TRIPS: Readonly<Record<string, (book: Api) => Promise<void>>> = {
  async 'records as JSON'(book) {
    for (let offset = 0; ; offset += 1000) {
      const read = await requestText(
        book,
        'POST',
        '/records/query',
        JSON.stringify({ range: 'A:B', offset, limit: 1000 }),
      );
      const { records } = JSON.parse(read) as { records: { fields: unknown }[] };
      if (records.length === 0) return;
      // The unchanged text of the fields.
      const records_ = [...read.matchAll(/"fields":(\{.*?\})\}(?=,\{"row"|\])/gs)].map(([, fields]) => fields);
      assert.equal(records_.length, records.length);
      const body = `{"range":"A:B","key":["Id"],"records":[${records_.join(',')}]}`;
      const { upserted } = JSON.parse(await requestText(book, 'POST', '/records/upsert', body)) as { upserted: object };
      assert.deepEqual(
        Object.entries(upserted).filter(([name]) => ['created', 'updated', 'unchanged', 'cells'].includes(name)),
        Object.entries({ created: 0, updated: 0, unchanged: records.length, cells: 0 }),
      );
    }
  },
  async 'records as lines'(book) {
    const answer = await sendHttp(`${book.base}/api/v1/documents/${book.document}/records/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${book.token}`, 'content-type': 'application/json', accept: NDJSON },
      body: JSON.stringify({ range: 'A:B' }),
    });
    const lines = answer.text.trim().split('\n').slice(0, -1);
    const records_ = lines.map((line) => `${/"fields":(\{.*\})\}$/s.exec(line)?.[1]}\n`);
    const response = await requestText(
      book,
      'POST',
      '/records/upsert?range=A:B&key[]=Id&batch=100',
      records_.join(''),
      NDJSON,
    );
    for (const line of response.trim().split('\n').slice(0, -1)) {
      const { upserted, warnings } = JSON.parse(line) as { upserted: Record<string, unknown>; warnings?: unknown };
      assert.deepEqual([upserted['created'], upserted['updated'], upserted['cells'], warnings], [0, 0, 0, undefined]);
    }
  },
  async 'plain values that say their type'(book) {
    const cells = await readCells(book);
    for (let offset = 0; ; offset += 1000) {
      const { body } = await book.get('B1:B5000', { render: 'plain', offset: String(offset) });
      const page = memberAt(body, 'values')['cells'] as unknown as unknown[][];
      if (page.length === 0) return;
      const values = page.map(([plain], i) => [addType(plain, cells[offset + i] ?? null)]);
      await requestText(book, 'PUT', `/values/B${offset + 1}`, jsonText({ values }));
    }
  },
  async 'expected values'(book) {
    const query = await requestText(book, 'POST', '/records/query', JSON.stringify({ range: 'A:B', limit: 1000 }));
    const { records } = JSON.parse(query) as { records: { fields: { Value: unknown } }[] };
    const expect = [{ range: 'B2:B5000', values: records.map(({ fields }) => [fields.Value]) }];
    await requestText(book, 'PUT', '/values/D1?dryRun=true', jsonText({ values: [['seen']], expect }));
  },
};

const VALUES: readonly Scalar[] = [
  ...TEXTS,
  ...NUMBERS,
  true,
  false,
  ...ERRORS.map((code) => errorByCode(code) ?? null),
];

describe('values can be read and written back unchanged', () => {
  it('for empty formula results and spilled cells', async () => {
    const cells: CellData[] = [
      { row: 0, column: 0, value: 'Id' },
      { row: 0, column: 1, value: 'Value' },
      { row: 1, column: 0, value: 'a' },
      { row: 1, column: 1, value: '', formula: 'IF(TRUE,"","x")' },
      { row: 2, column: 0, value: 'b' },
      { row: 2, column: 1, value: null, formula: 'SEQUENCE(3)', dynamic: true },
      { row: 3, column: 0, value: 'c' },
      { row: 4, column: 0, value: 'd' },
    ];
    const book = await importBook(world, { cells });
    const before = await readCells(book);
    assert.deepEqual(
      before.slice(2, 5).map((cell) => cell?.v),
      [1, 2, 3],
    );
    for (const [roundTrip, writeBack] of Object.entries(ROUND_TRIPS)) {
      await writeBack(book);
      assert.deepEqual(await readCells(book), before, roundTrip);
    }
  });

  for (const dateSystem of ['google', '1900', '1904'] as const) {
    for (const locale of ['en-US', 'ru-RU'] as const) {
      it(`with date system ${dateSystem} and locale ${locale}`, async () => {
        const moments = fc.sample(fc.double({ min: -3, max: 80_000, noNaN: true }), 30);
        const cells = createCells([...VALUES, ...moments], FORMATS);
        const book = await importBook(world, { cells, settings: { dateSystem, locale } });
        const before = await readCells(book);
        for (const [roundTrip, writeBack] of Object.entries(ROUND_TRIPS)) {
          await writeBack(book);
          const current = await readCells(book);
          const changed = before.findIndex((cell, i) => JSON.stringify(cell) !== JSON.stringify(current[i]));
          assert.deepEqual(current[changed], before[changed], `${roundTrip}: row ${changed + 1}`);
        }
      });
    }
  }
});
