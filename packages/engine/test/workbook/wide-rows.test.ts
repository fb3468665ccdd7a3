import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { columnName, type Input } from '../../src/index.ts';
import { assertSameAlone, createLargeBudgetBook } from './alone.ts';
import { Book, createContext } from './book.ts';
import { createDraw, drawElement } from './draw.ts';

/** Columns of the searched rows, and rows with a lookup below them. */
const COLUMNS = 120;
const LOOKUPS = 40;
const LAST = columnName(COLUMNS - 1);
const FIRST_LOOKUP = 4;
const KEYS = 60;

const FORMULAS: readonly ((key: string) => string)[] = [
  (key) => `=HLOOKUP(${key};$A$1:$${LAST}$2;2;FALSE)`,
  (key) => `=INDEX($2:$2;MATCH(${key};$1:$1;0))`,
  (key) => `=XLOOKUP(${key};$A$1:$${LAST}$1;$A$2:$${LAST}$2;"none")`,
  (key) => `=INDEX($A$2:$${LAST}$2;XMATCH(${key};$A$1:$${LAST}$1;0;-1))`,
];

/** Formulas by row: a key, the lookups of the key, and a formula that is calculated after them. */
function createLookups(keys: readonly string[]): Input[][] {
  return keys.map((key, i) => [key, ...FORMULAS.map((formula) => formula(`$A${FIRST_LOOKUP + i}`))]);
}

describe('lookups in a wide row', () => {
  it('find the cells of their definition after every edit, also in results of the same calculation', () => {
    const key = fc.nat({ max: KEYS }).map((n) => `key ${n}`);
    const keys = fc.array(key, { minLength: COLUMNS, maxLength: COLUMNS });
    const edits = fc.array(fc.tuple(fc.nat({ max: COLUMNS - 1 }), key, fc.nat({ max: 999 })), { maxLength: 5 });
    fc.assert(
      fc.property(keys, edits, (header, changes) => {
        const book = new Book('en-US');
        const searched = header.slice(0, LOOKUPS).reverse();
        const values = header.map((_, i) => i);
        book.set('A1', [header]);
        // The values in row 2 are results, so that the cells that the lookups share change during a calculation.
        book.set('A2', [values.map((_, i) => `=${columnName(i)}3*1`)]);
        book.set('A3', [values]);
        book.set(`A${FIRST_LOOKUP}`, createLookups(searched));
        const compare = () => {
          for (const [i, wanted] of searched.entries()) {
            const first = values[header.indexOf(wanted)] ?? '#N/A';
            const last = values[header.lastIndexOf(wanted)] ?? '#N/A';
            const row = FIRST_LOOKUP + i;
            const found = header.includes(wanted) ? first : 'none';
            assert.deepEqual(book.grid(`B${row}:E${row}`), [[first, first, found, last]], wanted);
          }
        };
        compare();
        for (const [column, changedKey, value] of changes) {
          header[column] = changedKey;
          values[column] = value;
          book.apply([book.write(`${columnName(column)}1`, changedKey), book.write(`${columnName(column)}3`, value)]);
          compare();
        }
      }),
      { numRuns: 10 },
    );
  });

  it('read the row once for all formulas of a column', () => {
    const columns = 2_000;
    const rows = 1_000;
    const book = new Book('en-US');
    book.addSheet('Wide');
    book.set('Wide!A1', [
      Array.from({ length: columns }, (_, i) => `key ${i}`),
      Array.from({ length: columns }, (_, i) => i),
    ]);
    book.set(
      'A1',
      Array.from({ length: rows }, (_, i) => [`key ${(i * 7) % columns}`]),
    );
    book.context = createContext({ budget: { cells: 40 * rows, milliseconds: 60_000, clock: () => 0 } });
    book.set(
      'B1',
      Array.from({ length: rows }, (_, i) => [
        `=HLOOKUP(A${i + 1};Wide!$A$1:$${columnName(columns - 1)}$2;2;FALSE)`,
        `=MATCH(A${i + 1};Wide!$1:$1;0)`,
      ]),
    );
    assert.deepEqual(book.grid('B1000:C1000'), [[993, 994]]);
  });
});

/** Criteria for wide rows. Row 1 has keys, row 2 values; `key` is the cell with the criterion. */
const CRITERIA: readonly ((key: string) => string)[] = [
  (key) => `=SUMIF($A$1:$${LAST}$1;${key};$A$2:$${LAST}$2)`,
  (key) => `=COUNTIF($A$1:$${LAST}$1;${key})`,
  (key) => `=COUNTIF($A$1:$${LAST}$2;${key})`,
  (key) => `=COUNTIF($1:$1;"="&${key})`,
  (key) => `=COUNTIF($A$1:$${LAST}$1;"<>"&${key})`,
  (key) => `=SUMIFS($A$2:$${LAST}$2;$A$1:$${LAST}$1;${key};$A$2:$${LAST}$2;">40")`,
  (key) => `=MAXIFS($A$2:$${LAST}$2;$A$1:$${LAST}$1;${key})`,
  (key) => `=AVERAGEIFS($A$2:$${LAST}$3;$A$1:$${LAST}$2;${key})`,
];

const ELEMENTS: readonly Input[] = [
  'north',
  'North',
  'south',
  '7',
  '7,0',
  7,
  0,
  true,
  'TRUE',
  '',
  null,
  'n*',
  25,
  '25',
];

describe('criteria for a wide row', () => {
  it('select the same cells as a formula that is calculated alone, after an edit', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const draw = createDraw(seed);
        const [book, alone] = [createLargeBudgetBook('en-US'), createLargeBudgetBook('en-US')];
        const rows = [1, 2, 3].map((row) =>
          Array.from({ length: COLUMNS }, () => (row === 1 || draw(4) === 0 ? drawElement(draw, ELEMENTS) : draw(99))),
        );
        for (const each of [book, alone]) {
          each.set('A1', rows, 'raw');
          each.set(
            `A${FIRST_LOOKUP}`,
            ELEMENTS.map((element) => [element]),
            'raw',
          );
        }
        const formulas = ELEMENTS.flatMap((_, i) =>
          CRITERIA.map((create, k) => ({
            ref: `${columnName(1 + k)}${FIRST_LOOKUP + i}`,
            formula: create(`$A${FIRST_LOOKUP + i}`),
          })),
        );
        book.set(
          `B${FIRST_LOOKUP}`,
          ELEMENTS.map((_, i) => CRITERIA.map((create) => create(`$A${FIRST_LOOKUP + i}`))),
        );
        const compare = () => assertSameAlone(book, alone, formulas, (each, ref) => each.plainValue(ref));
        compare();
        const changed = `${columnName(draw(COLUMNS))}1`;
        for (const each of [book, alone]) each.set(changed, 'south', 'raw');
        compare();
      }),
      { numRuns: 6 },
    );
  });
});
