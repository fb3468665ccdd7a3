import type { AreaNode, CallNode, Node } from '../../formula/ast.ts';
import { FORMS, FUNCTIONS } from '../../functions/catalogue.ts';
import type { VariableScope } from '../../functions/forms/environment.ts';
import { CriteriaStatistics } from '../../functions/selection/criteria-statistics.ts';
import {
  computeSelectedStatistics,
  countSelected,
  type Extreme,
} from '../../functions/selection/selected-statistics.ts';
import type { FunctionSpec } from '../../functions/spec.ts';
import type { Reference, Value } from '../../functions/value.ts';
import { CALC, DIV0 } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import type { Evaluation } from '../evaluation.ts';
import { compileArea } from '../references.ts';
import { isFixedArray } from '../shared/expression-kinds.ts';
import { compileComputedConditions, isSharedCondition } from './computed-conditions.ts';
import { findLeadingFormat } from './leading-format.ts';
import {
  type ComparisonCriteria,
  type CompileOperand,
  collectFactors,
  compileCriteria,
  countRows,
  isNumber,
  type ProductFactors,
  type RangeCondition,
  readColumn,
  removeParentheses,
} from './range-conditions.ts';

/**
 * `SUM(IF((A1:A9=E1)*(B1:B9>F1);C1:C9))` and `SUM(FILTER(C1:C9;(A1:A9=E1)*(B1:B9>F1)))` are calculated like
 * `SUMIFS(C1:C9;A1:A9;E1;B1:B9;">"&F1)`, with its indexes. AVERAGE, COUNT, MAX and MIN are calculated alike, and
 * `MAX((A1:A9=E1)*(B1:B9>F1)*C1:C9)` if all cells of the last range are numbers.
 */

/** How the numbers of a range become an array: with zeros or nothing in other rows, or as a shorter array (FILTER). */
type SelectedForm = 'product' | 'chosen' | 'filtered';

/** Conditions of an array: comparisons of ranges, and others. */
interface ConditionNodes {
  readonly conditions: readonly RangeCondition[];
  readonly computed: readonly Node[];
}

/** An array of the numbers of a range in the rows that meet conditions. */
interface SelectedNumbers extends ConditionNodes {
  readonly area: AreaNode;
  readonly form: SelectedForm;
}

/** The functions whose results are figures of the selected numbers. */
type Figure = 'summed' | 'averaged' | 'counted' | Extreme;

/** Returns the calculation that replaces a call of such a function; null if there is none. Its value is null for arrays. */
export function compileSelectedNumbers(
  { args }: CallNode,
  { comparisons: figure }: FunctionSpec,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): ((e: Evaluation) => Value | null) | null {
  const [arg, ...others] = args;
  if (!isFigure(figure) || arg === undefined || others.length > 0) return null;
  const isExtreme = figure === 'greatest' || figure === 'least';
  const selected = (isExtreme ? readProduct(arg) : null) ?? readChosenNumbers(arg, figure) ?? readFilteredNumbers(arg);
  if (selected === null) return null;
  const readComputed = compileComputedConditions(selected.computed, compileOperand);
  if (readComputed === null || usesSharedArrays(selected, names)) return null;
  const readCriteria = compileCriteria(selected.conditions, compileOperand, readComputed);
  const code = compileArea(selected.area);
  return (e) => {
    const numbers = readColumn(e, code);
    if (numbers === null || (selected.form === 'product' && !hasOnlyNumbers(e, numbers))) return null;
    const criteria = readCriteria(e);
    if (criteria === null || criteria.rows !== countRows(numbers)) return null;
    const figures = computeFigures(e, numbers, criteria, isExtreme ? figure : null);
    if (figures === null) return null;
    if (figures.count === 0 && selected.form === 'filtered') return isEmptySelection(e, criteria) ? CALC : null;
    if (isExtreme) return finishExtreme(e, figures, figure, selected.form === 'product' ? criteria.rows : 0);
    const result = finishFigure(figures, figure);
    if (e.formats === null || result === null) return result;
    const format = figure === 'counted' ? 0 : findLeadingFormat(e, numbers, criteria, selected.form);
    if (format === null) return null;
    e.formats.last = format;
    return result;
  };
}

function isFigure(figure: FunctionSpec['comparisons']): figure is Figure {
  return (
    figure === 'summed' || figure === 'averaged' || figure === 'counted' || figure === 'greatest' || figure === 'least'
  );
}

/** True for equalities alone, in the same rows for every formula: they use the indexes of shared arrays. */
function usesSharedArrays({ conditions, computed, area }: SelectedNumbers, names: VariableScope | null): boolean {
  return (
    isFixedArray(area, names) &&
    conditions.every((condition) => condition.operator === '=' && isFixedArray(condition.area, names)) &&
    computed.every((node) => isSharedCondition(node, names))
  );
}

/** Sum, count and extremes of the numbers in all selections; null if a selected cell contains an error. */
function computeFigures(
  e: Evaluation,
  numbers: Reference,
  { selections }: ComparisonCriteria,
  extreme: Extreme | null,
): CriteriaStatistics | null {
  const all = new CriteriaStatistics(true);
  for (const pairs of selections) {
    const figures = computeSelectedStatistics(e, numbers, pairs, extreme);
    if (isError(figures) || figures.error !== null) return null;
    if (selections.length === 1) return figures;
    // The order of the rows decides about the format of equal numbers in different selections.
    if (e.formats !== null && extreme !== null && figures.count > 0 && figures[extreme] === all[extreme]) return null;
    all.addAll(figures);
  }
  return all;
}

/** MAX or MIN of the numbers, and of 0 if the array has more rows than there are numbers. */
function finishExtreme(e: Evaluation, figures: CriteriaStatistics, extreme: Extreme, rows: number): Value | null {
  const format = figures[`${extreme}Format`];
  if (rows === 0) {
    if (e.formats !== null) e.formats.last = format;
    return figures.count === 0 ? 0 : figures[extreme];
  }
  if (figures.count < rows && !isBeyondZero(extreme, figures[extreme])) return e.formats === null ? 0 : null;
  if (e.formats !== null) e.formats.last = e.formats.combineFormats('*', 0, format);
  return figures[extreme];
}

function isBeyondZero(extreme: Extreme, number: number): boolean {
  return extreme === 'greatest' ? number > 0 : number < 0;
}

/** SUM, AVERAGE or COUNT of the numbers; null if the sum overflows, which depends on the order of the additions. */
function finishFigure({ count, total }: CriteriaStatistics, figure: 'summed' | 'averaged' | 'counted'): Value | null {
  if (figure === 'counted') return count;
  if (!Number.isFinite(total)) return null;
  if (figure === 'summed') return total;
  return count === 0 ? DIV0 : total / count;
}

/** True if no row meets the criteria. False if this is not known. */
function isEmptySelection(e: Evaluation, { selections }: ComparisonCriteria): boolean {
  return selections.every((pairs) => countSelected(e, pairs) === 0);
}

/** Reads a product of comparisons and one range. */
function readProduct(node: Node): SelectedNumbers | null {
  const part = removeParentheses(node);
  const factors = createFactors();
  if (part.k !== 'binary' || part.op !== '*' || !collectFactors(part, factors)) return null;
  const [area, ...others] = factors.values;
  return area && others.length === 0 && hasConditions(factors) ? { ...factors, area, form: 'product' } : null;
}

/** Reads a range in calls of IF. */
function readChosenNumbers(node: Node, figure: Figure): SelectedNumbers | null {
  const chosen = readChosenElements(node, figure);
  return chosen?.value.k === 'area' ? { ...chosen, area: chosen.value, form: 'chosen' } : null;
}

/** Reads an array in calls of IF whose conditions are comparisons or products of comparisons; null for other calls. */
export function readChosenElements(node: Node, figure: Figure): (ConditionNodes & { readonly value: Node }) | null {
  const factors = createFactors();
  let at = removeParentheses(node);
  while (at.k === 'call' && FORMS.get(at.name)?.comparisons === 'chosen') {
    const [condition, yes, no] = at.args;
    if (condition === undefined || yes === undefined || !isOmitted(no, figure) || !collectFactors(condition, factors))
      return null;
    at = removeParentheses(yes);
  }
  return factors.values.length === 0 && hasConditions(factors) ? { ...factors, value: at } : null;
}

/** Reads a range in a call of FILTER without a value for an empty result. */
function readFilteredNumbers(node: Node): SelectedNumbers | null {
  const call = removeParentheses(node);
  if (call.k !== 'call' || FUNCTIONS.get(call.name)?.comparisons !== 'filtered') return null;
  const [range, include, ...others] = call.args;
  const factors = createFactors();
  if (range?.k !== 'area' || include === undefined || others.length > 0 || !collectFactors(include, factors))
    return null;
  return factors.values.length === 0 && hasConditions(factors) ? { ...factors, area: range, form: 'filtered' } : null;
}

function createFactors(): Required<ProductFactors> {
  return { conditions: [], values: [], computed: [] };
}

function hasConditions({ conditions, computed }: ConditionNodes): boolean {
  return conditions.length + computed.length > 0;
}

/** True if a function omits the third argument of IF in an array. A sum may also add zeros. */
function isOmitted(node: Node | undefined, figure: Figure): boolean {
  if (figure === 'summed' && isNumber(node, 0)) return true;
  return node === undefined || (node.k === 'boolean' && !node.value) || (node.k === 'text' && node.value === '');
}

function hasOnlyNumbers(e: Evaluation, range: Reference): boolean {
  const { error, count } = e.computeTotals(range);
  return error === null && count === countRows(range);
}
