import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Edit, encodeInverse, type Input } from '../../src/index.ts';
import { createLargeBudgetBook } from './alone.ts';
import { Book } from './book.ts';
import { createDraw } from './draw.ts';

/** More rows than one chunk has, so that ranges span several chunks. */
const ROWS = 400;
/** Rows whose cell is a subtotal of the rows above it. */
const SUBTOTAL_EVERY = 90;

/** A number, a text, an error, or a subtotal that other subtotals omit. */
type PlainCell = number | 'text' | 'error' | 'subtotal';

interface Options {
  readonly hidden: boolean;
  readonly nested: boolean;
  readonly errors: boolean;
}

/** The numbers that an aggregate counts; null if there is an error among its cells. */
function listCounted(
  cells: readonly PlainCell[],
  hiddenRows: ReadonlySet<number>,
  [first, last]: readonly [number, number],
  { hidden, nested, errors }: Options,
): number[] | null {
  const numbers: number[] = [];
  for (let row = first; row <= last; row++) {
    const cell = cells[row]!;
    if (hidden && hiddenRows.has(row)) continue;
    if (cell === 'subtotal' && nested) continue;
    if (cell === 'error' && !errors) return null;
    if (cell === 'subtotal') numbers.push(0);
    if (typeof cell === 'number') numbers.push(cell);
  }
  return numbers;
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const sortOf = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);

function computeVariance(numbers: readonly number[]): number | string {
  if (numbers.length < 2) return '#DIV/0!';
  const mean = sumOf(numbers) / numbers.length;
  return sumOf(numbers.map((number) => (number - mean) ** 2)) / (numbers.length - 1);
}

function computeQuantile(numbers: readonly number[], position: number): number | string {
  const ascending = sortOf(numbers);
  if (!(position >= 0 && position <= ascending.length - 1)) return '#NUM!';
  const below = Math.floor(position);
  return ascending[below]! + (position - below) * ((ascending[below + 1] ?? 0) - ascending[below]!);
}

const LARGEST_K = 5;
const SHARE = 0.25;

/** A formula for a range, and its value for the counted numbers. */
interface Aggregate {
  readonly formula: (range: string) => string;
  readonly options: Options;
  readonly compute: (numbers: readonly number[]) => number | string;
}

const VISIBLE: Options = { hidden: true, nested: true, errors: false };
const PLAIN: Options = { hidden: false, nested: true, errors: false };
const WITHOUT_ERRORS: Options = { hidden: false, nested: true, errors: true };
const ALL_OMITTED: Options = { hidden: true, nested: true, errors: true };
const ERRORS_ONLY: Options = { hidden: false, nested: false, errors: true };

const AGGREGATES: readonly Aggregate[] = [
  { formula: (range) => `SUBTOTAL(9;${range})`, options: PLAIN, compute: sumOf },
  { formula: (range) => `SUBTOTAL(109;${range})`, options: VISIBLE, compute: sumOf },
  { formula: (range) => `SUBTOTAL(102;${range})`, options: ALL_OMITTED, compute: (numbers) => numbers.length },
  {
    formula: (range) => `SUBTOTAL(104;${range})`,
    options: VISIBLE,
    compute: (numbers) => (numbers.length === 0 ? 0 : Math.max(...numbers)),
  },
  { formula: (range) => `SUBTOTAL(10;${range})`, options: PLAIN, compute: computeVariance },
  {
    formula: (range) => `AGGREGATE(10;7;${range})`,
    options: { ...ERRORS_ONLY, hidden: true },
    compute: computeVariance,
  },
  {
    formula: (range) => `AGGREGATE(12;6;${range})`,
    options: ERRORS_ONLY,
    compute: (numbers) => computeQuantile(numbers, (numbers.length - 1) / 2),
  },
  {
    formula: (range) => `AGGREGATE(12;3;${range})`,
    options: ALL_OMITTED,
    compute: (numbers) => computeQuantile(numbers, (numbers.length - 1) / 2),
  },
  {
    formula: (range) => `AGGREGATE(14;3;${range};${LARGEST_K})`,
    options: ALL_OMITTED,
    compute: (numbers) => sortOf(numbers).reverse()[LARGEST_K - 1] ?? '#NUM!',
  },
  {
    formula: (range) => `AGGREGATE(15;2;${range};${LARGEST_K})`,
    options: WITHOUT_ERRORS,
    compute: (numbers) => sortOf(numbers)[LARGEST_K - 1] ?? '#NUM!',
  },
  {
    formula: (range) => `AGGREGATE(16;1;${range};1/4)`,
    options: VISIBLE,
    compute: (numbers) => computeQuantile(numbers, SHARE * (numbers.length - 1)),
  },
  {
    formula: (range) => `AGGREGATE(18;2;${range};1/4)`,
    options: WITHOUT_ERRORS,
    compute: (numbers) => computeQuantile(numbers, SHARE * (numbers.length + 1) - 1),
  },
];

/** Ranges by row: fixed, growing, shrinking and sliding. */
const SHAPES: readonly ((row: number) => readonly [number, number])[] = [
  () => [0, ROWS - 1],
  (row) => [0, row],
  (row) => [row, ROWS - 1],
  (row) => [row, Math.min(row + 299, ROWS - 1)],
];

function formatRange([first, last]: readonly [number, number]): string {
  return `A${first + 1}:A${last + 1}`;
}

function toInput(cell: PlainCell): Input {
  if (cell === 'error') return '=1/0';
  return cell === 'subtotal' ? '=SUBTOTAL(9;C1:C2)' : cell;
}

/** Creates random cells and hidden rows, and compares all aggregates in some rows with their definition. */
function checkAggregates(seed: number, errorEvery: number, hides: boolean, nests: boolean): void {
  const draw = createDraw(seed);
  const cells = Array.from({ length: ROWS }, (_, row): PlainCell => {
    if (nests && row % SUBTOTAL_EVERY === SUBTOTAL_EVERY - 1) return 'subtotal';
    if (errorEvery > 0 && row > ROWS / 2 && draw(errorEvery) === 0) return 'error';
    return draw(9) === 0 ? 'text' : draw(4_000) / 4 - 300;
  });
  const hiddenRows = new Set<number>();
  const edits: Edit[] = [];
  for (let first = 5; hides && first < ROWS; first += 20 + draw(60)) {
    const last = first + draw(9);
    edits.push({ kind: 'hideLines', sheet: 1, axis: 'rows', first, last, hidden: true });
    for (let row = first; row <= last; row++) hiddenRows.add(row);
  }
  const book = createLargeBudgetBook('en-US');
  book.set(
    'A1',
    cells.map((cell) => [toInput(cell)]),
  );
  if (edits.length > 0) book.apply(edits);
  const formulas = AGGREGATES.flatMap((aggregate) => SHAPES.map((shape) => ({ ...aggregate, shape })));
  book.set(
    'E1',
    cells.map((_, row) => formulas.map(({ formula, shape }) => `=${formula(formatRange(shape(row)))}`)),
  );
  const compare = () => {
    for (const row of [0, 1, draw(ROWS), draw(ROWS), ROWS - 1]) {
      const actual = book.grid(`E${row + 1}:BZ${row + 1}`)[0]!;
      for (const [i, { formula, shape, options, compute }] of formulas.entries()) {
        const numbers = listCounted(cells, hiddenRows, shape(row), options);
        const expected = numbers === null ? '#DIV/0!' : compute(numbers);
        const message = `${formula(formatRange(shape(row)))} in row ${row + 1}`;
        if (typeof expected !== 'number') assert.equal(actual[i], expected, message);
        else
          assert.ok(
            Math.abs(Number(actual[i]) - expected) <= 1e-9 * Math.abs(expected),
            `${message}: ${actual[i]}, not ${expected}`,
          );
      }
    }
  };
  compare();
  for (let step = 0; step < 3; step++) {
    const row = draw(ROWS);
    if (cells[row] === 'subtotal') continue;
    cells[row] = draw(500);
    book.set(`A${row + 1}`, cells[row]);
    compare();
  }
}

describe('SUBTOTAL and AGGREGATE in every row of a column', () => {
  it('have the values of their definition, with and without omitted cells, after every edit', () => {
    const kinds = fc.tuple(fc.nat(), fc.constantFrom(0, 30), fc.boolean(), fc.boolean());
    fc.assert(
      fc.property(kinds, ([seed, errorEvery, hides, nests]) => checkAggregates(seed, errorEvery, hides, nests)),
      { numRuns: 3, endOnFailure: true, examples: [[[1, 0, false, false]], [[2, 30, true, true]]] },
    );
  });
});

it('formulas that omit hidden rows follow hiding, showing and undo', () => {
  const numbers = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`A${i + 1}`, i + 1]));
  const totals = { C1: '=SUBTOTAL(109,A1:A300)', C2: '=AGGREGATE(3,5,A1:A300)', C3: '=SUM(C1:C2)' };
  const book = Book.fromFile({ sheets: { Sheet1: { ...numbers, ...totals } } });
  const readTotals = () => ['C1', 'C2', 'C3'].map((ref) => book.value(ref));
  const perform = (edit: Edit) => {
    const outcome = book.tryEdits([edit]);
    assert.ok(outcome.kind === 'applied');
    return encodeInverse(outcome.change);
  };
  const hideRows = (first: number, last: number, hidden: boolean) =>
    perform({ kind: 'hideLines', sheet: 1, axis: 'rows', first, last, hidden });
  assert.deepEqual(readTotals(), [45_150, 300, 45_450]);
  hideRows(2, 4, true);
  const inverse = hideRows(199, 200, true);
  assert.deepEqual(readTotals(), [45_150 - 3 - 4 - 5 - 200 - 201, 295, 45_032]);
  hideRows(2, 3, false);
  assert.deepEqual(readTotals(), [45_150 - 5 - 200 - 201, 297, 45_041]);
  perform({ kind: 'takeBack', inverse, locked: [] });
  assert.deepEqual(readTotals(), [45_150 - 5, 299, 45_444]);
});
