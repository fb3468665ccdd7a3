import { type CellError, DIV0, VALUE } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { KeyMap, scalarKey } from './array/keys.ts';
import type { Ascending } from './ascending.ts';
import { createMatcher, findBound, findEquality, type NumberBound, type Predicate } from './criteria.ts';
import { define, defineVariadic, withTraits } from './define.ts';
import { pick } from './formats.ts';
import { type CellBlock, readBlock } from './gather.ts';
import { reserveMap } from './growth.ts';
import { sortNumbers } from './numeric/summary.ts';
import {
  areasOfOneShape,
  countWithin,
  rowsFrom,
  SelectedCount,
  SelectedFigures,
  SelectedOrder,
  SelectionState,
} from './selection-states.ts';
import { sizeOf } from './shape.ts';
import { firstAtLeast } from './sorted.ts';
import { SortedNumbers } from './sorted-numbers.ts';
import type { FunctionContext, FunctionSpec } from './spec.ts';
import { type Matrix, Reference, type SheetArea, type Value } from './value.ts';

/** The cost of a distinct value, in cells. */
const UNIQUE_WORK = 4;
/** Characters compared per cell of the budget, as a power of two. */
const TEXT_WORK_LOG2 = 5;

/** Owners of states: what is kept for the ranges of a call. */
const COUNTS = {};
const ORDERS = {};
const FIGURES = {};
const FIGURES_WITH_FORMATS = {};

/** A criteria range and the condition for its cells. */
interface Condition {
  readonly range: CellBlock;
  readonly matches: Predicate;
}

/** A range with the shape of another from its own top left corner. SUMIF does this with its third argument. */
function reshape(target: Value, like: Value): Value {
  if (!(target instanceof Reference) || !(like instanceof Reference)) return target;
  const [area] = target.areas;
  const [shape] = like.areas;
  const bottom = area.top + shape.bottom - shape.top;
  const right = area.left + shape.right - shape.left;
  return new Reference([{ ...area, bottom, right }]);
}

/** Reads alternating criteria ranges and criteria. All ranges must have one shape. */
function readConditions(
  context: FunctionContext,
  pairs: readonly Value[],
  target: CellBlock | null,
): readonly Condition[] | CellError {
  if (pairs.length % 2 !== 0) return VALUE;
  const conditions: Condition[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const range = readBlock(context, pairs[i] as Value);
    if (isError(range)) return range;
    const shape = target ?? conditions[0]?.range ?? range;
    if (range.rows !== shape.rows || range.columns !== shape.columns) return VALUE;
    conditions.push({ range, matches: createMatcher(pairs[i + 1] as Scalar, context) });
  }
  return conditions;
}

/** The cells that meet every condition: marks by row of `rows × columns`, and whether all further cells meet them. */
interface Selection {
  readonly rows: number;
  readonly columns: number;
  readonly marks: Uint8Array;
  readonly beyond: boolean;
}

function select(context: FunctionContext, conditions: readonly Condition[], target: Matrix | null): Selection {
  const matrices = conditions.map(({ range }) => range.matrix);
  const rows = Math.max(...matrices.map((m) => m.rows), target?.rows ?? 0);
  const columns = Math.max(...matrices.map((m) => m.columns), target?.columns ?? 0);
  const marks = new Uint8Array(rows * columns).fill(1);
  let beyond = true;
  for (const [i, { matches }] of conditions.entries()) {
    const matrix = matrices[i]!;
    const blank = matches(null);
    beyond &&= blank;
    mark(context, marks, rows, columns, matrix, matches, blank);
  }
  return { rows, columns, marks, beyond };
}

function mark(
  context: FunctionContext,
  marks: Uint8Array,
  rows: number,
  columns: number,
  matrix: Matrix,
  matches: Predicate,
  blank: boolean,
): void {
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      const at = r * columns + c;
      if (marks[at] === 0) continue;
      const inside = r < matrix.rows && c < matrix.columns;
      const value = inside ? (matrix.data[r * matrix.columns + c] ?? null) : null;
      context.pass(typeof value === 'string' ? 1 + (value.length >> TEXT_WORK_LOG2) : 1);
      if (!(value === null ? blank : matches(value))) marks[at] = 0;
    }
  }
}

function countSelected(context: FunctionContext, pairs: readonly Value[]): Value {
  const ranges = pairs.filter((_, i) => i % 2 === 0);
  const criteria = pairs.filter((_, i) => i % 2 === 1) as readonly Scalar[];
  const areas = ranges.length === criteria.length ? areasOfOneShape(ranges) : null;
  if (areas === null) return countAll(context, pairs);
  const bounded = countWithinBounds(context, areas, criteria);
  if (bounded !== null) return bounded;
  const state = context.state(COUNTS, areas, () => new SelectionState<SelectedCount>());
  if (state === null) return countAll(context, pairs);
  const rows = areas[0]!.bottom - areas[0]!.top + 1;
  const held = state.of(criteria, rows, isWide(areas), () => new SelectedCount());
  if (held.rows === rows) return held.cells;
  const counted = countAll(context, pairsFrom(areas, criteria, held.rows));
  if (typeof counted !== 'number') return counted;
  held.cells += counted;
  held.rows = rows;
  return held.cells;
}

/**
 * Counts by the order of a range's numbers, if criteria compare this range with numbers. Null if others must count: the
 * criteria are of another kind, or there is no order.
 */
function countWithinBounds(
  context: FunctionContext,
  areas: readonly SheetArea[],
  criteria: readonly Scalar[],
): number | null {
  const bounds: NumberBound[] = [];
  const others: Value[] = [];
  let bounded: SheetArea | null = null;
  for (const [i, criterion] of criteria.entries()) {
    const bound = findBound(criterion, context);
    const area = areas[i]!;
    if (bound === null) {
      others.push(new Reference([area]), criterion);
      continue;
    }
    if (bounded !== null && !isSameArea(bounded, area)) return null;
    bounded = area;
    bounds.push(bound);
  }
  if (bounded === null) return null;
  if (others.length === 0) {
    const known = context.ordered(new Reference([bounded]));
    return known && countWithin(known.numbers, bounds);
  }
  const numbers = orderSelected(context, bounded, others);
  return numbers && countWithin(numbers, bounds);
}

/** The numbers of an area in rows that meet the criteria, in order. Null if they are requested for the first time. */
function orderSelected(context: FunctionContext, area: SheetArea, pairs: readonly Value[]): Ascending | null {
  const areas = areasOfOneShape([new Reference([area]), ...pairs.filter((_, i) => i % 2 === 0)]);
  if (areas === null || isWide(areas)) return null;
  const state = context.state(ORDERS, areas, () => new SelectionState<SelectedOrder>());
  if (state === null) return null;
  const criteria = pairs.filter((_, i) => i % 2 === 1) as readonly Scalar[];
  const rows = area.bottom - area.top + 1;
  const held = state.of(criteria, rows, false, () => new SelectedOrder());
  if (held.requests++ === 0) return null;
  if (held.rows === rows) return held.numbers;
  const added: number[] = [];
  const target = rowsFrom(area, held.rows);
  visitSelected(context, target, pairsFrom(areas.slice(1), criteria, held.rows), (value) => {
    if (typeof value === 'number') added.push(value);
    return null;
  });
  if (held.rows === 0) held.numbers = SortedNumbers.of(sortNumbers(added, context));
  else for (const number of added) held.numbers.add(number);
  held.rows = rows;
  return held.numbers;
}

/** Ranges from a row on and their criteria, in turns. */
function pairsFrom(areas: readonly SheetArea[], criteria: readonly Scalar[], row: number): readonly Value[] {
  return areas.flatMap((area, i): Value[] => [rowsFrom(area, row), criteria[i]!]);
}

/** True for areas of several columns. Functions read them row by row, so they do not continue. */
function isWide([area]: readonly SheetArea[]): boolean {
  return area !== undefined && area.left !== area.right;
}

function isSameArea(a: SheetArea, b: SheetArea): boolean {
  return a.sheet === b.sheet && a.top === b.top && a.left === b.left && a.bottom === b.bottom && a.right === b.right;
}

function countAll(context: FunctionContext, pairs: readonly Value[]): Value {
  const known = findCandidates(context, pairs[0] as Value, pairs);
  if (known) {
    let count = 0;
    eachMatch(context, pairs, known, () => {
      count++;
      return undefined;
    });
    return count;
  }
  const conditions = readConditions(context, pairs, null);
  if (isError(conditions)) return conditions;
  const selection = select(context, conditions, null);
  let count = 0;
  for (const marked of selection.marks) count += marked;
  context.pass(selection.marks.length);
  if (!selection.beyond) return count;
  const { rows, columns } = conditions[0]!.range;
  return count + rows * columns - selection.marks.length;
}

/** The figures of the selected cells of `target`, or an error that the ranges themselves cause. */
function figuresOfSelected(
  context: FunctionContext,
  target: Value,
  pairs: readonly Value[],
): SelectedFigures | CellError {
  const ranges = pairs.filter((_, i) => i % 2 === 0);
  const criteria = pairs.filter((_, i) => i % 2 === 1) as readonly Scalar[];
  const areas = ranges.length === criteria.length ? areasOfOneShape([target, ...ranges]) : null;
  const owner = context.formats === null ? FIGURES : FIGURES_WITH_FORMATS;
  const state = areas && context.state(owner, areas, () => new SelectionState<SelectedFigures>());
  if (areas === null || state === null) return addFigures(context, new SelectedFigures(), target, pairs);
  const rows = areas[0]!.bottom - areas[0]!.top + 1;
  const figures = state.of(criteria, rows, isWide(areas), () => new SelectedFigures());
  const done = figures.rows;
  if (done === rows || figures.error !== null) return figures;
  const added = addFigures(context, figures, rowsFrom(areas[0]!, done), pairsFrom(areas.slice(1), criteria, done));
  if (!isError(added)) figures.rows = rows;
  return added;
}

function addFigures(
  context: FunctionContext,
  figures: SelectedFigures,
  target: Value,
  pairs: readonly Value[],
): SelectedFigures | CellError {
  const problem = visitSelected(context, target, pairs, (value) => {
    if (isError(value)) figures.error = value;
    else if (typeof value === 'number') figures.add(value, context.formats?.last ?? 0);
    return figures.error;
  });
  return figures.error === null && problem !== null ? problem : figures;
}

/**
 * Calls `visit` with the selected cells of `target`, with their formats, until it returns an error. Returns this error,
 * or one that the ranges themselves cause.
 */
function visitSelected(
  context: FunctionContext,
  target: Value,
  pairs: readonly Value[],
  visit: (value: Scalar) => CellError | null,
): CellError | null {
  const known = findCandidates(context, target, pairs);
  if (known) return eachCandidate(context, target as Reference, pairs, known, visit);
  const block = readBlock(context, target);
  if (isError(block)) return block;
  const conditions = readConditions(context, pairs, block);
  if (isError(conditions)) return conditions;
  const values = block.matrix;
  const { columns, marks } = select(context, conditions, values);
  for (let r = 0; r < values.rows; r++) {
    context.pass(values.columns);
    for (let c = 0; c < values.columns; c++) {
      if (marks[r * columns + c] === 0) continue;
      const error = visit(pick(context, values, r, c));
      if (error !== null) return error;
    }
  }
  return null;
}

/** Rows, relative to the top of the ranges, that include all that meet every condition. */
interface Candidates {
  readonly rows: readonly number[];
  /** First and last index in `rows` within the ranges. */
  readonly from: number;
  readonly to: number;
  readonly top: number;
}

/**
 * The shortest list of rows from an index, if there is an equality condition for a column of the same shape. Null if
 * every row must be checked.
 */
function findCandidates(context: FunctionContext, target: Value, pairs: readonly Value[]): Candidates | null {
  if (pairs.length % 2 !== 0) return null;
  const shape = columnOf(target);
  if (!shape) return null;
  let best: Candidates | null = null;
  for (let i = 0; i < pairs.length; i += 2) {
    const area = columnOf(pairs[i] as Value);
    if (!area || area.bottom - area.top !== shape.bottom - shape.top) return null;
    const wanted = findEquality(pairs[i + 1] as Scalar, context);
    const rows = wanted === null ? null : context.rowsEqual(area, wanted, true);
    if (rows === null) continue;
    const from = firstAtLeast(rows, area.top);
    const to = firstAtLeast(rows, area.bottom + 1) - 1;
    if (best === null || to - from < best.to - best.from) best = { rows, from, to, top: area.top };
  }
  return best;
}

function columnOf(value: Value): SheetArea | null {
  if (!(value instanceof Reference) || value.areas.length > 1) return null;
  const [area] = value.areas;
  return area.left === area.right ? area : null;
}

/** Visits candidates that meet every condition, by offset from the top of the ranges. */
function eachMatch(
  context: FunctionContext,
  pairs: readonly Value[],
  known: Candidates,
  visit: (offset: number) => CellError | undefined,
): CellError | null {
  const conditions: { readonly area: SheetArea; readonly matches: Predicate }[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    conditions.push({
      area: columnOf(pairs[i] as Value) as SheetArea,
      matches: createMatcher(pairs[i + 1] as Scalar, context),
    });
  }
  context.spend(Math.max(0, known.to - known.from + 1));
  for (let i = known.from; i <= known.to; i++) {
    const offset = known.rows[i]! - known.top;
    const all = conditions.every(({ area, matches }) =>
      matches(context.cell(area.sheet, area.top + offset, area.left)),
    );
    const error = all ? visit(offset) : undefined;
    if (error) return error;
  }
  return null;
}

function eachCandidate(
  context: FunctionContext,
  target: Reference,
  pairs: readonly Value[],
  known: Candidates,
  visit: (value: Scalar) => CellError | null,
): CellError | null {
  const [area] = target.areas;
  return eachMatch(
    context,
    pairs,
    known,
    (offset) => visit(context.cell(area.sheet, area.top + offset, area.left)) ?? undefined,
  );
}

/** Counts the distinct selected values without blank cells. */
function countUniqueSelected(context: FunctionContext, target: Value, pairs: readonly Value[]): Value {
  const block = readBlock(context, target);
  if (isError(block)) return block;
  const conditions = readConditions(context, pairs, block);
  if (isError(conditions)) return conditions;
  const { matrix } = block;
  const { columns, marks } = select(context, conditions, matrix);
  const seen = new KeyMap<true>();
  for (const [i, value] of matrix.data.entries()) {
    context.pass(UNIQUE_WORK);
    reserveMap(context, seen.size);
    const at = Math.floor(i / matrix.columns) * columns + (i % matrix.columns);
    if (marks[at] === 1 && value !== null) seen.set(scalarKey(value), true);
  }
  return seen.size;
}

/** The share of a range's cells that meet a condition. */
function shareSelected(context: FunctionContext, range: Value, criterion: Scalar): Value {
  const count = countSelected(context, [range, criterion]);
  const { rows, columns } = sizeOf(range);
  return typeof count === 'number' ? count / (rows * columns) : count;
}

type Fold = (context: FunctionContext, target: Value, pairs: readonly Value[]) => Value;

/** A function of the figures of selected cells. The first selected error is its result. */
function foldFigures(result: (figures: SelectedFigures) => number | CellError): Fold {
  return (context, target, pairs) => {
    const figures = figuresOfSelected(context, target, pairs);
    return isError(figures) ? figures : (figures.error ?? result(figures));
  };
}

const sumSelected = foldFigures(({ sum }) => sum);
const averageSelected = foldFigures(({ sum, count }) => (count === 0 ? DIV0 : sum / count));

function extremeSelected(isGreatest: boolean): Fold {
  return (context, target, pairs) => {
    const figures = figuresOfSelected(context, target, pairs);
    if (isError(figures)) return figures;
    if (context.formats !== null) context.formats.last = isGreatest ? figures.greatestFormat : figures.leastFormat;
    return figures.error ?? (isGreatest ? figures.greatest : figures.least);
  };
}

function defineWithOneCondition(family: 'math' | 'statistical', name: string, fold: Fold): FunctionSpec {
  return define(family, name, ['value', 'any', 'value??'], (context, range, criterion, target) =>
    fold(context, target === undefined ? range : reshape(target, range), [range, criterion]),
  );
}

function defineWithConditions(family: 'math' | 'statistical', name: string, fold: Fold): FunctionSpec {
  return defineVariadic(
    family,
    name,
    ['value', 'value', 'any'],
    ['value', 'any'],
    (context, target, range, criterion, rest) => fold(context, target, [range, criterion, ...rest]),
  );
}

export const CONDITIONAL_SUMS: readonly FunctionSpec[] = [
  withTraits(defineWithOneCondition('math', 'SUMIF', sumSelected), { carries: -1, referenceArrays: 'taken' }),
  withTraits(defineWithConditions('math', 'SUMIFS', sumSelected), { carries: 0, referenceArrays: 'taken' }),
];

export const CONDITIONAL_STATISTICS: readonly FunctionSpec[] = [
  define(
    'statistical',
    'COUNTIF',
    ['value', 'any'],
    (context, range, criterion) => countSelected(context, [range, criterion]),
    { referenceArrays: 'taken' },
  ),
  defineVariadic(
    'statistical',
    'COUNTIFS',
    ['value', 'any'],
    ['value', 'any'],
    (context, range, criterion, rest) => countSelected(context, [range, criterion, ...rest]),
    { referenceArrays: 'taken' },
  ),
  withTraits(defineWithOneCondition('statistical', 'AVERAGEIF', averageSelected), {
    carries: -1,
    referenceArrays: 'taken',
  }),
  withTraits(defineWithConditions('statistical', 'AVERAGEIFS', averageSelected), {
    carries: 0,
    referenceArrays: 'taken',
  }),
  withTraits(defineWithConditions('statistical', 'MAXIFS', extremeSelected(true)), {
    picks: 'element',
    referenceArrays: 'taken',
  }),
  withTraits(defineWithConditions('statistical', 'MINIFS', extremeSelected(false)), {
    picks: 'element',
    referenceArrays: 'taken',
  }),
];

/** Conditional functions of Google Sheets. */
export const GOOGLE_CONDITIONAL: readonly FunctionSpec[] = [
  defineVariadic(
    'google',
    'COUNTUNIQUEIFS',
    ['value', 'value', 'any'],
    ['value', 'any'],
    (context, target, range, criterion, rest) => countUniqueSelected(context, target, [range, criterion, ...rest]),
    { referenceArrays: 'taken' },
  ),
  define('google', 'PERCENTIF', ['value', 'any'], shareSelected, { referenceArrays: 'taken', format: 'percent' }),
];
