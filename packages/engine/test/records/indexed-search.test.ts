import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import {
  type Comparison,
  groupRows,
  type RecordFilter,
  RecordIndexes,
  type RecordType,
  RowSearch,
} from '../../src/records/index.ts';
import { Book } from '../workbook/book.ts';
import { readColumns, runToEnd } from './support.ts';

/** Enough rows for every kind of index. */
const ROWS = 4_500;
const COLUMNS = 3;

const rare = fc.constantFrom('', true, '=1/0', 'x', '7', '=""', 'é', 'e\u0301', '2026-01-05', 7);
const amount = fc.oneof(
  { weight: 200, arbitrary: fc.integer({ min: -500, max: 500 }) },
  { weight: 1, arbitrary: rare },
);
const name = fc.oneof(
  { weight: 200, arbitrary: fc.nat(60).map((n) => ['Riga', 'riga', 'Nord', 'NORD ', `City ${n}`][n % 5] ?? '') },
  { weight: 1, arbitrary: rare },
);
const code = fc.nat(100_000).map((n) => `C-${n}`);
/** Rows that repeat a few hundred random ones with a shift, because generating each row takes long. */
const table = fc
  .array(fc.tuple(amount, name, code), { minLength: 300, maxLength: 300, size: 'max' })
  .map((rows) => Array.from({ length: ROWS }, (_, i) => rows[(i * 7 + Math.floor(i / 300)) % rows.length] ?? []));
const edit = fc.record({
  row: fc.nat(ROWS + 300),
  column: fc.nat(COLUMNS - 1),
  value: fc.oneof(amount, name, code, rare),
});

const bound = fc.integer({ min: -520, max: 520 });
const order = fc.constantFrom('gt' as const, 'gte' as const, 'lt' as const, 'lte' as const);
const comparison: fc.Arbitrary<Comparison> = fc.oneof(
  fc.tuple(order, bound).map(([op, value]) => ({ at: 0, test: { op, value } })),
  fc
    .tuple(fc.constantFrom(1, 2), order, fc.constantFrom('city 3', 'Riga', 'c-5'))
    .map(([at, op, value]) => ({ at, test: { op, value } })),
  fc
    .tuple(
      fc.constantFrom(1, 2),
      fc.constantFrom('contains' as const, 'startsWith' as const, 'endsWith' as const),
      fc.constantFrom('I', 'ri', '5', 'nord', ' '),
    )
    .map(([at, op, text]) => ({ at, test: { op, text } })),
  fc
    .tuple(
      fc.constantFrom('in' as const, 'nin' as const),
      fc.array(fc.constantFrom('RIGA', 'nord', 'x', 'É', '', '2026-01-05', 7, true, null), {
        minLength: 1,
        maxLength: 3,
      }),
    )
    .map(([op, values]) => ({ at: 1, test: { op, values } })),
);
const range = bound.map((low): readonly Comparison[] => [
  { at: 0, test: { op: 'gte', value: low } },
  { at: 0, test: { op: 'lt', value: low + 20 } },
]);
const filter: fc.Arbitrary<RecordFilter> = fc.record({
  all: fc.oneof(
    range,
    fc.tuple(range, fc.array(comparison, { maxLength: 2 })).map(([a, b]) => [...a, ...b]),
    fc.array(comparison, { maxLength: 3 }),
  ),
  oneOf: fc.option(fc.array(fc.array(comparison, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 })),
  none: fc.array(fc.array(comparison, { minLength: 1, maxLength: 2 }), { maxLength: 1 }),
  caseSensitive: fc.boolean(),
});
const types = fc.constantFrom<ReadonlyMap<number, RecordType>>(
  new Map(),
  new Map(),
  new Map([[0, 'number']]),
  new Map([
    [0, 'text'],
    [1, 'text'],
  ]),
);

describe('filters and groups of records with indexes', () => {
  it('have the same results as without indexes, after any edits', () => {
    fc.assert(
      fc.property(
        table,
        fc.array(fc.array(edit, { maxLength: 12 }), { minLength: 1, maxLength: 2 }),
        fc.array(filter, { minLength: 2, maxLength: 4 }),
        types,
        fc.constantFrom([1], [2], [1, 2], [2, 1, 0]),
        (rows, rounds, filters, typed, groupBy) => {
          const book = new Book();
          book.set('A1', [['Amount', 'Name', 'Code'], ...rows.map((row) => [...row])]);
          const indexes = new RecordIndexes(100 * ROWS).getDocumentIndexes('document');
          const compare = () => {
            const { head } = book;
            const region = readColumns(head, COLUMNS);
            for (const filter of filters) {
              const search = (index: typeof indexes | null) =>
                runToEnd(new RowSearch(filter, typed).findRows(head, region, index));
              const expected = search(null);
              assert.deepEqual(search(indexes), expected, JSON.stringify(filter));
              const measures = [
                { kind: 'sum' as const, at: 0 },
                { kind: 'countDistinct' as const, at: 1 },
              ];
              const grouping = { groupBy, measures, caseSensitive: filter.caseSensitive, limit: 100_000 };
              const group = (index: typeof indexes | null) =>
                runToEnd(groupRows(head, region, expected, { grouping, types: typed, indexes: index }))?.map((one) => [
                  one.values,
                  one.figures,
                ]);
              assert.deepEqual(group(indexes), group(null));
            }
          };
          for (let times = 0; times < 3; times++) compare();
          for (const edits of rounds) {
            for (const { row, column, value } of edits) book.set(`${'ABC'[column]}${row + 2}`, value);
            compare();
          }
        },
      ),
      { numRuns: scaleRunCount(18) },
    );
  });
});

describe('a search of many rows', () => {
  const COUNT = 90_000;
  const STATUSES = ['open', 'paid', 'Paid', 'über', ''];
  const START = Date.UTC(2024, 0, 1);
  const DAY_MS = 86_400_000;
  /** The serial number of 2024-01-01. */
  const START_SERIAL = 45_292;
  const rows = Array.from({ length: COUNT }, (_, i) => ({
    amount: (i * 7_919) % 10_007,
    status: STATUSES[(i * 31) % STATUSES.length] as string,
    isPaid: i % 3 === 0,
    day: (i * 13) % 900,
    code: `K-${String((i * 48_271) % COUNT).padStart(5, '0')}`,
    share: i % 11 === 0 ? null : ((i * 211) % 5_003) / 4,
  }));
  const book = new Book();
  const toDate = (day: number) => new Date(START + day * DAY_MS).toISOString().slice(0, 10);
  book.set('A1', [['Amount', 'Status', 'Paid', 'Day', 'Written day', 'Code', 'Share']]);
  book.set(
    'A2',
    rows.map(({ amount, status, isPaid, day, code, share }) => [
      amount,
      status,
      isPaid,
      START_SERIAL + day,
      `'${toDate(day)}`,
      code,
      share ?? '',
    ]),
  );
  book.apply([
    { kind: 'setFormat', sheet: 1, area: { top: 1, left: 3, bottom: COUNT, right: 3 }, format: 'yyyy-mm-dd' },
  ]);
  const region = readColumns(book.head, 7);
  const indexes = new RecordIndexes(100 * COUNT).getDocumentIndexes('document');
  const find = (filter: Partial<RecordFilter>) => {
    const full = { all: [], oneOf: null, none: [], caseSensitive: false, ...filter };
    return [...runToEnd(new RowSearch(full, new Map()).findRows(book.head, region, indexes))];
  };
  const amounts = (low: number, high: number): readonly Comparison[] => [
    { at: 0, test: { op: 'gte', value: low } },
    { at: 0, test: { op: 'lt', value: high } },
  ];
  const between = (at: number, low: string | number, high: string | number): readonly Comparison[] => [
    { at, test: { op: 'gt', value: low } },
    { at, test: { op: 'lte', value: high } },
  ];
  const is = (at: number, ...values: readonly (string | number | boolean | null)[]): Comparison => ({
    at,
    test: { op: 'in', values },
  });
  const isPaidText = (status: string) => status.toLowerCase() === 'paid';
  const CASES: readonly [string, Partial<RecordFilter>, (row: (typeof rows)[number]) => boolean][] = [
    [
      'a range and a text',
      { all: [...amounts(1_000, 1_600), is(1, 'PAID')] },
      ({ amount, status }) => amount >= 1_000 && amount < 1_600 && status.toLowerCase() === 'paid',
    ],
    [
      'a range and an exact text',
      { all: [...amounts(1_000, 1_600), is(1, 'Paid')], caseSensitive: true },
      ({ amount, status }) => amount >= 1_000 && amount < 1_600 && status === 'Paid',
    ],
    [
      'a range and empty texts',
      { all: [...amounts(1_000, 1_600), is(1, null)] },
      ({ amount, status }) => amount >= 1_000 && amount < 1_600 && status === '',
    ],
    [
      'a range and one of two groups, without a third',
      { all: amounts(2_000, 2_600), oneOf: [[is(1, 'ÜBER')], [is(2, true)]], none: [[is(3, toDate(5))]] },
      ({ amount, status, isPaid, day }) =>
        amount >= 2_000 && amount < 2_600 && (status === 'über' || isPaid) && day !== 5,
    ],
    ['dates', { all: between(3, toDate(100), toDate(500)) }, ({ day }) => day > 100 && day <= 500],
    ['few dates', { all: between(3, toDate(100), toDate(110)) }, ({ day }) => day > 100 && day <= 110],
    ['dates that are texts', { all: between(4, toDate(100), toDate(110)) }, ({ day }) => day > 100 && day <= 110],
    [
      'few dates and a text',
      { all: [...between(4, toDate(100), toDate(140)), is(1, 'open')] },
      ({ day, status }) => day > 100 && day <= 140 && status === 'open',
    ],
    ['texts in order', { all: between(5, 'k-00100', 'K-00300') }, ({ code }) => code > 'K-00100' && code <= 'K-00300'],
    [
      'texts in order in exact letter case',
      { all: between(5, 'K-00100', 'k'), caseSensitive: true },
      ({ code }) => code > 'K-00100',
    ],
    [
      'texts in order without some numbers',
      { all: [...between(5, 'K-2', 'K-9'), ...amounts(100, 4_000)], none: [amounts(200, 3_000)] },
      ({ code, amount }) =>
        code > 'K-2' && code <= 'K-9' && ((amount >= 100 && amount < 200) || (amount >= 3_000 && amount < 4_000)),
    ],
    ['one text of many', { all: [is(5, 'k-04711')] }, ({ code }) => code === 'K-04711'],
    [
      'numbers among empty cells',
      { all: between(6, -1, 900) },
      ({ share }) => share !== null && share > -1 && share <= 900,
    ],
    [
      'few numbers among empty cells',
      { all: between(6, 10, 30.25) },
      ({ share }) => share !== null && share > 10 && share <= 30.25,
    ],
    [
      'one of three groups, without a fourth',
      {
        oneOf: [[is(5, 'K-00007', 'K-00008')], amounts(3_000, 3_100), [is(4, toDate(7)), is(1, 'open')]],
        none: [[is(2, true)]],
      },
      ({ code, amount, day, status, isPaid }) =>
        !isPaid &&
        (['K-00007', 'K-00008'].includes(code) ||
          (amount >= 3_000 && amount < 3_100) ||
          (day === 7 && status === 'open')),
    ],
    [
      'one of two groups, one of which matches many rows',
      { all: amounts(0, 9_000), oneOf: [[is(5, 'K-00007')], [is(1, 'open', 'paid')]] },
      ({ code, amount, status }) => amount < 9_000 && (code === 'K-00007' || status === 'open' || isPaidText(status)),
    ],
    [
      'numbers of a list and a text',
      { all: [is(0, 3, 3, 8_000, -1), is(1, 'open')] },
      ({ amount, status }) => [3, 8_000].includes(amount) && status === 'open',
    ],
    [
      'numbers of a list among empty cells',
      { all: [is(6, 0, 12.5, 100)] },
      ({ share }) => share !== null && [0, 12.5, 100].includes(share),
    ],
    ['numbers of a list', { all: [is(0, 5, 17, 9_000)] }, ({ amount }) => [5, 17, 9_000].includes(amount)],
    [
      'numbers that are not in a long list',
      { all: [{ at: 0, test: { op: 'nin', values: Array.from({ length: 9_000 }, (_, i) => i) } }] },
      ({ amount }) => amount >= 9_000,
    ],
    ['numbers of dates', { all: [{ at: 3, test: { op: 'gte', value: START_SERIAL + 890 } }] }, ({ day }) => day >= 890],
    [
      'booleans and texts',
      { all: [is(2, false), is(1, 'open')] },
      ({ isPaid, status }) => !isPaid && status === 'open',
    ],
    ['filled cells', { all: [{ at: 1, test: { op: 'empty', is: false } }] }, ({ status }) => status !== ''],
    ['empty cells', { all: [{ at: 1, test: { op: 'empty', is: true } }] }, ({ status }) => status === ''],
  ];
  for (const [name, filter, holds] of CASES) {
    it(`finds ${name}`, () => {
      const expected = rows.flatMap((row, i) => (holds(row) ? [i + 1] : []));
      // The first requests scan the columns, later ones use indexes.
      for (let request = 0; request < 4; request++) assert.deepEqual(find(filter), expected, `request ${request}`);
    });
  }
});

describe('a search for listed texts', () => {
  const NOTES = ['open', 'Open', 'paid', ''];
  const notes = Array.from({ length: ROWS }, (_, i) => NOTES[i % NOTES.length]!);
  const book = new Book();
  book.set('A1', [['Number', 'Note'], ...notes.map((note, i) => [i, note === '' ? '=""' : note])]);
  const region = readColumns(book.head, 2);
  const LISTS: readonly (readonly (string | null)[])[] = [['paid'], ['OPEN', null], ['open', 'paid'], [null], ['none']];

  for (const values of LISTS) {
    for (const op of ['in', 'nin'] as const) {
      it(`treats empty texts as empty cells: ${op} ${JSON.stringify(values)}`, () => {
        const listed = values.map((value) => (value ?? '').toLowerCase());
        const expected = notes.flatMap((note, i) =>
          listed.includes(note.toLowerCase()) === (op === 'in') ? [i + 1] : [],
        );
        const indexes = new RecordIndexes(100 * ROWS).getDocumentIndexes('document');
        const filter = { all: [{ at: 1, test: { op, values } }], oneOf: null, none: [], caseSensitive: false };
        for (let request = 0; request < 4; request++) {
          const found = runToEnd(new RowSearch(filter, new Map()).findRows(book.head, region, indexes));
          assert.deepEqual([...found], expected, `request ${request}`);
        }
      });
    }
  }
});
