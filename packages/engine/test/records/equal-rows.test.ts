import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  ColumnReader,
  type ConditionLiteral,
  findColumn,
  findKeyRows,
  KeyList,
  type KeyValue,
  type RecordFilter,
  RecordIndexes,
  RowSearch,
} from '../../src/records/index.ts';
import { readKeyValue } from '../../src/records/key-lookup.ts';
import { createPartRules, keyText } from '../../src/records/key-text.ts';
import { Book } from '../workbook/book.ts';
import { readColumns, runToEnd } from './support.ts';

/** Enough rows for the engine to create an index. */
const ROWS = 700;
const NO_TYPES = new Map();

/** A few values, some of which are equal by some comparison, and many others. */
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
const literal: fc.Arbitrary<ConditionLiteral> = fc.oneof(
  fc.constantFrom('RIGA', 'я', 'A', 7, 7.5, 0, true, '2026-06-02', '2026-06-02T12:00', null),
  fc.nat(5_000).map((n) => `a-${n}`),
  fc.nat(5_000),
);

function createEqualityFilter(...values: readonly (ConditionLiteral | undefined)[]): RecordFilter {
  const comparisons = values.flatMap((value, at) =>
    value === undefined ? [] : [{ at, test: { op: 'in' as const, values: [value] } }],
  );
  return { all: comparisons, oneOf: null, none: [], caseSensitive: false };
}

describe('a record search with column indexes', () => {
  it('finds the same rows as a scan, after any edits', () => {
    fc.assert(
      fc.property(
        column,
        column,
        edits,
        fc.array(literal, { minLength: 4, maxLength: 4 }),
        (first, second, changes, literals) => {
          const book = new Book();
          book.set('A1', [['Key', 'Other'], ...first.map((value, i) => [value, second[i] ?? ''])]);
          const indexes = new RecordIndexes(10 * ROWS).getDocumentIndexes('document');
          const compare = () => {
            const { head } = book;
            const region = readColumns(head, 2);
            for (const filter of [
              ...literals.map((literal) => createEqualityFilter(literal)),
              createEqualityFilter(undefined, literals[0]),
              createEqualityFilter(literals[1], literals[2]),
            ]) {
              const rows = runToEnd(new RowSearch(filter, NO_TYPES).findRows(head, region, indexes));
              assert.deepEqual(rows, runToEnd(new RowSearch(filter, NO_TYPES).findRows(head, region, null)));
            }
          };
          for (let times = 0; times < 3; times++) compare();
          for (const { row, column: at, value: newValue } of changes)
            book.set(`${at === 0 ? 'A' : 'B'}${row + 2}`, newValue);
          compare();
        },
      ),
      { numRuns: 15 },
    );
  });

  it('finds rows by keys of several columns, whether the first or the second is selective', () => {
    fc.assert(
      fc.property(column, column, fc.array(fc.nat(ROWS - 1), { maxLength: 9 }), (first, second, keyRows) => {
        const book = new Book();
        book.set('A1', [['Key', 'Other'], ...first.map((value, i) => [value, second[i] ?? ''])]);
        const { head } = book;
        const region = readColumns(head, 2);
        const columnsRead = [0, 1].map((at) => ({
          column: findColumn(head, region, at),
          reader: new ColumnReader(head, at, null),
        }));
        const keyAt = (row: number): readonly KeyValue[] => columnsRead.map((column) => readKeyValue(column, row));
        const keys = keyRows.map((row) => keyAt(row + 1));
        const columns = { at: [0, 1], types: NO_TYPES, caseSensitive: false };
        const rules = createPartRules(columns, 'google');
        const textOf = (key: readonly KeyValue[]) => keyText(key, rules);
        const list = new KeyList(columns, 'google', keys.length);
        const distinct = keys.filter((key) => list.addKey(key) === null);
        const indexes = new RecordIndexes(10 * ROWS).getDocumentIndexes('document');
        const rowsByKey = runToEnd(findKeyRows(head, region, list, indexes));
        for (const [i, key] of distinct.entries()) {
          const expected: number[] = [];
          for (let row = 1; row < region.end; row++) {
            if (textOf(keyAt(row)) === textOf(key)) expected.push(row);
          }
          assert.deepEqual(rowsByKey.getRows(i), expected);
        }
      }),
      { numRuns: 10 },
    );
  });

  it('finds a row although another compared column has one value in most rows', () => {
    const book = new Book();
    book.set('A1', [['City', 'Number'], ...Array.from({ length: ROWS }, (_, i) => ['Riga', i])]);
    const indexes = new RecordIndexes(10 * ROWS).getDocumentIndexes('document');
    const { head } = book;
    for (let times = 0; times < 4; times++) {
      const rows = runToEnd(
        new RowSearch(createEqualityFilter('Riga', 5), NO_TYPES).findRows(head, readColumns(head, 2), indexes),
      );
      assert.deepEqual([...rows], [6]);
      assert.equal(
        runToEnd(new RowSearch(createEqualityFilter('Riga'), NO_TYPES).findRows(head, readColumns(head, 2), indexes))
          .length,
        ROWS,
      );
    }
  });
});
