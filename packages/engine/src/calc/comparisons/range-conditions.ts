import type { AreaNode, Node } from '../../formula/ast.ts';
import { FUNCTIONS } from '../../functions/catalogue.ts';
import {
  type BoundOperator,
  type Criterion,
  findEquality,
  findTextBound,
  NumberBound,
} from '../../functions/criteria.ts';
import type { VariableScope } from '../../functions/forms/environment.ts';
import { compareNumbers } from '../../functions/order.ts';
import { MIN_INDEXED_ROWS } from '../../functions/selection/find-bounds.ts';
import { countSelected } from '../../functions/selection/selected-statistics.ts';
import type { CriteriaPairs } from '../../functions/selection/selection-states.ts';
import { Reference, type SheetArea } from '../../functions/value.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import type { Code, Evaluation } from '../evaluation.ts';
import { applyToScalars } from '../operators.ts';
import { compileArea } from '../references.ts';

/**
 * Products of comparisons such as `(A1:A9=E1)*(B1:B9>F1)`, as the criteria of COUNTIFS. Criteria use indexes and do not
 * need arrays.
 */

export type ComparisonOperator = BoundOperator | '=' | '<>';

/** The operators that compare the same operands in the opposite order. */
export const MIRRORED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
};

/** A comparison of a range with one value. */
export interface RangeCondition {
  readonly area: AreaNode;
  readonly operator: ComparisonOperator;
  readonly operand: Node;
}

/** The factors of a product: comparisons, and ranges of numbers. */
export interface ProductFactors {
  readonly conditions: RangeCondition[];
  readonly values: AreaNode[];
  /** Gets other comparisons, and sums of comparisons. Absent: a product that contains one is not separated. */
  readonly computed?: Node[];
}

/** Compiles an operand of a comparison; see `compile`. */
export type CompileOperand = (node: Node, names: VariableScope | null) => Code;

/** Maximum number of selections for the comparisons of one call. */
const MAX_SELECTIONS = 8;

/** Comparisons as criteria. Each row that meets the comparisons is in exactly one of the selections. */
export interface ComparisonCriteria {
  readonly rows: number;
  readonly selections: readonly CriteriaPairs[];
}

/** Criteria for one range, all of which a cell must meet. */
export type ConditionCriteria = readonly Criterion[];

/** The alternatives of a condition. Each cell that meets it meets exactly one of them. */
interface ConditionAlternatives {
  readonly range: Reference;
  readonly alternatives: readonly ConditionCriteria[];
}

/** The alternatives of a condition for a formula cell; null if criteria cannot express it. */
export type ReadCondition = (e: Evaluation) => ConditionAlternatives | null;

/** The criteria for a formula cell; null if criteria cannot express the comparisons. */
type ReadCriteria = (e: Evaluation) => ComparisonCriteria | null;

/** The comparisons of ranges for a formula cell; null if they are not columns of the same length, or have no single values. */
type ReadComparisons = (e: Evaluation) => readonly RangeComparison[] | null;

/** A comparison of the cells of a range with a value. */
export interface RangeComparison {
  readonly range: Reference;
  readonly operator: ComparisonOperator;
  readonly operand: Scalar;
}

/** Compiles comparisons of ranges. All ranges must be columns with the same number of rows. */
export function compileComparisons(
  conditions: readonly RangeCondition[],
  compileOperand: CompileOperand,
): ReadComparisons {
  const compiled = conditions.map(({ area, operator, operand }) => ({
    area: compileArea(area),
    operator,
    operand: compileOperand(operand, null),
  }));
  return (e) => {
    const comparisons: RangeComparison[] = [];
    for (const { area, operator, operand } of compiled) {
      const range = readColumn(e, area);
      if (range === null || countRows(range) !== countRows(comparisons[0]?.range ?? range)) return null;
      const value = operand(e, null);
      if (isError(value) || (typeof value === 'object' && value !== null)) return null;
      comparisons.push({ range, operator, operand: value });
    }
    return comparisons;
  };
}

/**
 * Compiles comparisons to criteria. All ranges must be columns with the same number of rows. `computed`: other conditions
 * of the product.
 */
export function compileCriteria(
  conditions: readonly RangeCondition[],
  compileOperand: CompileOperand,
  computed: readonly ReadCondition[],
): ReadCriteria {
  const read = compileComparisons(conditions, compileOperand);
  return (e) => {
    const comparisons = read(e);
    if (comparisons === null) return null;
    const others: ConditionAlternatives[] = [];
    for (const readCondition of computed) {
      const condition = readCondition(e);
      const rows = countRows(comparisons[0]?.range ?? others[0]?.range ?? condition?.range ?? NO_RANGE);
      if (condition === null || countRows(condition.range) !== rows) return null;
      others.push(condition);
    }
    return toCriteria(e, comparisons, others);
  };
}

const NO_RANGE = new Reference([{ sheet: 0, top: 0, bottom: -1, left: 0, right: 0 }]);

/** Converts comparisons to criteria; null if criteria cannot express them. */
export function toCriteria(
  e: Evaluation,
  comparisons: readonly RangeComparison[],
  computed: readonly ConditionAlternatives[] = [],
): ComparisonCriteria | null {
  let selections: CriteriaPairs[] = [[]];
  for (const { range, operator, operand } of comparisons) {
    const alternatives = findCriteria(e, range, operator, operand);
    if (alternatives.length === 0 || alternatives.length * selections.length > MAX_SELECTIONS) return null;
    selections = alternatives.flatMap((criterion) => selections.map((pairs) => [...pairs, range, criterion]));
  }
  for (const { range, alternatives } of computed) {
    if (alternatives.length === 0 || alternatives.length * selections.length > MAX_SELECTIONS) return null;
    selections = alternatives.flatMap((criteria) => {
      const added = criteria.flatMap((criterion) => [range, criterion]);
      return selections.map((pairs) => [...pairs, ...added]);
    });
  }
  return { rows: countRows((comparisons[0] ?? computed[0]!).range), selections };
}

export function removeParentheses(node: Node): Node {
  return node.k === 'parentheses' ? removeParentheses(node.arg) : node;
}

/**
 * Returns the array in a call of INDEX that returns the whole array: `INDEX((A1:A9=E1)*(B1:B9=F1);0)`. Older formulas
 * contain such calls because they then need not be array formulas. Returns other nodes without their parentheses.
 */
export function unwrapWholeArray(node: Node): Node {
  const part = removeParentheses(node);
  if (part.k !== 'call' || FUNCTIONS.get(part.name)?.refersTo !== 'part' || part.args.length > 3) return part;
  const [array, row, column] = part.args;
  // In an array of one column, which all conditions have, the first column is the whole array.
  const isWhole = array !== undefined && isZero(row) && (column === undefined || isZero(column) || isNumber(column, 1));
  const inner = isWhole ? removeParentheses(array) : part;
  return inner.k === 'binary' || inner.k === 'call' ? inner : part;
}

function isZero(node: Node | undefined): boolean {
  return node?.k === 'missing' || isNumber(node, 0);
}

/** True for a constant that is this number. */
export function isNumber(node: Node | undefined, value: number): boolean {
  return node?.k === 'number' && node.value === value;
}

/** The argument of a double negation, which turns comparisons into numbers; null for other expressions. */
export function findNegatedTwice(node: Node): Node | null {
  if (node.k !== 'unary' || node.op !== '-') return null;
  const inner = removeParentheses(node.arg);
  return inner.k === 'unary' && inner.op === '-' ? removeParentheses(inner.arg) : null;
}

/** Adds the factors of a product to `factors`. Returns false if it contains anything else. */
export function collectFactors(node: Node, factors: ProductFactors): boolean {
  const part = removeParentheses(node);
  const negated = findNegatedTwice(part);
  if (negated !== null) return collectFactors(negated, factors);
  if (part.k === 'number') return part.value === 1;
  if (part.k === 'area') {
    factors.values.push(part);
    return true;
  }
  if (part.k !== 'binary') return false;
  if (part.op === '*') return collectFactors(part.left, factors) && collectFactors(part.right, factors);
  if (!isComparison(part.op)) return part.op === '+' && collectComputed(part, factors);
  const left = removeParentheses(part.left);
  const right = removeParentheses(part.right);
  if (left.k === 'area' && isSingleValue(right)) {
    factors.conditions.push({ area: left, operator: part.op, operand: right });
    return true;
  }
  if (right.k !== 'area' || !isSingleValue(left)) return collectComputed(part, factors);
  factors.conditions.push({ area: right, operator: MIRRORED[part.op], operand: left });
  return true;
}

function collectComputed(node: Node, { computed }: ProductFactors): boolean {
  computed?.push(node);
  return computed !== undefined;
}

/** True if an operator compares its operands. */
export function isComparison(op: string): op is ComparisonOperator {
  return op in MIRRORED;
}

/** True for a bare comparison or test. Sums count its results, which are booleans, as zeros. A plus sign does not convert them. */
export function isBareComparison(node: Node): boolean {
  const part = removeParentheses(node);
  if (part.k === 'unary' && part.op === '+') return isBareComparison(part.arg);
  if (part.k === 'call') return FUNCTIONS.get(part.name)?.returns !== undefined;
  return part.k === 'binary' && isComparison(part.op);
}

/** True for an expression without ranges and names. It may be calculated twice, so it has no random numbers. */
export function isSingleValue(node: Node): boolean {
  switch (node.k) {
    case 'cell':
    case 'number':
    case 'text':
    case 'boolean':
      return true;
    case 'parentheses':
    case 'unary':
      return isSingleValue(node.arg);
    case 'binary':
      return isSingleValue(node.left) && isSingleValue(node.right);
    case 'call': {
      const spec = FUNCTIONS.get(node.name);
      if (spec?.measures !== undefined) return isMeasuredOnce(node.args[0], spec.measures);
      const isRandom = spec?.volatile && !spec.clock;
      return spec !== undefined && !isRandom && !spec.manyCells && node.args.every(isSingleValue);
    }
    default:
      return false;
  }
}

/** True if the position or the size of a reference is one number. */
function isMeasuredOnce(reference: Node | undefined, measures: 'row' | 'column' | 'size'): boolean {
  return reference?.k === 'cell' || (measures === 'size' && reference?.k === 'area');
}

/** The reference to one column with enough rows; null for others. */
export function readColumn(e: Evaluation, code: Code): Reference | null {
  const value = code(e, null);
  if (!(value instanceof Reference) || value.areas.length > 1) return null;
  const [area] = value.areas;
  return area.left === area.right && countRows(value) >= MIN_INDEXED_ROWS ? value : null;
}

export function countRows({ areas: [area] }: Reference): number {
  return area.bottom - area.top + 1;
}

/** The cells of an area in one row. The first row of the area has the number 0. */
export function referToRow(area: SheetArea, row: number): Reference {
  return new Reference([{ ...area, top: area.top + row, bottom: area.top + row }]);
}

/**
 * Criteria that together select the cells for which a comparison is true; no cell meets two of them. Empty if the
 * operators compare otherwise than criteria: they ignore the last digits of numbers, and know no patterns.
 */
export function findCriteria(
  e: Evaluation,
  range: Reference,
  operator: ComparisonOperator,
  operand: Scalar,
): readonly Criterion[] {
  const { error, filled, count, emptyTexts } = e.computeTotals(range);
  if (error !== null) return [];
  if (typeof operand === 'string') {
    if (operand === '') return operator === '<>' && emptyTexts === 0 ? ['<>'] : [];
    if (operator !== '=' && operator !== '<>') return findTextCriteria(e, range, operator, operand);
    if (findEquality(operand, e) !== operand) return [];
    return operator === '=' ? [operand] : [`<>${operand}`];
  }
  if (typeof operand !== 'number' || hasNearNumbers(e, range, operand)) return [];
  const criteria =
    filled === count ? createNumberCriteria(operator, operand) : findMixedCriteria(e, range, operator, operand);
  if (criteria.length === 0) return [];
  // Operators treat blank cells as 0.
  const selectsBlanks = filled < countRows(range) && applyToScalars(operator, null, operand, e) === true;
  return selectsBlanks ? [...criteria, '='] : criteria;
}

function createNumberCriteria(operator: ComparisonOperator, operand: number): readonly Criterion[] {
  if (operator === '=') return [operand];
  if (operator === '<>') return [new NumberBound('<', operand), new NumberBound('>', operand)];
  return [new NumberBound(operator, operand)];
}

/** The criteria for a number in a range that also contains texts, such as a heading. Empty if they may differ. */
function findMixedCriteria(
  e: Evaluation,
  range: Reference,
  operator: ComparisonOperator,
  operand: number,
): readonly Criterion[] {
  const { filled, count } = e.computeTotals(range);
  // Other cells are booleans or empty texts.
  if (countSelected(e, [range, ANY_TEXT]) !== filled - count) return [];
  const criteria = createNumberCriteria(operator, operand);
  if (operator === '<' || operator === '<=') return criteria;
  // Operators treat texts as greater than numbers.
  if (operator !== '=') return [...criteria, ANY_TEXT];
  // The criterion also selects texts that look like the number.
  const isSame = [new NumberBound('>=', operand), new NumberBound('<=', operand)];
  const numbers = countSelected(
    e,
    isSame.flatMap((bound) => [range, bound]),
  );
  return countSelected(e, [range, operand]) === numbers ? criteria : [];
}

const ANY_TEXT = '*';
const ANY_NUMBER = new NumberBound('<=', Number.MAX_VALUE);

/** The criteria for a comparison with a text; see `findCriteria`. Empty if a cell contains a boolean. */
function findTextCriteria(
  e: Evaluation,
  range: Reference,
  operator: BoundOperator,
  operand: string,
): readonly Criterion[] {
  const ordered = `${operator}${operand}`;
  // The text may begin with another operator (`=a`), or look like a number.
  if (findTextBound(ordered, e)?.text !== operand) return [];
  const { filled, count } = e.computeTotals(range);
  if (countSelected(e, [range, ANY_TEXT]) !== filled - count) return [];
  const criteria: Criterion[] = [ordered];
  // Operators treat numbers as less than texts, and blank cells as empty texts.
  if (operator === '<' || operator === '<=') {
    if (count > 0) criteria.push(ANY_NUMBER);
    if (filled < countRows(range)) criteria.push('=');
  }
  return criteria;
}

/** True if a range contains another number that operators treat as equal to `number`. */
export function hasNearNumbers(e: Evaluation, range: Reference, number: number): boolean {
  const isNear = (value: Scalar | undefined) =>
    typeof value === 'number' && value !== number && compareNumbers(value, number) === 0;
  const ordered = e.getOrderedNumbers(range);
  if (ordered !== null) {
    const above = ordered.countAtMost(number);
    const below = ordered.countBelow(number) - 1;
    return (above < ordered.length && isNear(ordered.at(above))) || (below >= 0 && isNear(ordered.at(below)));
  }
  let hasNear = false;
  e.scanReference(range, (value) => {
    hasNear ||= isNear(value);
  });
  return hasNear;
}
