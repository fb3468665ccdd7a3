import type { NumberStatistics } from '../sheet/number-statistics.ts';
import { type CellError, DIV0 } from '../value/errors.ts';
import { isError } from '../value/scalar.ts';
import type { FunctionContext } from './spec.ts';
import { Reference, type Value } from './value.ts';

/** Minimum number of cells of ranges whose figures are combined from chunks. Smaller ranges are read cell by cell. */
export const MIN_COMBINED_CELLS = 256;

/** Calculates a figure from the statistics of its numbers. */
export type ComputeFigure = (statistics: NumberStatistics) => number | CellError;

/** Calculates a variance, or a figure that depends on it only. */
type ComputeVariance = (statistics: Pick<NumberStatistics, 'count' | 'squaredDeviations'>) => number | CellError;

/**
 * Calculates a figure from statistics that are cached by chunk, or returns the first error. Null if an argument is not a
 * range, or if the ranges are small; the caller then reads the cells.
 */
export function computeFromChunks(
  context: FunctionContext,
  args: readonly Value[],
  compute: ComputeFigure,
): number | CellError | null {
  const [only] = args;
  if (args.length !== 1 || !(only instanceof Reference) || countCells(only) < MIN_COMBINED_CELLS) return null;
  const statistics = context.computeStatistics(only);
  return isError(statistics) ? statistics : compute(statistics);
}

function countCells({ areas }: Reference): number {
  let cells = 0;
  for (const area of areas) cells += (area.bottom - area.top + 1) * (area.right - area.left + 1);
  return cells;
}

export const SAMPLE_VARIANCE: ComputeVariance = ({ count, squaredDeviations }) =>
  count < 2 ? DIV0 : squaredDeviations / (count - 1);

export const POPULATION_VARIANCE: ComputeVariance = ({ count, squaredDeviations }) =>
  count < 1 ? DIV0 : squaredDeviations / count;

/** The square root of a figure. */
export function rootOf(compute: ComputeVariance): ComputeVariance {
  return (statistics) => {
    const figure = compute(statistics);
    return isError(figure) ? figure : Math.sqrt(figure);
  };
}

/** The last result of a function for a range, and the parameter with which it was calculated. */
class LastResult {
  rows = -1;
  parameter = 0;
  value: number | CellError = DIV0;
}

/**
 * Returns the result of a function for a range, or calculates it if the previous call had another range or parameter.
 * Formulas of a column often repeat a fixed range. `owner`: identifies the function.
 */
export function computeOncePerRange(
  context: FunctionContext,
  owner: object,
  args: readonly Value[],
  compute: () => number | CellError,
  parameter = 0,
): number | CellError {
  const [only] = args;
  if (args.length !== 1 || !(only instanceof Reference) || only.areas.length > 1) return compute();
  if (countCells(only) < MIN_COMBINED_CELLS) return compute();
  const [area] = only.areas;
  const last = context.getRangeState(owner, [area], () => new LastResult());
  if (last === null) return compute();
  const rows = area.bottom - area.top + 1;
  if (last.rows !== rows || last.parameter !== parameter) {
    last.value = compute();
    last.rows = rows;
    last.parameter = parameter;
  }
  return last.value;
}
