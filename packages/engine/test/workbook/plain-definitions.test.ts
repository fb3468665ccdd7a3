import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { columnName, type Edit, encodeInverse, type Input, isError, type Move } from '../../src/index.ts';
import { createLargeBudgetBook } from './alone.ts';
import type { Book } from './book.ts';
import { createDraw, type Draw, drawElement } from './draw.ts';
import { PlainError, type PlainValue, parsePlainFormula, UNDEFINED } from './plain-formulas.ts';

/** Enough rows for all indexes, and for two chunks after rows were inserted. */
const ROWS = 220;
const STEPS = 6;
const FIRST_FORMULA = 5;

const all = (column: string) => `${column}$1:${column}$${ROWS}`;
const growing = (column: string, row: number) => `${column}$1:${column}${row}`;
const shrinking = (column: string, row: number) => `${column}${row}:${column}$${ROWS}`;
const sliding = (column: string, row: number) => `${column}${row}:${column}${row + 140}`;

/** Formulas for a row. Column A has keys, B values of all kinds, C and D numbers. */
const FORMULAS: readonly ((row: number) => string)[] = [
  (row) => `SUMIFS(${all('C')};${all('A')};A${row})`,
  (row) => `SUMIFS(${all('B')};${all('A')};A${row};${all('C')};"<="&C${row})`,
  (row) => `SUMIFS(${growing('C', row)};${growing('A', row)};A${row};${growing('D', row)};D${row})`,
  (row) => `SUMIFS(${all('C')};${all('C')};">"&D${row};${all('D')};"<="&C${row};${all('A')};"<>"&A${row})`,
  (row) => `SUMIF(${shrinking('A', row)};A${row};${shrinking('C', row)})`,
  (row) => `AVERAGEIFS(${all('C')};${all('D')};"<"&D${row};${all('B')};"<>")`,
  (row) => `COUNTIFS(${all('B')};">"&C${row})`,
  (row) => `COUNTIFS(${all('A')};A${row};${all('C')};C${row};${all('D')};"<>"&D${row})`,
  (row) => `COUNTIFS(${sliding('A', row)};A${row};${sliding('C', row)};">="&C${row})`,
  (row) => `COUNTIFS(${growing('B', row)};B${row};${growing('C', row)};"<"&C${row})`,
  (row) => `COUNTIF(${growing('A', row)};"<>"&A${row})`,
  (row) => `COUNTIF(${all('A')};">"&A${row})`,
  (row) => `MAXIFS(${all('B')};${all('A')};A${row};${all('C')};"<"&C${row})`,
  (row) => `MINIFS(${growing('C', row)};${growing('D', row)};">"&D${row};${growing('A', row)};"*e*")`,
  (row) => `MAXIFS(${sliding('C', row)};${sliding('C', row)};"<>"&C${row};${sliding('D', row)};"<="&C${row})`,
  (row) => `SUMPRODUCT((${all('A')}=A${row})*(${all('C')}>C${row})*${all('D')})`,
  (row) => `SUMPRODUCT((${growing('C', row)}=C${row})*1;${growing('D', row)};${growing('B', row)})`,
  (row) => `SUMPRODUCT(--(${all('A')}<>A${row});--(${all('D')}<D${row}))`,
  (row) => `SUMPRODUCT((${all('A')}=A${row})*${all('C')}*${all('D')})`,
  (row) => `MAX((${all('A')}=A${row})*(${all('C')}<C${row})*${all('D')})`,
  (row) => `MIN((${growing('D', row)}>=D${row})*${growing('C', row)})`,
  (row) => `SUM(--(FREQUENCY(${growing('B', row)};${growing('B', row)})>0))`,
  (row) => `SUM(--(FREQUENCY(${all('C')};${shrinking('D', row)})>1))`,
  (row) => `MATCH(0;COUNTIF(${growing('B', row)};${all('B')});0)`,
  (row) => `MATCH(0;COUNTIF(${growing('A', row)};${all('A')});0)`,
  (row) => `MATCH(1;(${all('A')}=A${row})*(${all('D')}<D${row});0)`,
  (row) => `RANK(C${row};${all('C')})`,
  (row) => `RANK(D${row};${growing('C', row)};1)`,
  (row) => `LARGE(${growing('C', row)};3)`,
  (row) => `SMALL(${shrinking('B', row)};2)`,
  (row) => `MEDIAN(${sliding('C', row)})`,
  (row) => `PERCENTILE(${growing('D', row)};3/10)`,
  (row) => `SUBTOTAL(9;${growing('C', row)})`,
  (row) => `SUBTOTAL(109;${growing('D', row)})`,
  (row) => `SUBTOTAL(104;${shrinking('C', row)})`,
  (row) => `SUBTOTAL(102;${growing('B', row)})`,
  (row) => `XLOOKUP(C${row}+1/8;${all('D')};${all('C')};"none";-1)`,
  (row) => `XLOOKUP(A${row};${all('A')};${all('C')};"none";0;-1)`,
];

const KEYS: readonly Input[] = ['red', 'RED', 'Green', 'blue', 'x', '7', 7, null, true];
const ODD: readonly Input[] = ['text', 'Text', '3', '', null, true, false];

const drawNumber = (draw: Draw) => (draw(80) - 20) / 4;

function drawRow(draw: Draw, withErrors: boolean): Input[] {
  const mixed = draw(5) === 0 ? drawElement(draw, ODD) : drawNumber(draw);
  const hasError = withErrors && draw(80) === 0;
  return [drawElement(draw, KEYS), hasError ? { as: 'error', value: '#N/A' } : mixed, drawNumber(draw), draw(9)];
}

function toPlainValue(value: ReturnType<Book['value']>): PlainValue {
  return isError(value) ? new PlainError(value.code) : value;
}

function compareWithDefinitions(book: Book, rows: readonly number[], message: string): void {
  const sheet = book.head.sheets[0]!;
  const cells = {
    readCell: (row: number, column: number) => toPlainValue(sheet.value(row, column)),
    isHidden: (row: number) => sheet.hiddenRows.has(row),
  };
  for (const row of rows) {
    for (const i of FORMULAS.keys()) {
      const ref = `${columnName(FIRST_FORMULA + i)}${row + 1}`;
      const formula = book.formula(ref);
      if (formula !== undefined)
        assertSame(book.plainValue(ref), computePlainly(formula, cells), `${ref} ${formula} ${message}`);
    }
  }
}

/** The value of a formula by its definition; undefined if the definitions do not cover a value. */
function computePlainly(formula: string, cells: Parameters<ReturnType<typeof parsePlainFormula>>[0]) {
  try {
    const value = parsePlainFormula(formula)(cells);
    return value instanceof PlainError ? value.code : (value ?? 0);
  } catch (error) {
    if (error === UNDEFINED) return undefined;
    throw error;
  }
}

/** Sums of indexes are exact; plain sums are rounded at each addition. */
function assertSame(actual: unknown, expected: unknown, message: string): void {
  if (expected === undefined) return;
  if (typeof actual !== 'number' || typeof expected !== 'number') return assert.deepEqual(actual, expected, message);
  assert.ok(Math.abs(actual - expected) <= 1e-9, `${message}: ${actual}, not ${expected}`);
}

function drawMove(draw: Draw, sheet: number): Move {
  const [at, count] = [draw(ROWS - 20), 1 + draw(6)];
  const rows = { sheet, axis: 'rows' as const, at, count };
  const kind = drawElement(draw, ['insert', 'delete', 'reorder', 'carry'] as const);
  if (kind === 'insert' || kind === 'delete') return { kind, ...rows };
  const to = at + count + 1 + draw(12);
  if (kind === 'reorder') return { kind, ...rows, to };
  const column = draw(4);
  const area = { top: at, bottom: at + count - 1, left: column, right: column };
  return { kind, sheet, area, toSheet: sheet, row: to, column };
}

function drawEdit(draw: Draw, book: Book, withErrors: boolean): Edit {
  const sheet = book.sheetId('Sheet1');
  const row = draw(ROWS);
  const data = { top: 0, left: 0, bottom: ROWS - 1, right: 3 };
  switch (draw(8)) {
    case 0:
    case 1:
      return { kind: 'moveCells', move: drawMove(draw, sheet) };
    case 2:
      return { kind: 'sort', sheet, area: data, by: [{ column: draw(4), descending: draw(2) === 0 }] };
    case 3:
      return { kind: 'hideLines', sheet, axis: 'rows', first: row, last: row + draw(9), hidden: draw(3) > 0 };
    case 4:
      return { kind: 'setValues', sheet, row, column: draw(2), values: [[null]], mode: 'raw' };
    default:
      return { kind: 'setValues', sheet, row, column: 0, values: [drawRow(draw, withErrors)], mode: 'raw' };
  }
}

function checkRandomEdits(seed: number, withErrors: boolean): void {
  const draw = createDraw(seed);
  const book = createLargeBudgetBook('en-US');
  book.set(
    'A1',
    Array.from({ length: ROWS }, () => drawRow(draw, withErrors)),
    'raw',
  );
  book.set(
    `${columnName(FIRST_FORMULA)}1`,
    Array.from({ length: ROWS }, (_, row) => FORMULAS.map((create) => `=${create(row + 1)}`)),
  );
  const rows = [0, 1, draw(ROWS), draw(ROWS), ROWS - 1];
  compareWithDefinitions(book, rows, `with seed ${seed}`);
  const inverses: Uint8Array[] = [];
  for (let i = 0; i < STEPS; i++) {
    const inverse = draw(4) === 0 ? inverses.pop() : undefined;
    const edit: Edit = inverse ? { kind: 'takeBack', inverse, locked: [] } : drawEdit(draw, book, withErrors);
    const outcome = book.tryEdits([edit]);
    if (outcome.kind === 'refusal') continue;
    const back = inverse ? null : encodeInverse(outcome.change);
    if (back !== null) inverses.push(back);
    compareWithDefinitions(book, [draw(ROWS), ...rows], `after edit ${i} with seed ${seed}`);
  }
}

describe('formulas with indexes, in every row of a column', () => {
  it('have the values of their definitions, after every edit', () => {
    fc.assert(fc.property(fc.nat(), fc.boolean(), checkRandomEdits), { numRuns: scaleRunCount(8), endOnFailure: true });
  });
});
