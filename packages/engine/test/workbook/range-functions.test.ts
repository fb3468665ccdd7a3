import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { elementAt } from '../../../../test/elements.ts';
import type { Value } from '../../src/functions/value.ts';
import { columnName, type Edit, encodeInverse, type Input, isError, type Scalar } from '../../src/index.ts';
import { callAndReadScalar, createReference } from '../functions/call.ts';
import { createLargeBudgetBook } from './alone.ts';
import { Book, createContext } from './book.ts';
import { createDraw, type Draw } from './draw.ts';

/** More rows than one chunk has, so that ranges span several chunks. */
const ROWS = 300;
const DATA_COLUMNS = 3;
/** Number of edits in one run. */
const STEPS = 12;
const FIRST_FORMULA = 'E';

/** Formulas for a row, over the whole column or a growing range. Column A has keys, B any values, C numbers. */
const FORMULAS: readonly ((row: number, last: number) => string)[] = [
  (row, last) => `SUMIFS(C$1:C$${last};A$1:A$${last};A${row})`,
  (row) => `SUMIFS(C$1:C${row};A$1:A${row};A${row};B$1:B${row};B${row})`,
  (row, last) => `SUMIF(B$1:B$${last};">"&C${row};C$1:C$${last})`,
  (row, last) => `SUMIF(A$1:A$${last};A${row};C$1)`,
  (row) => `AVERAGEIF(A$1:A${row};A${row};C$1:C$2)`,
  (row, last) => `SUMIF(A${row}:A$${last};A${row};C${row})`,
  (row) => `SUMIF(A${row}:A${row + 5};A${row};B${row})`,
  (row, last) => `COUNTIF(B$1:B$${last};B${row})`,
  (row, last) => `COUNTIFS(B$1:B$${last};">"&C${row})`,
  (row, last) => `COUNTIFS(A$1:A$${last};A${row};B$1:B$${last};"<="&C${row})`,
  (row) => `COUNTIFS(A$1:A${row};A${row};B$1:B${row};">"&C${row})`,
  (row, last) => `COUNTIFS(B$2:B$${last};">=2";B$2:B$${last};"<"&C${row})`,
  (row) => `COUNTIF(A$1:A${row};A${row})`,
  (row, last) => `COUNTIF(B$1:B$${last};"<>"&B${row})`,
  (row) => `COUNTIF(A$1:B${row};"<>"&A${row})`,
  (row, last) => `AVERAGEIFS(B$1:B$${last};A$1:A$${last};A${row})`,
  (row, last) => `MAXIFS(C$1:C$${last};A$1:A$${last};A${row})`,
  (row) => `MINIFS(B$1:B${row};A$1:A${row};A${row})`,
  (row, last) => `RANK(C${row};C$1:C$${last})`,
  (row, last) => `RANK.AVG(C${row};B$1:B$${last};1)`,
  (row) => `RANK(C${row};C$1:C${row})`,
  (row, last) => `LARGE(B$1:C$${last};${row})`,
  (row, last) => `SMALL(C$1:C$${last};${row})`,
  (row) => `MEDIAN(B$1:B${row})`,
  (row, last) => `PERCENTILE(C$1:C$${last};1/${row})`,
  (row) => `QUARTILE(C$1:C${row};3)`,
  (row, last) => `PERCENTRANK(C$1:C$${last};C${row})`,
  (row) => `MAX(B$1:B${row})`,
  (row) => `MIN(B$1:C${row};5)`,
  (row) => `COUNT(B$1:B${row})`,
  (row) => `COUNTA(B$1:B${row})`,
  (row, last) => `MAX(C${row}:C$${last})`,
  (row) => `SUMPRODUCT(B$1:B${row};C$1:C${row})`,
  (row) => `SUBTOTAL(9;B$1:B${row})`,
  (row) => `SUBTOTAL(4;C$1:C${row})`,
  (row) => `SUBTOTAL(3;B$1:B${row})`,
  (row) => `AGGREGATE(9;6;B$1:B${row})`,
  (row, last) => `MATCH(C${row};B$1:B$${last};-1)`,
  (row, last) => `MATCH(C${row};B$1:B$${last};1)`,
  (row) => `MATCH(C${row};B$1:B${row};-1)`,
  (row, last) => `XMATCH(C${row};B$1:B$${last};-1)`,
  (row, last) => `XMATCH(C${row};C$1:C$${last};1;-1)`,
  (row, last) => `XMATCH(B${row};C$1:C$${last};1)`,
  (row, last) => `COUNTIFS(B$1:B$${last};">"&C${row};C$1:C$${last};"<="&B${row})`,
  (row) => `SUMIFS(C$1:C${row};A$1:A${row};A${row};B$1:B${row};">"&C${row};C$1:C${row};"<9")`,
  (row, last) => `MAXIFS(C$1:C$${last};A$1:A$${last};A${row};B$1:B$${last};">"&C${row};C$1:C$${last};"<9")`,
  (row, last) => `COUNTIF(A${row}:A$${last};A${row})`,
  (row, last) => `SUMIF(A${row}:A$${last};A${row};C${row}:C$${last})`,
  (row, last) => `COUNTIFS(A${row}:A$${last};A${row};B${row}:B$${last};">"&C${row})`,
  (row) => `SUMIFS(B${row}:B${row + 140};C${row}:C${row + 140};"<="&C${row})`,
  (row, last) => `SUMIFS(C$1:C$${last};B$1:B$${last};"<>"&B${row})`,
  (row) => `SUMIF(A$1:A${row};"<>"&A${row};B$1:B${row})`,
  (row, last) => `MAXIFS(C$1:C$${last};C$1:C$${last};"<>"&C${row};A$1:A$${last};"<>"&A${row})`,
  (row, last) => `AVERAGEIFS(C$1:C$${last};B$1:B$${last};"<>"&B${row};C$1:C$${last};">"&C${row})`,
  (row) => `SUMIFS(B$1:B${row};A$1:A${row};A${row};B$1:B${row};"<>";B$1:B${row};"<>"&C${row})`,
  (row, last) => `MINIFS(C${row}:C$${last};B${row}:B$${last};"<>"&B${row})`,
  (row, last) => `COUNTIFS(A$1:A$${last};"<>"&A${row};B$1:B$${last};"<>"&B${row})`,
  (row) => `COUNTIFS(A$1:A${row};A${row};B$1:B${row};"<>"&B${row};C$1:C${row};">"&C${row})`,
  (row, last) => `COUNTIFS(A$1:B$${last};"<>"&A${row};B$1:C$${last};"<>"&B${row})`,
  (row, last) => `COUNTIFS(A$1:A$${last};">"&A${row};B$1:B$${last};"<"&B${row};C$1:C$${last};">="&C${row})`,
  (row) => `SUMIFS(B$1:B${row};C$1:C${row};"<="&C${row};B$1:B${row};"<9";A$1:A${row};"<"&A${row})`,
  (row, last) => `COUNTIFS(B${row}:B$${last};">"&B${row};C${row}:C$${last};"<="&C${row})`,
  (row, last) =>
    `SUMIFS(C${row}:C$${last};B${row}:B$${last};">"&C${row};C${row}:C$${last};"<"&B${row};A${row}:A$${last};A${row})`,
  (row) =>
    `MAXIFS(C${row}:C${row + 140};B${row}:B${row + 140};"<>"&B${row};C${row}:C${row + 140};"<4";A${row}:A${row + 140};"?*")`,
  (row) =>
    `AVERAGEIFS(B${row}:B${row + 140};C${row + 2}:C${row + 142};">0";B${row}:B${row + 140};"<="&C${row};A${row + 1}:A${row + 141};"<>*e*")`,
  (row, last) => `SUMIFS(C$1:C$${last};A$1:A$${last};A${row};B$1:B$${last};B${row};C$1:C$${last};C${row})`,
  (row) => `COUNTIFS(A$1:A${row};A${row};B$1:B${row};7;C$1:C${row};C$2)`,
  (row, last) => `MAXIFS(B$2:B$${last};A$2:A$${last};A${row};C$1:C$${last - 1};C${row};B$2:B$${last};"<"&C${row + 1})`,
  (row, last) => `COUNTIFS(A${row}:A$${last};A${row};B${row}:B$${last};"="&B${row};C${row}:C$${last};">0")`,
  (row) => `STDEV(B$1:C${row})`,
  (row, last) => `VAR.P(C${row}:C$${last})`,
  (row) => `COUNTBLANK(B$1:B${row})`,
  (row) => `COUNTUNIQUE(B$1:B${row})`,
  (row) => `COUNTUNIQUE(B${row}:B$${ROWS})`,
  (row, last) => `COUNTUNIQUE(B$1:B${last + 1 - row})`,
  (row) => `AVERAGEA(B$1:B${row})`,
  (row) => `GEOMEAN(C$20:C${row + 20})`,
  (row) => `HARMEAN(C$1:C${row})`,
  (row) => `SKEW(C$1:C${row})`,
  (row) => `AVEDEV(B$1:B${row})`,
  (row, last) => `STDEVA(B${row}:B$${last})`,
];

type CellGrid = Scalar[][];

function readGrid(book: Book): CellGrid {
  const sheet = elementAt(book.head.sheets, 0);
  const { rows } = sheet.extent();
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: DATA_COLUMNS }, (_, column) => sheet.value(row, column)),
  );
}

function toUpperText(value: Scalar): Scalar {
  if (value === null) return '';
  return typeof value === 'boolean' ? String(value).toUpperCase() : isError(value) ? value : String(value);
}

/** Parses a number or a fraction. */
function parseNumber(text: string): number | null {
  const [, over, under = '1'] = /^(-?\d+)(?:\/(\d+))?$/.exec(text) ?? [];
  return over === undefined ? null : Number(over) / Number(under);
}

/** Evaluates an argument: a range, a cell, a number, a text, or a text joined with a cell. */
function parseArgument(text: string, grid: CellGrid): Value {
  const match = /^"(.*?)"(?:&(.+))?$/.exec(text);
  if (match === null) return parseNumber(text) ?? createReference(text);
  const [, start = '', cell] = match;
  if (cell === undefined) return start;
  const end = toUpperText(callAndReadScalar('INDEX', [createReference(cell)], { grid }) ?? null);
  const { top, left } = createReference(cell).areas[0];
  const value = grid[top]?.[left] ?? null;
  return isError(value) ? value : `${start}${end}`;
}

/** Returns the result without indexes: calls only the function, with plain arrays. */
function callWithoutIndexes(formula: string, grid: CellGrid, row: number): unknown {
  const [, name, list] = /^=?([A-Z.]+)\((.*)\)$/.exec(formula) ?? [];
  assert.ok(name !== undefined && list !== undefined, formula);
  const args = list.split(';').map((text) => parseArgument(text, grid));
  return callAndReadScalar(name, args, { grid, row, column: DATA_COLUMNS + 1 });
}

function formatColumn(index: number): string {
  return columnName(FIRST_FORMULA.charCodeAt(0) - 'A'.charCodeAt(0) + index);
}

/** The last digits of statistics depend on the order of additions. */
function assertSameValue(actual: unknown, expected: unknown, message: string): void {
  if (typeof actual !== 'number' || typeof expected !== 'number') return assert.deepEqual(actual, expected, message);
  assert.ok(Math.abs(actual - expected) <= 1e-12 * Math.abs(expected), `${message}: ${actual}, not ${expected}`);
}

function assertResults(book: Book, rows: readonly number[]): void {
  const grid = readGrid(book);
  for (const [i] of FORMULAS.entries()) {
    for (const row of rows) {
      const ref = `${formatColumn(i)}${row + 1}`;
      const formula = book.formula(ref);
      if (formula === undefined) continue;
      const expected = callWithoutIndexes(formula, grid, row);
      assertSameValue(book.plainValue(ref), expected ?? 0, `${ref} ${formula}`);
    }
  }
}

function writeRows(book: Book, data: readonly (readonly Input[])[]): void {
  book.set('A1', data, 'raw');
  const last = data.length;
  book.set(
    `${FIRST_FORMULA}1`,
    data.map((_, i) => FORMULAS.map((formula) => `=${formula(i + 1, last)}`)),
  );
}

const KEYS = ['red', 'RED', 'blue', 'green', 'x*', '7'];
const TEXTS: readonly Input[] = ['text', '3', 'Zürich', '', null, true, false];
const ANY_NUMBER = 20;

function drawNumber(draw: Draw): number {
  const kind = draw(8);
  if (kind === 0) return 46_000 + draw(8) / 4;
  return kind < 3 ? (draw(2 * ANY_NUMBER) - ANY_NUMBER) / 4 : draw(ANY_NUMBER) - 3;
}

function drawInput(draw: Draw): Input {
  return draw(8) === 0 ? elementAt(TEXTS, draw(TEXTS.length)) : drawNumber(draw);
}

const drawKey = (draw: Draw): Input => elementAt(KEYS, draw(KEYS.length));

/** Draws a random edit and the row that it changes. */
function drawEdit(book: Book, draw: Draw): { readonly edit: Edit; readonly row: number } {
  const sheet = elementAt(book.head.sheets, 0).id;
  const row = draw(ROWS);
  const write = (column: number, value: Input, mode: 'raw' | 'user' = 'raw'): Edit => ({
    ...{ kind: 'setValues', sheet, row, column },
    ...{ values: [[value]], mode },
  });
  const move = (kind: 'insert' | 'delete'): Edit => ({
    kind: 'moveCells',
    move: { kind, sheet, axis: 'rows', at: Math.min(row, ROWS - 10), count: 1 + draw(4) },
  });
  switch (draw(10)) {
    case 0:
      return { row, edit: write(0, drawKey(draw)) };
    case 1:
      return { row, edit: write(1, '=1/0', 'user') };
    case 2:
      return { row, edit: move('insert') };
    case 3:
      return { row, edit: move('delete') };
    case 4: {
      const area = { top: 0, left: 0, bottom: ROWS - 1, right: DATA_COLUMNS - 1 };
      return { row, edit: { kind: 'sort', sheet, area, by: [{ column: draw(3), descending: draw(2) === 0 }] } };
    }
    default:
      return { row, edit: write(1 + draw(2), drawInput(draw)) };
  }
}

/** Fills a book, applies and undoes random edits, and compares some rows after each step. */
function checkRandomEdits(seed: number): void {
  const draw = createDraw(seed);
  const book = createLargeBudgetBook('en-US');
  writeRows(
    book,
    Array.from({ length: ROWS }, () => [drawKey(draw), drawInput(draw), drawNumber(draw)]),
  );
  const rows = [0, draw(ROWS), draw(ROWS), ROWS - 1];
  assertResults(book, rows);
  const inverses: Uint8Array[] = [];
  for (let i = 0; i < STEPS; i++) {
    const inverse = draw(5) === 0 ? inverses.pop() : undefined;
    if (inverse !== undefined) {
      book.apply([{ kind: 'takeBack', inverse, locked: [] }]);
      assertResults(book, rows);
      continue;
    }
    const { edit, row } = drawEdit(book, draw);
    const back = encodeInverse(book.apply([edit]).change);
    if (back !== null) inverses.push(back);
    assertResults(book, [row, ...rows]);
  }
}

describe('functions of ranges, in every row of a column', () => {
  it('have the same result as each function alone, after every edit', () => {
    fc.assert(fc.property(fc.nat(), checkRandomEdits), { numRuns: scaleRunCount(6), endOnFailure: true });
  });

  it('include numbers in a new block of a column of the range', () => {
    const book = Book.fromFile({ sheets: { S: {} } });
    book.set(
      'A1',
      Array.from({ length: 1_000 }, () => [0]),
    );
    book.set(
      'B1',
      Array.from({ length: 100 }, () => [0]),
    );
    book.set('D1', [['=LARGE(A1:B1000;1)'], ['=LARGE(A1:B1000;1)']]);
    book.set('B1', 1);
    assert.equal(book.value('D2'), 1);
    book.set('B600', 2);
    assert.equal(book.value('D2'), 2);
  });
});

describe('the cost of functions of ranges by row', () => {
  const ROWS_BY_ROW = 2_000;
  const CELLS_PER_ROW = 40;
  const last = ROWS_BY_ROW;
  const formulas: readonly ((row: number) => string)[] = [
    (row) => `SUMIFS(B$1:B$${last};A$1:A$${last};A${row})`,
    (row) => `COUNTIF(A$1:A$${last};A${row})`,
    (row) => `COUNTIFS(B$1:B$${last};">"&B${row})`,
    (row) => `COUNTIF(B$1:B$${last};"<>"&B${row})`,
    (row) => `COUNTIFS(A$1:A${row};"<>"&A${row})`,
    (row) => `COUNTIFS(A$1:A$${last};"<>"&A${row};B$1:B$${last};"<>"&B${row})`,
    (row) => `SUMIFS(B$1:B$${last};B$1:B$${last};"<>"&B${row})`,
    (row) => `MAXIFS(B$1:B${row};A$1:A${row};"<>"&A${row})`,
    (row) => `COUNTIFS(B${row}:B$${last};">"&B${row};C${row}:C$${last};"<="&C${row})`,
    (row) => `SUMIFS(C$1:C${row};B$1:B${row};">"&B${row};C$1:C${row};"<"&C${row};A$1:A${row};">="&A${row})`,
    (row) => `SUMIFS(C$1:C${row};B$1:B${row};">"&B${row};A$1:A${row};"<>"&A${row})`,
    (row) => `COUNTIFS(A$1:A$${last};A${row};B$1:B$${last};">"&B${row})`,
    (row) => `SUMIFS(C$1:C$${last};B$1:B$${last};">"&B${row})`,
    (row) => `SUMIFS(B$1:B${row};A$1:A${row};A${row};C$1:C${row};C${row})`,
    (row) => `SUMIFS(B$1:B$${last};A$1:A$${last};A${row};C$1:C$${last};C${row};D$1:D$${last};D${row})`,
    (row) => `COUNTIFS(A$1:A${row};A${row};C$1:C${row};C${row};D$1:D${row};D${row})`,
    (row) => `MAXIFS(B$1:B$${last};D$1:D$${last};D${row};B$1:B$${last};"<"&B${row})`,
    (row) => `RANK(B${row};B$1:B$${last})`,
    (row) => `LARGE(B$1:B$${last};${row})`,
    (row) => `PERCENTRANK(B$1:B$${last};B${row})`,
    (row) => `MEDIAN(B$1:B${row})`,
    (row) => `MAX(B$1:B${row})`,
    (row) => `COUNT(B$1:B${row})`,
    (row) => `STDEV(B$1:B${row})`,
    (row) => `SUMSQ(B${row}:B$${last})`,
    (row) => `COUNTIFS(B$1:B$${last};">"&B${row};C$1:C$${last};"<="&C${row})`,
    (row) => `SUMIFS(B$1:B${row};A$1:A${row};A${row};B$1:B${row};"<="&B${row};C$1:C${row};"<="&C${row})`,
    (row) => `COUNTIFS(A${row}:A$${last};A${row};B${row}:B$${last};">"&B${row})`,
    (row) => `SUMIF(A${row}:A$${last};A${row};B${row}:B$${last})`,
    (row) => `SUMPRODUCT(B$1:B${row};C$1:C${row})`,
    (row) => `SUMPRODUCT(B$1:B${row}*C$1:C${row})`,
    (row) => `SUMPRODUCT((A$1:A$${last}=A${row})*(B$1:B$${last}>B${row})*C$1:C$${last})`,
    (row) => `SUM((A$1:A${row}=A${row})*B$1:B${row})`,
    (row) => `MATCH(1;(A$1:A$${last}=A${row})*(B$1:B$${last}=B${row});0)`,
    (row) => `LOOKUP(2;1/(B$1:B$${last}=B${row});C$1:C$${last})`,
    (row) => `SUBTOTAL(9;B$1:B${row})`,
    (row) => `AGGREGATE(12;6;B$1:B${row})`,
    (row) => `AGGREGATE(14;6;B$1:B$${last};${row})`,
    (row) => `AGGREGATE(16;6;B$1:B$${last};${row}/${last})`,
    (row) => `AGGREGATE(7;6;B$1:B${row + 1})`,
    (row) => `XMATCH(C${row};B$1:B$${last};-1)`,
    (row) => `MATCH(C${row}-12;B$1:B$${last};-1)`,
  ];
  for (const formula of formulas) {
    it(`grows linearly with the number of rows: ${formula(1)}`, () => {
      const book = new Book('en-US');
      book.set(
        'A1',
        Array.from({ length: last }, (_, i) => [`key ${i % 20}`, (i * 7_919) % 10_007, i % 12, i % 17]),
      );
      book.context = createContext({ budget: { cells: CELLS_PER_ROW * last, milliseconds: 60_000, clock: () => 0 } });
      book.set(
        'E1',
        Array.from({ length: last }, (_, i) => [`=${formula(i + 1)}`]),
      );
      book.set(`B${last >> 1}`, 5);
      assert.equal(typeof book.value(`E${last}`), 'number');
    });
  }

  it('is lower for values that are only copied into arrays', () => {
    const rows = 600;
    const results = [true, false].map((isChecked) => {
      const book = new Book('en-US');
      book.set(
        'A1',
        Array.from({ length: rows }, (_, i) => [`key ${i % 20}`, i]),
      );
      const budget = { cells: 300_000, milliseconds: 60_000, clock: () => 0 };
      book.context = createContext({ budget: isChecked ? { ...budget, hasMemory: () => true } : budget });
      const formula = (row: number) => `=SUMPRODUCT((B$1:B$${rows}+${row}*B${row})*B$1:B$${rows})`;
      return book.tryEdits([
        book.write(
          'E1',
          Array.from({ length: rows }, (_, i) => [formula(i + 1)]),
        ),
      ]).kind;
    });
    assert.deepEqual(results, ['applied', 'refusal']);
  });
});
