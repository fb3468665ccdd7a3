import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  ColumnReader,
  columnOf,
  type Filter,
  type KeyValue,
  keyText,
  type Literal,
  RecordIndexes,
  RowSearch,
  rowsOfKeys,
} from '../../src/records/index.ts';
import { keyValueAt } from '../../src/records/key-lookup.ts';
import { Book } from '../workbook/dialect.ts';
import { all, regionOf } from './support.ts';

/** Enough rows for an index. */
const ROWS = 700;
const NO_TYPES = new Map();

/** A few values that are similar in some way, and many that are not. */
const value = fc.oneof(
  fc.constantFrom(
    'Riga',
    'riga',
    'Я',
    'я',
    'ß',
    'a',
    'ab',
    '',
    7,
    7.5,
    0,
    true,
    false,
    '=1/0',
    '02.06.2026',
    '02.06.2026 12:00',
  ),
  fc.nat(5_000).map((n) => `A-${n}`),
  fc.nat(5_000),
);
const column = fc.array(value, { minLength: ROWS, maxLength: ROWS, size: 'max' });
const edits = fc.array(fc.record({ row: fc.nat(ROWS + 300), column: fc.nat(1), value }), { maxLength: 20 });
const literal: fc.Arbitrary<Literal> = fc.oneof(
  fc.constantFrom('RIGA', 'я', 'A', 7, 7.5, 0, true, '2026-06-02', '2026-06-02T12:00', null),
  fc.nat(5_000).map((n) => `a-${n}`),
  fc.nat(5_000),
);

function equals(...values: readonly (Literal | undefined)[]): Filter {
  const comparisons = values.flatMap((one, at) =>
    one === undefined ? [] : [{ at, test: { op: 'in' as const, values: [one] } }],
  );
  return { all: comparisons, oneOf: null, none: [], caseSensitive: false };
}

describe('records looked up by their columns’ indexes', () => {
  it('finds the same as a scan of all rows, after any edits', () => {
    fc.assert(
      fc.property(
        column,
        column,
        edits,
        fc.array(literal, { minLength: 4, maxLength: 4 }),
        (first, second, changes, asked) => {
          const book = new Book();
          book.set('A1', [['Key', 'Other'], ...first.map((one, i) => [one, second[i] ?? ''])]);
          const indexes = new RecordIndexes(10 * ROWS).of('document');
          const compare = () => {
            const { head } = book;
            const region = regionOf(head, 2);
            for (const filter of [
              ...asked.map((one) => equals(one)),
              equals(undefined, asked[0]),
              equals(asked[1], asked[2]),
            ]) {
              const found = all(new RowSearch(filter, NO_TYPES).rows(head, region, indexes));
              assert.deepEqual(found, all(new RowSearch(filter, NO_TYPES).rows(head, region, null)));
            }
          };
          for (let times = 0; times < 3; times++) compare();
          for (const { row, column: at, value: one } of changes) book.set(`${at === 0 ? 'A' : 'B'}${row + 2}`, one);
          compare();
        },
      ),
      { numRuns: 15 },
    );
  });

  it('finds rows by keys of several columns, whichever of them is selective', () => {
    fc.assert(
      fc.property(column, column, fc.array(fc.nat(ROWS - 1), { maxLength: 9 }), (first, second, asked) => {
        const book = new Book();
        book.set('A1', [['Key', 'Other'], ...first.map((one, i) => [one, second[i] ?? ''])]);
        const { head } = book;
        const region = regionOf(head, 2);
        const columnsRead = [0, 1].map((at) => ({
          column: columnOf(head, region, at),
          reader: new ColumnReader(head, at, null),
        }));
        const keyAt = (row: number): readonly KeyValue[] => columnsRead.map((one) => keyValueAt(one, row));
        const keys = asked.map((row) => keyAt(row + 1));
        const columns = { at: [0, 1], types: NO_TYPES, caseSensitive: false };
        const textOf = (key: readonly KeyValue[]) => keyText(key, columns, 'google');
        const places = new Map(keys.map((key, i) => [textOf(key), i]));
        const indexes = new RecordIndexes(10 * ROWS).of('document');
        const found = all(rowsOfKeys(head, region, { keys, places }, columns, indexes));
        for (const key of keys) {
          const expected: number[] = [];
          for (let row = 1; row < region.end; row++) {
            if (textOf(keyAt(row)) === textOf(key)) expected.push(row);
          }
          assert.deepEqual(found.get(places.get(textOf(key)) ?? -1) ?? [], expected);
        }
      }),
      { numRuns: 10 },
    );
  });

  it('does not use the index of a column with one value in most rows if another is selective', () => {
    const book = new Book();
    book.set('A1', [['City', 'Number'], ...Array.from({ length: ROWS }, (_, i) => ['Riga', i])]);
    const indexes = new RecordIndexes(10 * ROWS).of('document');
    const { head } = book;
    for (let times = 0; times < 4; times++) {
      const found = all(new RowSearch(equals('Riga', 5), NO_TYPES).rows(head, regionOf(head, 2), indexes));
      assert.deepEqual([...found], [6]);
      assert.equal(all(new RowSearch(equals('Riga'), NO_TYPES).rows(head, regionOf(head, 2), indexes)).length, ROWS);
    }
  });
});
