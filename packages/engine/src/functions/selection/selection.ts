import { type CellError, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { type CellPredicate, type Criterion, createMatcher, findEquality, findPattern } from '../criteria.ts';
import { pickElement } from '../formats.ts';
import { type CellBlock, readBlock } from '../gather-numbers.ts';
import { findFirstAtLeast } from '../sorted.ts';
import type { FunctionContext } from '../spec.ts';
import { type Matrix, Reference, type SheetArea, type Value } from '../value.ts';
import { findMatchingRows } from './column-texts.ts';
import { findMatrixCandidates } from './matrix-candidates.ts';
import type { CriteriaPairs } from './selection-states.ts';
import { type EqualityCriterion, findTupleRows } from './tuple-rows.ts';

/** Number of compared characters that count as one cell of the budget, as a power of two. */
const TEXT_WORK_LOG2 = 5;

/** Maximum number of rows whose cells are read for each formula instead of once for an index. */
const FEW_ROWS = 16;

/** A criteria range and the condition for its cells. */
interface SelectionCondition {
  readonly range: CellBlock;
  readonly criterion: Criterion;
  readonly matches: CellPredicate;
}

/** Reads alternating criteria ranges and criteria. All ranges must have the same shape. */
export function readConditions(
  context: FunctionContext,
  pairs: CriteriaPairs,
  target: CellBlock | null,
): readonly SelectionCondition[] | CellError {
  if (pairs.length % 2 !== 0) return VALUE;
  const conditions: SelectionCondition[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const range = readBlock(context, pairs[i] as Value);
    if (isError(range)) return range;
    const shape = target ?? conditions[0]?.range ?? range;
    if (range.rows !== shape.rows || range.columns !== shape.columns) return VALUE;
    const criterion = pairs[i + 1] as Criterion;
    conditions.push({ range, criterion, matches: createMatcher(criterion, context) });
  }
  return conditions;
}

/**
 * The cells that meet every condition: a mark for each cell of `rows × columns`, row by row, and whether all cells
 * beyond them meet the conditions.
 */
interface RowSelection {
  readonly rows: number;
  readonly columns: number;
  readonly marks: Uint8Array;
  readonly beyond: boolean;
}

/** Marks the cells that meet every condition. `target`: may have more rows and columns than the ranges. */
export function selectCells(
  context: FunctionContext,
  conditions: readonly SelectionCondition[],
  target: Matrix | null,
): RowSelection {
  const matrices = conditions.map(({ range }) => range.matrix);
  const rows = Math.max(...matrices.map((m) => m.rows), target?.rows ?? 0);
  const columns = Math.max(...matrices.map((m) => m.columns), target?.columns ?? 0);
  const marks = new Uint8Array(rows * columns).fill(1);
  let beyond = true;
  for (const [i, { matches }] of conditions.entries()) {
    const matrix = matrices[i]!;
    const blank = matches(null);
    beyond &&= blank;
    markMatches(context, marks, rows, columns, matrix, matches, blank);
  }
  return { rows, columns, marks, beyond };
}

/** Clears the marks of cells that do not match. `matchesBlank`: the result for blanks and outside the matrix. */
function markMatches(
  context: FunctionContext,
  marks: Uint8Array,
  rows: number,
  columns: number,
  matrix: Matrix,
  matches: CellPredicate,
  matchesBlank: boolean,
): void {
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      const at = r * columns + c;
      if (marks[at] === 0) continue;
      const inside = r < matrix.rows && c < matrix.columns;
      const value = inside ? (matrix.data[r * matrix.columns + c] ?? null) : null;
      context.reportWork(typeof value === 'string' ? 1 + (value.length >> TEXT_WORK_LOG2) : 1);
      if (!(value === null ? matchesBlank : matches(value))) marks[at] = 0;
    }
  }
}

/** The number of cells that meet all criteria. */
export function countCells(context: FunctionContext, pairs: CriteriaPairs): Value {
  const candidates = findCandidates(context, pairs[0] as Value, pairs);
  if (candidates) {
    let count = 0;
    forEachMatch(context, pairs, candidates, () => {
      count++;
      return undefined;
    });
    return count;
  }
  const conditions = readConditions(context, pairs, null);
  if (isError(conditions)) return conditions;
  const positions = findPositions(context, conditions, null);
  if (positions !== null) return positions.length;
  const selection = selectCells(context, conditions, null);
  let count = 0;
  for (const marked of selection.marks) count += marked;
  context.reportWork(selection.marks.length);
  if (!selection.beyond) return count;
  const { rows, columns } = conditions[0]!.range;
  return count + rows * columns - selection.marks.length;
}

/**
 * Returns the positions of the cells that meet every condition, ascending, by an index of the cells of a range that
 * formulas share. Null if there is no index, or if the ranges have different sizes.
 */
function findPositions(
  context: FunctionContext,
  conditions: readonly SelectionCondition[],
  target: Matrix | null,
): readonly number[] | null {
  const model = target ?? conditions[0]!.range.matrix;
  let best: readonly number[] | null = null;
  for (const { range, criterion } of conditions) {
    const { matrix } = range;
    if (matrix.rows !== model.rows || matrix.columns !== model.columns) return null;
    const positions = findMatrixCandidates(context, matrix, criterion);
    if (positions !== null && (best === null || positions.length < best.length)) best = positions;
  }
  if (best === null) return null;
  context.reportWork(best.length * conditions.length);
  return best.filter((position) =>
    conditions.every(({ range, matches }) => matches(range.matrix.data[position] ?? null)),
  );
}

type VisitSelected = (value: Scalar, row: number) => CellError | null;

function visitPositions(
  context: FunctionContext,
  values: Matrix,
  positions: readonly number[],
  visit: VisitSelected,
): CellError | null {
  for (const position of positions) {
    const row = Math.floor(position / values.columns);
    const error = visit(pickElement(context, values, row, position % values.columns), row);
    if (error !== null) return error;
  }
  return null;
}

/**
 * Calls `visit` with the selected cells of `target`, their formats and their rows, until it returns an error. Returns
 * this error, or an error of the ranges, such as different shapes. Rows are counted from 0 at the top of the ranges.
 */
export function visitSelected(
  context: FunctionContext,
  target: Value,
  pairs: CriteriaPairs,
  visit: VisitSelected,
): CellError | null {
  const candidates = findCandidates(context, target, pairs);
  if (candidates) return forEachCandidate(context, target as Reference, pairs, candidates, visit);
  const block = readBlock(context, target);
  if (isError(block)) return block;
  const conditions = readConditions(context, pairs, block);
  if (isError(conditions)) return conditions;
  const values = block.matrix;
  const positions = findPositions(context, conditions, values);
  if (positions !== null) return visitPositions(context, values, positions, visit);
  const { columns, marks } = selectCells(context, conditions, values);
  for (let r = 0; r < values.rows; r++) {
    context.reportWork(values.columns);
    for (let c = 0; c < values.columns; c++) {
      if (marks[r * columns + c] === 0) continue;
      const error = visit(pickElement(context, values, r, c), r);
      if (error !== null) return error;
    }
  }
  return null;
}

/** Rows that contain all rows that meet every condition, and possibly others. Relative to the top of the ranges. */
interface CandidateRows {
  readonly rows: ArrayLike<number>;
  /** First and last index in `rows` of the rows that lie within the ranges. */
  readonly from: number;
  readonly to: number;
  readonly top: number;
}

/**
 * Returns the shortest list of rows from a column index, if a condition for a column of the same shape is an equality
 * or a pattern; or a list from the index of several columns with equalities. Null if every row must be checked.
 */
function findCandidates(context: FunctionContext, target: Value, pairs: CriteriaPairs): CandidateRows | null {
  if (pairs.length % 2 !== 0) return null;
  const shape = toSingleColumn(target);
  if (!shape) return null;
  let best: CandidateRows | null = null;
  const equalities: EqualityCriterion[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const area = toSingleColumn(pairs[i] as Value);
    if (!area || area.bottom - area.top !== shape.bottom - shape.top) return null;
    const criterion = pairs[i + 1] as Criterion;
    const value = findEquality(criterion, context);
    if (value !== null) equalities.push({ area, value });
    const rows =
      value === null ? findPatternRows(context, area, criterion) : context.findRowsWithValue(area, value, true);
    const candidates = rows && sliceCandidates(rows, area.top, area.bottom + 1);
    if (candidates !== null && (best === null || countCandidates(candidates) < countCandidates(best)))
      best = candidates;
  }
  if (best === null || countCandidates(best) <= FEW_ROWS) return best;
  const found = findTupleRows(context, equalities, countCandidates(best));
  return found ? sliceCandidates(found.rows, found.common.from, found.common.to) : best;
}

/** True if an index shows that at most a few rows can meet all criteria, so that reading them needs no other index. */
export function selectsFewRows(context: FunctionContext, target: Value, pairs: CriteriaPairs): boolean {
  const candidates = findCandidates(context, target, pairs);
  return candidates !== null && countCandidates(candidates) <= FEW_ROWS;
}

/** The rows of a list from `top` to before `end`. */
function sliceCandidates(rows: ArrayLike<number>, top: number, end: number): CandidateRows {
  return { rows, from: findFirstAtLeast(rows, top), to: findFirstAtLeast(rows, end) - 1, top };
}

function countCandidates({ from, to }: CandidateRows): number {
  return to - from + 1;
}

/** The rows of the column of an area that match a criterion with a pattern, from an index; null if there is none. */
function findPatternRows(context: FunctionContext, area: SheetArea, criterion: Criterion): readonly number[] | null {
  const pattern = findPattern(criterion, context);
  return pattern === null ? null : findMatchingRows(context, area, pattern);
}

/** The area of a reference to one column; null for any other value. */
function toSingleColumn(value: Value): SheetArea | null {
  if (!(value instanceof Reference) || value.areas.length > 1) return null;
  const [area] = value.areas;
  return area.left === area.right ? area : null;
}

/** Returns a test for rows, by their offset from the top of the ranges: true if the row meets every condition. */
export function createRowTest(context: FunctionContext, pairs: CriteriaPairs): (offset: number) => boolean {
  const conditions: { readonly area: SheetArea; readonly matches: CellPredicate }[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    conditions.push({
      area: toSingleColumn(pairs[i] as Value) as SheetArea,
      matches: createMatcher(pairs[i + 1] as Criterion, context),
    });
  }
  return (offset) =>
    conditions.every(({ area, matches }) => matches(context.readCell(area.sheet, area.top + offset, area.left)));
}

/**
 * Finds the first or the last row (`backwards`) that meets every condition, by an index. Returns its offset from the top
 * of the ranges, -1 for none; null if there is no index.
 */
export function findSelectedRow(context: FunctionContext, pairs: CriteriaPairs, backwards: boolean): number | null {
  const candidates = findCandidates(context, pairs[0] as Value, pairs);
  if (candidates === null) return null;
  const { rows, from, to, top } = candidates;
  const test = createRowTest(context, pairs);
  for (let i = 0; i <= to - from; i++) {
    context.spendCells(1);
    const offset = rows[backwards ? to - i : from + i]! - top;
    if (test(offset)) return offset;
  }
  return -1;
}

/** Visits the candidates that meet every condition, by their offset from the top of the ranges. */
function forEachMatch(
  context: FunctionContext,
  pairs: CriteriaPairs,
  candidates: CandidateRows,
  visit: (offset: number) => CellError | undefined,
): CellError | null {
  const test = createRowTest(context, pairs);
  context.spendCells(Math.max(0, candidates.to - candidates.from + 1));
  for (let i = candidates.from; i <= candidates.to; i++) {
    const offset = candidates.rows[i]! - candidates.top;
    const error = test(offset) ? visit(offset) : undefined;
    if (error) return error;
  }
  return null;
}

/** Visits the cells of `target` in the candidate rows that meet every condition. */
function forEachCandidate(
  context: FunctionContext,
  target: Reference,
  pairs: CriteriaPairs,
  candidates: CandidateRows,
  visit: VisitSelected,
): CellError | null {
  const [area] = target.areas;
  return forEachMatch(
    context,
    pairs,
    candidates,
    (offset) => visit(context.readCell(area.sheet, area.top + offset, area.left), offset) ?? undefined,
  );
}
