import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import {
  findColumn,
  RecordIndexes,
  type RecordSort,
  type RecordType,
  RowSearch,
  readSortedPage,
  sortRows,
} from '../../src/records/index.ts';
import { Book } from '../workbook/book.ts';
import { readColumns, runToEnd } from './support.ts';

/** More rows than two blocks have, and enough for an index. */
const ROWS = 700;
const EVERYTHING = { all: [], oneOf: null, none: [], caseSensitive: false };

/** Values, some of which are equal by some comparison. Most values of a column have one type. */
const number = fc.oneof(
  fc.integer({ min: -20, max: 20 }),
  fc.constantFrom(0.5, -0.5, 1e15, -1e-9),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const text = fc.oneof(
  fc.constantFrom(
    'Riga',
    'riga',
    'RIGA-1',
    'a',
    'ab',
    "a'b",
    'waiting for goods',
    'waiting for money',
    'Waiting for Money',
    'A-1',
    'A-10',
    'A-9',
  ),
  fc.nat(3_000).map((n) => `Customer ${n}`),
);
const otherValue = fc.constantFrom('', true, false, '=1/0', '=NA()', 'x', 7, '=""');
const special = fc.constantFrom('é', 'Ёлка', 'ёж', 'еж', 'ß', 'ﬁ', '日本');
const mainly = (main: fc.Arbitrary<string | number | boolean>, weight: number) =>
  fc.oneof({ weight, arbitrary: main }, { weight: 1, arbitrary: otherValue });
const arbitraryColumn = (value: fc.Arbitrary<string | number | boolean>) =>
  fc.array(value, { minLength: ROWS, maxLength: ROWS, size: 'max' });
const anyColumn = fc.oneof(
  arbitraryColumn(number),
  arbitraryColumn(mainly(number, 20)),
  arbitraryColumn(text),
  arbitraryColumn(mainly(text, 20)),
  arbitraryColumn(mainly(fc.oneof(number, text), 3)),
  arbitraryColumn(fc.oneof({ weight: 30, arbitrary: text }, { weight: 1, arbitrary: special })),
);
const edit = fc.record({
  row: fc.nat(ROWS + 300),
  column: fc.nat(1),
  value: fc.oneof(number, text, otherValue, special),
});
const key = fc.record({ at: fc.nat(1), descending: fc.boolean() });
const keys = fc.oneof(
  key.map((term) => [term]),
  fc.tuple(key, key).filter(([a, b]) => a.at !== b.at),
);
const places = fc
  .tuple(fc.nat(ROWS + 50), fc.integer({ min: 1, max: 60 }))
  .map(([from, count]) => ({ from, end: from + count }));
const types = fc.constantFrom<ReadonlyMap<number, RecordType>>(
  new Map(),
  new Map(),
  new Map([[0, 'number']]),
  new Map([[0, 'text']]),
);

describe('a page of sorted records', () => {
  it('contains the same rows as a page of all sorted records, with and without an index, after any edits', () => {
    fc.assert(
      fc.property(
        anyColumn,
        anyColumn,
        fc.array(fc.array(edit, { maxLength: 12 }), { maxLength: 3 }),
        fc.array(fc.tuple(keys, places), { minLength: 3, maxLength: 6 }),
        types,
        (first, second, rounds, pages, typed) => {
          const book = new Book();
          book.set('A1', [['First', 'Second'], ...first.map((value, i) => [value, second[i] ?? ''])]);
          const indexes = new RecordIndexes(10 * ROWS).getDocumentIndexes('document');
          const compare = () => {
            const { head } = book;
            const region = readColumns(head, 2);
            const rows = runToEnd(new RowSearch(EVERYTHING, typed).findRows(head, region, null));
            for (const [by, { from, end }] of pages) {
              const page = { from, end: Math.min(end, rows.length) };
              const expected = Array.from(sorted(by)).slice(from, end);
              for (const index of [indexes, null]) {
                const pageRows = runToEnd(
                  readSortedPage(head, region, rows, { by, types: typed, indexes: index, isWhole: true }, page),
                );
                if (pageRows !== null) assert.deepEqual([...pageRows], expected);
              }
            }
            function sorted(by: readonly RecordSort[]) {
              return runToEnd(sortRows(head, region, rows, { by, types: typed }));
            }
          };
          for (let times = 0; times < 3; times++) compare();
          for (const edits of rounds) {
            for (const { row, column: at, value } of edits) book.set(`${at === 0 ? 'A' : 'B'}${row + 2}`, value);
            compare();
          }
        },
      ),
      { numRuns: scaleRunCount(36) },
    );
  });

  for (const [name, textOf] of Object.entries({
    'with equal beginnings': (row: number) => `${'a'.repeat(25_000)}${row % 9}`,
    'that are equal': () => 'a'.repeat(25_000),
    'with equal beginnings of 100 characters': (row: number) => `${'a'.repeat(100)}${row % 9}`,
  })) {
    it(`contains the same rows as a page of all sorted records if the texts are long, ${name}`, () => {
      const book = new Book();
      book.set('A1', [['Text'], ...Array.from({ length: 520 }, (_, row) => [textOf(row)])]);
      const { head } = book;
      const indexes = new RecordIndexes(10 * ROWS).getDocumentIndexes('document');
      const region = readColumns(head, 1);
      const rows = runToEnd(new RowSearch(EVERYTHING, new Map(), null).findRows(head, region, null));
      const order = { by: [{ at: 0, descending: true }], types: new Map() };
      const expected = Array.from(runToEnd(sortRows(head, region, rows, order))).slice(80, 120);
      for (let times = 0; times < 3; times++) {
        const page = runToEnd(
          readSortedPage(head, region, rows, { ...order, indexes, isWhole: true }, { from: 80, end: 120 }),
        );
        assert.deepEqual(page && [...page], expected);
      }
    });
  }

  it('contains the same rows as a page of all sorted records if the texts need a collator', () => {
    const names = ['Émile', 'emile', 'EMILE', 'Zoë', 'Łukasz', 'Анна', 'борис', 'Ñandú', 'nandu', '', '日本'];
    const count = 9_000;
    const book = new Book();
    book.set('A1', [['Name', 'Amount']]);
    book.set(
      'A2',
      Array.from({ length: count }, (_, i) => [`${names[(i * 7) % names.length]}`, (i * 31) % 97]),
    );
    book.set('A200', null);
    const indexes = new RecordIndexes(10 * count).getDocumentIndexes('document');
    const compare = () => {
      const { head } = book;
      const region = readColumns(head, 2);
      const all = runToEnd(new RowSearch(EVERYTHING, new Map(), null).findRows(head, region, null));
      for (const rows of [all, all.filter((row) => row % 2 === 0)]) {
        for (const by of [
          [{ at: 0, descending: false }],
          [{ at: 0, descending: true }],
          [
            { at: 0, descending: true },
            { at: 1, descending: false },
          ],
        ]) {
          const order = { by, types: new Map() };
          const expected = Array.from(runToEnd(sortRows(head, region, rows, order)));
          for (const [from, end] of [
            [0, 100],
            [rows.length / 2 - 50, rows.length / 2 + 50],
            [rows.length - 100, rows.length],
          ] as const) {
            const how = { ...order, indexes, isWhole: rows === all };
            const page = runToEnd(readSortedPage(head, region, rows, how, { from, end }));
            assert.deepEqual(page && [...page], expected.slice(from, end));
          }
        }
      }
    };
    compare();
    for (const [row, name] of ['Ómar', 'zoe', 'émile', 'Ж'].entries()) book.set(`A${300 * row + 5}`, name);
    compare();
  });

  it('drops another index if the ranks of its texts exceed the limit of all indexes', () => {
    const count = 5_000;
    const book = new Book();
    book.set('A1', [['Name', 'Amount']]);
    book.set(
      'A2',
      Array.from({ length: count }, (_, i) => [`É${i % 7}`, i]),
    );
    const { head } = book;
    const region = readColumns(head, 2);
    const amounts = findColumn(head, region, 1);
    assert.ok(amounts);
    // The rows of the column of amounts fit beside those of the names, but not beside the ranks of the names.
    const indexes = new RecordIndexes(1.5 * count).getDocumentIndexes('document');
    const requestAmounts = (requests: number) => runToEnd(indexes.requestColumnHashes(1, 1, amounts, requests));
    const readPage = () => {
      const rows = runToEnd(new RowSearch(EVERYTHING, new Map(), null).findRows(head, region, null));
      const how = { by: [{ at: 0, descending: false }], types: new Map(), indexes, isWhole: false };
      return runToEnd(readSortedPage(head, region, rows, how, { from: 0, end: 10 }));
    };
    assert.ok(requestAmounts(100));
    for (let request = 0; request < 3; request++) readPage();
    assert.ok(requestAmounts(1) === null);
  });
});
