import type { CallNode, Node } from '../../formula/ast.ts';
import {
  countDistinctCriteria,
  countDistinctNumbers,
  countGrowingDistinct,
} from '../../functions/array/distinct-counts.ts';
import { FORMS, FUNCTIONS } from '../../functions/catalogue.ts';
import type { FunctionSpec } from '../../functions/spec.ts';
import { Reference } from '../../functions/value.ts';
import { areSameNode } from '../../sheet/template.ts';
import type { Evaluation } from '../evaluation.ts';
import { compileArea } from '../references.ts';
import { countRows, findNegatedTwice, isNumber, removeParentheses } from './range-conditions.ts';

/**
 * Compiles `ROWS(UNIQUE(A$1:A9))`, `COUNTA(UNIQUE(A$1:A9))`, `SUM(1/COUNTIF(A$1:A9;A$1:A9))` and
 * `SUM(--(FREQUENCY(A$1:A9;A$1:A9)>0))` to a count that continues the count of the previous row without an array. Returns
 * null for other calls. The count is null if the array must be calculated.
 */
export function compileDistinctCount(
  { args }: CallNode,
  { distinct, comparisons }: FunctionSpec,
): ((e: Evaluation) => number | null) | null {
  if (comparisons === 'summed' || comparisons === 'multiplied') {
    return compileSumOfShares(args) ?? compileSumOfFilledBins(args);
  }
  if (distinct !== 'counted' && distinct !== 'countedFilled') return null;
  const [counted] = args;
  if (counted?.k !== 'call' || FUNCTIONS.get(counted.name)?.distinct !== 'listed') return null;
  const [range, ...options] = counted.args;
  if (range?.k !== 'area' || options.length > 0) return null;
  const code = compileArea(range);
  return (e) => {
    const value = code(e, null);
    if (!(value instanceof Reference)) return null;
    const count = countGrowingDistinct(e, [value]);
    if (count === null) return null;
    if (e.formats !== null) e.formats.last = 0;
    // UNIQUE lists all blank cells as one value, which COUNTA does not count.
    const hasBlanks = distinct === 'counted' && e.computeTotals(value).filled < countRows(value);
    return hasBlanks ? count + 1 : count;
  };
}

/** Compiles the sum of ones for the bins of FREQUENCY that are not empty, if the bins are the numbers; null for other sums. */
function compileSumOfFilledBins([sum, ...others]: readonly Node[]): ((e: Evaluation) => number | null) | null {
  const call = sum && others.length === 0 ? findCountedBins(removeParentheses(sum)) : null;
  if (call?.k !== 'call' || FUNCTIONS.get(call.name)?.distinct !== 'countedByBins') return null;
  const [range, bins] = call.args;
  if (range?.k !== 'area' || bins === undefined || !areSameNode(range, bins)) return null;
  const code = compileArea(range);
  return (e) => {
    const count = countDistinctNumbers(e, code(e, null));
    if (count !== null && e.formats !== null) e.formats.last = 0;
    return count;
  };
}

/**
 * The array in `--(array>0)`, `(array>0)*1` and `IF(array>0;1)`, whose elements are 1 for positive numbers. Null for other
 * expressions.
 */
function findCountedBins(node: Node): Node | null {
  if (node.k === 'call' && FORMS.get(node.name)?.comparisons === 'chosen') {
    const [condition, one, zero] = node.args;
    const isOneOrZero = isNumber(one, 1) && (zero === undefined || isNumber(zero, 0));
    return isOneOrZero && condition !== undefined ? findPositive(condition) : null;
  }
  const negated = findNegatedTwice(node);
  if (negated !== null) return findPositive(negated);
  if (node.k !== 'binary' || node.op !== '*') return null;
  if (isNumber(node.right, 1)) return findPositive(node.left);
  return isNumber(node.left, 1) ? findPositive(node.right) : null;
}

/** The left operand of a comparison `>0`; null for other expressions. */
function findPositive(node: Node): Node | null {
  const part = removeParentheses(node);
  return part.k === 'binary' && part.op === '>' && isNumber(part.right, 0) ? removeParentheses(part.left) : null;
}

/** Compiles the sum of the shares of each cell among the equal cells; null for other sums. */
function compileSumOfShares([sum, ...others]: readonly Node[]): ((e: Evaluation) => number | null) | null {
  const quotient = sum && removeParentheses(sum);
  if (others.length > 0 || quotient?.k !== 'binary' || quotient.op !== '/') return null;
  const [one, call] = [removeParentheses(quotient.left), removeParentheses(quotient.right)];
  if (one.k !== 'number' || one.value !== 1 || call.k !== 'call') return null;
  const [range, criterion] = call.args;
  if (FUNCTIONS.get(call.name)?.distinct !== 'countedEqual' || range?.k !== 'area' || criterion === undefined)
    return null;
  if (!areSameNode(range, criterion)) return null;
  const code = compileArea(range);
  return (e) => {
    const value = code(e, null);
    const count = value instanceof Reference ? countDistinctCriteria(e, value) : null;
    if (count !== null && e.formats !== null) e.formats.last = 0;
    return count;
  };
}
