import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { cellText, columnName, type Edit, encodeInverse, type Move, parseArea } from '../../src/index.ts';
import { createLargeBudgetBook } from '../workbook/alone.ts';
import { Book } from '../workbook/book.ts';
import { createDraw, type Draw, drawElement } from '../workbook/draw.ts';

/**
 * Formulas of a circle give `#REF!`, no matter where the calculation enters the circle. The formulas of these tests
 * ignore errors, so that a formula of the circle which is taken for one beside it gets a number.
 */

const ROWS = 7;
const COLUMNS = 4;

type PlainValue = string | number | boolean | null;

/** The operators of the formulas, by their text before the first argument. */
const OPERATORS: Readonly<Record<string, (values: readonly PlainValue[], argument: number) => PlainValue>> = {
  'COUNT(': (values) => values.filter((value) => typeof value === 'number').length,
  'COUNTA(': (values) => values.filter((value) => value !== null).length,
  'COUNTIF(': (values, limit) => values.filter((value) => typeof value === 'number' && value > limit).length,
  'SUM(': (values) => values.find(isErrorCode) ?? sumNumbers(values),
  'IFERROR(': ([value], fallback) => (isErrorCode(value) ? fallback : (value ?? 0)),
};

const ERROR = '#REF!';

function isErrorCode(value: PlainValue | undefined): value is string {
  return typeof value === 'string' && value.startsWith('#');
}

function sumNumbers(values: readonly PlainValue[]): number {
  return values.reduce<number>((sum, value) => sum + (typeof value === 'number' ? value : 0), 0);
}

function drawFormula(draw: Draw, maxRow: number): string {
  const rows = [1 + draw(maxRow), 1 + draw(maxRow)].sort((a, b) => a - b);
  const columns = [draw(COLUMNS), draw(COLUMNS)].sort((a, b) => a - b);
  const pin = () => (draw(2) === 0 ? '$' : '');
  const [from, to] = [0, 1].map((i) => `${columnName(columns[i]!)}${pin()}${rows[i]}`);
  const operator = drawElement(draw, Object.keys(OPERATORS));
  if (operator === 'IFERROR(') return `=IFERROR(${from};${1 + draw(3)})`;
  if (operator === 'COUNTIF(') return `=COUNTIF(${from}:${to};">${draw(3)}")`;
  return `=${operator}${from}:${to})`;
}

/** A formula of the sheet, as its text says. */
interface PlainFormula {
  readonly operator: string;
  /** Null if the cells were deleted. */
  readonly reads: readonly string[] | null;
  readonly argument: number;
}

function parseFormula(text: string): PlainFormula {
  const match = /^=(\w+\()([^;)]*)(?:;"?>?(\d+)"?)?\)$/.exec(text);
  assert.ok(match, text);
  const [, operator = '', range = '', argument] = match;
  const area = parseArea(range.replaceAll('$', ''));
  if (area === null) return { operator, reads: null, argument: Number(argument) };
  const reads: string[] = [];
  for (let row = area.top; row <= area.bottom; row++) {
    for (let column = area.left; column <= area.right; column++) reads.push(cellText(row, column));
  }
  return { operator, reads, argument: Number(argument) };
}

/** All cells that a cell reads directly and through other formulas. */
function findAllReads(formulas: ReadonlyMap<string, PlainFormula>, ref: string): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [ref];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const read of formulas.get(next)?.reads ?? []) {
      if (found.has(read)) continue;
      found.add(read);
      waiting.push(read);
    }
  }
  return found;
}

/** Calculates the formulas of a sheet from their texts. Formulas that read themselves, also through others, are errors. */
function calculatePlainly(book: Book): ReadonlyMap<string, PlainValue> {
  const formulas = new Map<string, PlainFormula>();
  const values = new Map<string, PlainValue>();
  const { rows, columns } = book.head.sheets[0]!.extent();
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const ref = cellText(row, column);
      const text = book.formula(ref);
      if (text === undefined) values.set(ref, book.plainValue(ref));
      else formulas.set(ref, parseFormula(text));
    }
  }
  for (const ref of formulas.keys()) if (findAllReads(formulas, ref).has(ref)) values.set(ref, ERROR);
  const read = (ref: string): PlainValue => {
    const known = values.get(ref);
    const formula = formulas.get(ref);
    if (known !== undefined || formula === undefined) return known ?? null;
    const { operator, reads, argument } = formula;
    const isRefused = reads === null && operator === 'COUNTIF(';
    const value = isRefused ? ERROR : OPERATORS[operator]!(reads?.map(read) ?? [ERROR], argument);
    values.set(ref, value);
    return value;
  };
  for (const ref of formulas.keys()) read(ref);
  return values;
}

function assertPlainValues(book: Book, message: string): void {
  for (const [ref, value] of calculatePlainly(book)) {
    assert.deepEqual(book.plainValue(ref), value, `${ref} ${book.formula(ref)} ${message}`);
  }
}

function drawMove(draw: Draw, sheet: number): Move | null {
  const [at, count, to] = [draw(ROWS), 1 + draw(2), draw(ROWS)];
  const rows = { sheet, axis: 'rows' as const, at, count };
  const isInside = to >= at && to <= at + count;
  switch (draw(4)) {
    case 0:
      return { kind: 'insert', ...rows };
    case 1:
      return { kind: 'delete', ...rows };
    case 2:
      return isInside ? null : { kind: 'reorder', ...rows, to };
    default: {
      const left = draw(COLUMNS);
      const area = { top: at, bottom: at + count - 1, left, right: left };
      return isInside ? null : { kind: 'carry', sheet, area, toSheet: sheet, row: to, column: draw(COLUMNS) };
    }
  }
}

describe('circles of formulas', () => {
  it('give an error in all their cells, and the other formulas have their plain values', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const draw = createDraw(seed);
        const book = new Book('en-US');
        const sheet = book.sheetId('Sheet1');
        const drawInput = () => (draw(3) === 0 ? 1 + draw(5) : drawFormula(draw, ROWS));
        const inverses: Uint8Array[] = [];
        for (let i = 0; i < 14; i++) {
          const inverse = draw(6) === 0 ? inverses.pop() : undefined;
          const move = draw(4) === 0 ? drawMove(draw, sheet) : null;
          const at = cellText(draw(ROWS), draw(COLUMNS));
          const write = book.write(at, [[drawInput(), drawInput()]]);
          const edit: Edit = move ? { kind: 'moveCells', move } : write;
          const outcome = book.apply([inverse ? { kind: 'takeBack', inverse, locked: [] } : edit]);
          const back = inverse ? null : encodeInverse(outcome.change);
          if (back !== null) inverses.push(back);
          assertPlainValues(book, `after edit ${i} with seed ${seed}`);
        }
        book.apply([{ kind: 'recalculate', everything: true }]);
        assertPlainValues(book, `after a full calculation with seed ${seed}`);
      }),
      { numRuns: scaleRunCount(400) },
    );
  });

  it('that arise when rows of a list of distinct values move give an error in all their cells', () => {
    const book = createLargeBudgetBook('en-US');
    book.set(
      'A1',
      Array.from({ length: 200 }, (_, i) => [`k${i % 7}`]),
    );
    book.set('L1', 'head');
    book.set(
      'L2',
      Array.from({ length: 8 }, (_, i) => [
        `=IFERROR(INDEX(A$1:A$200;MATCH(0;COUNTIF(L$1:L${i + 1};A$1:A$200);0));"none")`,
      ]),
    );
    assert.deepEqual(book.grid('L2:L9').flat(), ['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'none']);
    // L2 then reads L$1:L5, and L3:L5 read L2.
    const area = { top: 5, bottom: 5, left: 11, right: 11 };
    book.apply([{ kind: 'moveCells', move: { kind: 'carry', sheet: 1, area, toSheet: 1, row: 1, column: 11 } }]);
    assert.equal(book.formula('L2')?.includes('COUNTIF(L$1:L5;'), true);
    assert.deepEqual(book.grid('L2:L9').flat(), [ERROR, ERROR, ERROR, ERROR, null, 'k0', 'k1', 'k2']);
    book.set('L2', 'k0');
    assert.deepEqual(book.grid('L2:L9').flat(), ['k0', 'k1', 'k2', 'k3', null, 'k4', 'k5', 'k6']);
  });

  it('that only arise from the earlier area of an array are calculated without this area', () => {
    const book = new Book('en-US');
    book.set('B6', '=TOCOL(A1:E2;1)');
    book.set('D2', [[2, 3]]);
    book.set('B8', 7);
    assert.deepEqual(book.grid('B6:B8').flat(), [2, 3, 7]);
    // With a third element the array would fill B8. It is blocked, and therefore does not fill B7 either.
    book.set('E1', '=MAX(B7:C8)');
    assert.deepEqual([book.value('E1'), ...book.grid('B6:B8').flat()], [7, '#SPILL!', null, 7]);
    book.clear('B8');
    assert.deepEqual([book.plainValue('E1'), book.plainValue('B6'), book.value('B7')], [ERROR, ERROR, null]);
  });

  it('do not include formulas that read the earlier area of an array of the circle', () => {
    const book = new Book('en-US');
    book.set('C3', [['=E4'], ['=SEQUENCE(1;3;D2)']]);
    assert.equal(book.value('C3'), 2);
    book.set('D2', '=SUM(C3:C4)');
    assert.deepEqual([book.value('C3'), book.plainValue('C4'), book.plainValue('D2')], [0, ERROR, ERROR]);
    book.set('D2', 5);
    assert.deepEqual(book.grid('C3:E4'), [
      [7, null, null],
      [5, 6, 7],
    ]);
  });

  it('of an array with a fixed area include formulas beside the path on which they are found', () => {
    const array = { top: 0, left: 3, bottom: 1, right: 3 };
    const cells = { A1: '=D2+C1', A2: '=D1', C1: '=COUNT(A1)', D1: { value: null, formula: 'A1:A2*1', array } };
    const book = Book.fromFile({ sheets: { S: cells } });
    assert.deepEqual(book.grid('A1:D2'), [
      [ERROR, null, ERROR, ERROR],
      [ERROR, null, null, ERROR],
    ]);
    book.set('A1', 4);
    assert.deepEqual(book.grid('A1:D2'), [
      [4, null, 1, 4],
      [4, null, null, 4],
    ]);
    book.set('A1', '=C1');
    assert.deepEqual([book.plainValue('A1'), book.plainValue('C1'), book.plainValue('A2')], [ERROR, ERROR, ERROR]);
  });

  it('do not arise from the index of texts of a column that contains the formula', () => {
    const book = createLargeBudgetBook('en-US');
    book.set('D200', [['x'], ['y'], ['xy']]);
    book.set('D1', [
      ['=INDIRECT("D3")+COUNTIF(D10:D300;"x*")'],
      ['=INDIRECT("D3")+COUNTIF(D11:D300;">a")'],
      ['=INDIRECT("D4")+SUMIF(D11:D300;"<y";E11:E300)'],
      ['=COUNTIF(D5:D300;"x*")'],
    ]);
    assert.deepEqual(book.grid('D1:D4').flat(), [4, 5, 2, 2]);
  });

  it('of thousands of different formulas give an error in all their cells', () => {
    const book = new Book('en-US');
    const rows = 4_000;
    book.set(
      'A1',
      Array.from({ length: rows }, (_, i) => [`=COUNT(A$1:A$${rows})+${i}`]),
    );
    assert.deepEqual([...new Set(book.grid(`A1:A${rows}`).flat())], [ERROR]);
    book.set('A1', 1);
    assert.deepEqual([...new Set(book.grid(`A2:A${rows}`).flat())], [ERROR]);
    book.set('C1', `=COUNT(A1:A${rows})`);
    assert.equal(book.value('C1'), 1);
  });
});
