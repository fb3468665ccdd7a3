import { Reference } from '../../functions/value.ts';
import { CHUNK_MASK, CHUNK_ROWS } from '../../sheet/chunk.ts';
import type { Scalar } from '../../value/scalar.ts';
import type { Evaluation } from '../evaluation.ts';
import { applyToScalars } from '../operators.ts';
import { type ComparisonOperator, countRows, type RangeComparison } from './range-conditions.ts';

/**
 * Searches columns for a row that meets comparisons, without an index of values: totals and extremes of blocks of rows
 * show which blocks cannot contain such a row.
 */

/** Maximum number of rows of a block whose cells are read one by one. */
const BLOCK_ROWS = 32;

/** Rows from `from` to before `to`, relative to the top of the ranges. */
interface RowBlock {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the first row, or the last row (`backwards`), for which all comparisons are true, relative to the top of the
 * ranges; -1 for none. All ranges are columns with the same number of rows. An error in a comparison counts as false.
 */
export function findComparedRow(e: Evaluation, comparisons: readonly RangeComparison[], backwards: boolean): number {
  const rows = countRows(comparisons[0]!.range);
  let block: RowBlock = backwards ? { from: rows, to: rows } : { from: 0, to: 0 };
  // Blocks double in size, so that a row near the start is found without figures of whole columns.
  for (let size = BLOCK_ROWS; backwards ? block.from > 0 : block.to < rows; size *= 2) {
    block = backwards
      ? { from: Math.max(0, block.from - size), to: block.from }
      : { from: block.to, to: Math.min(rows, block.to + size) };
    const row = findRowInBlock(e, comparisons, block, backwards);
    if (row >= 0) return row;
  }
  return -1;
}

function findRowInBlock(
  e: Evaluation,
  comparisons: readonly RangeComparison[],
  block: RowBlock,
  backwards: boolean,
): number {
  e.spendCells(1);
  const { from, to } = block;
  if (to - from <= BLOCK_ROWS) return scanBlock(e, comparisons, block, backwards);
  if (!comparisons.every((comparison) => mayContainRow(e, comparison, block))) return -1;
  const middle = findMiddle(block, comparisons[0]!.range.areas[0].top);
  const upper = { from, to: middle };
  const lower = { from: middle, to };
  const row = findRowInBlock(e, comparisons, backwards ? lower : upper, backwards);
  return row >= 0 ? row : findRowInBlock(e, comparisons, backwards ? upper : lower, backwards);
}

/** The row at which a block is divided: the first row of a chunk if possible, because figures of whole chunks are cached. */
function findMiddle({ from, to }: RowBlock, top: number): number {
  const middle = (from + to) >> 1;
  const aligned = ((top + middle + CHUNK_ROWS / 2) & ~CHUNK_MASK) - top;
  return aligned > from && aligned < to ? aligned : middle;
}

function scanBlock(
  e: Evaluation,
  comparisons: readonly RangeComparison[],
  { from, to }: RowBlock,
  backwards: boolean,
): number {
  e.reportWork(to - from);
  const isMatch = (row: number) =>
    comparisons.every(({ range, operator, operand }) => {
      const { sheet, top, left } = range.areas[0];
      return applyToScalars(operator, e.readCell(sheet, top + row, left), operand, e) === true;
    });
  for (let i = 0; i < to - from; i++) {
    const row = backwards ? to - 1 - i : from + i;
    if (isMatch(row)) return row;
  }
  return -1;
}

/** False if the totals and extremes of a block show that the comparison is false in all of its rows. */
function mayContainRow(e: Evaluation, { range, operator, operand }: RangeComparison, { from, to }: RowBlock): boolean {
  const [area] = range.areas;
  const part = new Reference([{ ...area, top: area.top + from, bottom: area.top + to - 1 }]);
  const { filled, count, emptyTexts, error } = e.computeTotals(part);
  if (error !== null) return true;
  const isTrue = (op: ComparisonOperator, value: Scalar) => applyToScalars(op, value, operand, e) === true;
  if (filled < to - from && isTrue(operator, null)) return true;
  if (operand === '' && operator === '<>') return filled > emptyTexts;
  if (typeof operand !== 'number') return operator === '=' && operand !== null ? filled > count : filled > 0;
  // Operators treat texts and truth values as greater than numbers.
  if (filled > count && (operator === '>' || operator === '>=' || operator === '<>')) return true;
  if (count === 0) return false;
  const { least, greatest } = e.computeExtremes(part);
  switch (operator) {
    case '<':
    case '<=':
      return isTrue(operator, least);
    case '>':
    case '>=':
      return isTrue(operator, greatest);
    case '=':
      return isTrue('<=', least) && isTrue('>=', greatest);
    default:
      return true;
  }
}
