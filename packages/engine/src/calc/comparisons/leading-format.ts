import { createRowTest, findSelectedRow } from '../../functions/selection/selection.ts';
import { type CriteriaPairs, sliceRowsFrom } from '../../functions/selection/selection-states.ts';
import { Reference, type Value } from '../../functions/value.ts';
import type { Evaluation } from '../evaluation.ts';
import { type ComparisonCriteria, countRows, referToRow } from './range-conditions.ts';

/**
 * The format that a figure takes from an array of selected numbers: the format of the first element, or of the second
 * element if the first has none. With the form `filtered` the array consists of the selected rows. With other forms it has
 * all rows, and only selected rows have formats. Null if the first selected rows are not known.
 */
export function findLeadingFormat(
  e: Evaluation,
  numbers: Reference,
  { selections }: ComparisonCriteria,
  form: 'filtered' | 'chosen' | 'product',
): number | null {
  const findFormat = (row: number) => e.formats?.findReferenceFormat(referToRow(numbers.areas[0], row)) ?? 0;
  if (form !== 'filtered') {
    const tests = selections.map((pairs) => createRowTest(e, pairs));
    const leading = [0, 1].filter((row) => tests.some((isSelected) => isSelected(row)));
    return leading.reduce((format, row) => format || findFormat(row), 0);
  }
  const [pairs, ...others] = selections;
  if (pairs === undefined || others.length > 0) return null;
  const first = findSelectedRow(e, pairs, false);
  if (first === null || first < 0) return first === null ? null : 0;
  const format = findFormat(first);
  if (format !== 0 || first + 1 === countRows(numbers)) return format;
  const second = findSelectedRow(e, pairs.map((each) => sliceRange(each, first + 1)) as CriteriaPairs, false);
  if (second === null) return null;
  return second < 0 ? 0 : findFormat(first + 1 + second);
}

/** Omits the rows of a range above `row`; returns criteria unchanged. */
function sliceRange(rangeOrCriterion: CriteriaPairs[number], row: number): Value | CriteriaPairs[number] {
  return rangeOrCriterion instanceof Reference ? sliceRowsFrom(rangeOrCriterion.areas[0], row) : rangeOrCriterion;
}
