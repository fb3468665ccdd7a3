import type { AreaNode, CallNode, Node } from '../../formula/ast.ts';
import type { FormatTrace } from '../../functions/context.ts';
import type { VariableScope } from '../../functions/forms/environment.ts';
import { sumProduct } from '../../functions/math/aggregates.ts';
import { ExactSum } from '../../functions/row-figures/exact-sum.ts';
import { computeSelectedStatistics, countSelected } from '../../functions/selection/selected-statistics.ts';
import type { FunctionSpec } from '../../functions/spec.ts';
import type { Reference, Value } from '../../functions/value.ts';
import { isError } from '../../value/scalar.ts';
import type { Evaluation } from '../evaluation.ts';
import { compileArea } from '../references.ts';
import { isFixedArray } from '../shared/expression-kinds.ts';
import { compileComputedConditions, isSharedCondition } from './computed-conditions.ts';
import {
  type ComparisonCriteria,
  type CompileOperand,
  collectFactors,
  compileCriteria,
  countRows,
  findNegatedTwice,
  type ProductFactors,
  type RangeCondition,
  readColumn,
  referToRow,
  removeParentheses,
} from './range-conditions.ts';

/**
 * `SUMPRODUCT((A1:A9=E1)*(B1:B9>F1)*C1:C9)` and similar sums are calculated like `SUMIFS(C1:C9;A1:A9;E1;B1:B9;">"&F1)`,
 * with its indexes, if the cells are such that both have the same result. Otherwise the arrays are calculated.
 */

/** Compiles a product of comparisons and ranges. Its value is null if the call must be calculated from arrays. */
type SelectedProduct = (e: Evaluation) => Value | null;

/** Returns the calculation that replaces a call of a function that sums arrays; null if there is none. */
export function compileSelectedProduct(
  node: CallNode,
  spec: FunctionSpec,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): SelectedProduct | null {
  const isProduct = spec.comparisons === 'multiplied';
  if (!isProduct && (spec.comparisons !== 'summed' || node.args.length !== 1)) return null;
  const computed: Node[] = [];
  const factors: ProductFactors = { conditions: [], values: [], computed };
  const texts: AreaNode[] = [];
  for (const arg of node.args) {
    const part = removeParentheses(arg);
    if (part.k === 'area' && isProduct) texts.push(part);
    else if (!isNumericProduct(part) || !collectFactors(part, factors)) return null;
  }
  const { conditions, values } = factors;
  const readComputed = compileComputedConditions(computed, compileOperand);
  if (readComputed === null) return null;
  const hasOnlyEqualities = conditions.every(({ area, operator }) => operator === '=' && isFixedArray(area, names));
  // Formulas that compare the same calculated arrays share them and an index of their elements (`calc/shared`).
  if (computed.length > 0 && hasOnlyEqualities && computed.every((node) => isSharedCondition(node, names))) return null;
  // A sum with equalities over the same rows in every formula is calculated once for each value; see `calc/shared`.
  const isShared =
    !isProduct && hasOnlyEqualities && computed.length === 0 && values.every((area) => isFixedArray(area, names));
  if (conditions.length + computed.length === 0)
    return texts.length === 0 && values.length > 1 ? compileProductOfRanges(values, isProduct) : null;
  // Formulas that read the same rows share the product of ranges and an index of its elements (`calc/shared`).
  if (values.length + texts.length > 1 && conditions.some(isFixedEquality) && [...values, ...texts].every(hasFixedRows))
    return null;
  const readCriteria = compileCriteria(conditions, compileOperand, readComputed);
  const targets = [...values, ...texts].map((area, i) => ({
    code: compileArea(area),
    ignoresTexts: i >= values.length,
  }));
  return (e) => {
    if (isShared && e.formats !== null) return null;
    const columns: Reference[] = [];
    for (const { code, ignoresTexts } of targets) {
      const column = readColumn(e, code);
      if (column === null || !areSummable(e, column, ignoresTexts)) return null;
      columns.push(column);
    }
    if (columns.length > 1 && canOverflow(e, columns)) return null;
    const criteria = readCriteria(e);
    if (criteria === null || columns.some((column) => countRows(column) !== criteria.rows)) return null;
    const [target, ...multiplied] = columns;
    const result = target === undefined ? countSelectedRows(e, criteria) : sumSelected(e, target, criteria, multiplied);
    if (e.formats !== null) e.formats.last = isProduct ? 0 : findTermFormat(e.formats, columns);
    return result;
  };
}

/** The format that a sum takes from the products of ranges: the format of the first product, or else of the second. */
function findTermFormat(formats: FormatTrace, ranges: readonly Reference[]): number {
  const findFormat = (offset: number) =>
    ranges.reduce((format, { areas: [area] }) => {
      return formats.combineFormats('*', format, formats.findReferenceFormat(referToRow(area, offset)));
    }, 0);
  return findFormat(0) || findFormat(1);
}

/** Compiles the sum of a product of ranges like a call with the ranges as arguments, which needs no array. */
function compileProductOfRanges(values: readonly AreaNode[], isProduct: boolean): SelectedProduct {
  const codes = values.map(compileArea);
  return (e) => {
    const ranges: Reference[] = [];
    for (const code of codes) {
      const range = readColumn(e, code);
      if (range === null || !areSummable(e, range, false)) return null;
      if (ranges[0] !== undefined && countRows(ranges[0]) !== countRows(range)) return null;
      ranges.push(range);
    }
    const sum = sumProduct(e, ranges);
    if (typeof sum === 'number' && !Number.isFinite(sum)) return null;
    if (e.formats !== null) e.formats.last = isProduct ? 0 : findTermFormat(e.formats, ranges);
    return sum;
  };
}

function isFixedEquality({ area, operator }: RangeCondition): boolean {
  return operator === '=' && hasFixedRows(area);
}

function hasFixedRows({ top, bottom }: AreaNode): boolean {
  return top.absolute && bottom.absolute;
}

/** The number of the selected rows. */
function countSelectedRows(e: Evaluation, { selections }: ComparisonCriteria): Value {
  let rows = 0;
  for (const pairs of selections) {
    const count = countSelected(e, pairs);
    if (typeof count !== 'number') return count;
    rows += count;
  }
  return rows;
}

/** The sum of the products of columns in the selected rows; null if it must be calculated from arrays. */
function sumSelected(
  e: Evaluation,
  values: Reference,
  { selections }: ComparisonCriteria,
  factors: readonly Reference[],
): Value | null {
  // The totals of several selections are added in another order than the rows.
  if (selections.length > 1 && canOverflow(e, [values, ...factors], countRows(values))) return null;
  const sum = new ExactSum();
  for (const pairs of selections) {
    const figures = computeSelectedStatistics(e, values, pairs, null, factors);
    if (isError(figures) || figures.error !== null) return null;
    if (selections.length === 1) return finishSum(figures.total);
    sum.add(figures.total);
    sum.add(figures.roundingError);
  }
  return finishSum(sum.total);
}

/**
 * True if a sum of products of one number from each range may be too large. A product that is too large is an error even
 * in a row that is not selected.
 */
function canOverflow(e: Evaluation, ranges: readonly Reference[], products = 1): boolean {
  let bound = products;
  for (const range of ranges) {
    const { least, greatest } = e.computeExtremes(range);
    if (least <= greatest) bound *= Math.max(1, Math.abs(least), Math.abs(greatest));
  }
  return !Number.isFinite(bound);
}

/** The arrays decide about the result of a sum that overflows: it depends on the order of the additions. */
function finishSum(total: number): number | null {
  return Number.isFinite(total) ? total : null;
}

/** True if the elements of an expression are numbers. Functions do not sum the results of a bare comparison. */
function isNumericProduct(node: Node): boolean {
  return findNegatedTwice(node) !== null || (node.k === 'binary' && node.op === '*');
}

/** True if a range has no errors, and no texts and booleans either, which would be converted or give an error. */
function areSummable(e: Evaluation, values: Reference, ignoresTexts: boolean): boolean {
  const { error, filled, count } = e.computeTotals(values);
  return error === null && (ignoresTexts || filled === count);
}
