import type { AreaNode, Node } from '../../formula/ast.ts';
import { FUNCTIONS } from '../../functions/catalogue.ts';
import { type Criterion, NumberBound } from '../../functions/criteria.ts';
import type { VariableScope } from '../../functions/forms/environment.ts';
import type { OrderedNumbers } from '../../functions/selection/ordered-numbers.ts';
import { areSameNode } from '../../sheet/template.ts';
import { findFirstIndex } from '../../value/first-index.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import type { Code, Evaluation } from '../evaluation.ts';
import { applyToScalars } from '../operators.ts';
import { compileArea } from '../references.ts';
import { classifyExpression, isFixedArray } from '../shared/expression-kinds.ts';
import {
  type ComparisonOperator,
  type CompileOperand,
  type ConditionCriteria,
  collectFactors,
  countRows,
  findCriteria,
  isComparison,
  isNumber,
  isSingleValue,
  MIRRORED,
  type ProductFactors,
  type RangeCondition,
  type ReadCondition,
  readColumn,
  removeParentheses,
} from './range-conditions.ts';

/**
 * Comparisons of a calculated column, such as `ABS(D1:D9-E1)<=3` and `YEAR(D1:D9)=E1`, whose results rise or fall with the
 * numbers of the column. They are true for intervals of these numbers, whose ends are found by bisection.
 */

/** Stands for the number of a cell. No name in a formula contains this character. */
const NUMBER_NAME = '\u0001number';
const NUMBER_SCOPE: VariableScope = { names: [NUMBER_NAME], outer: null };
const NUMBER_NODE: Node = { k: 'name', name: NUMBER_NAME };
/** Number of evaluations of a compared expression that count as one cell of the budget, as a power of two. */
const EVALUATIONS_PER_CELL_LOG2 = 2;
/** A criterion that no number meets. */
const NO_NUMBER = new NumberBound('>', Number.MAX_VALUE);

/** An expression of the number of a cell, with `NUMBER_NODE` in place of the range. */
interface MonotoneExpression {
  readonly area: AreaNode;
  readonly expression: Node;
  /** The argument of `ABS`: the expression may turn where its sign changes. Null if the expression never turns. */
  readonly turning: Node | null;
}

/** Compiles conditions that do not compare plain ranges; null if one of them cannot become criteria. */
export function compileComputedConditions(
  nodes: readonly Node[],
  compileOperand: CompileOperand,
): readonly ReadCondition[] | null {
  const conditions = nodes.map(
    (node) => compileAlternatives(node, compileOperand) ?? compileComputedCondition(node, compileOperand),
  );
  return conditions.every((condition) => condition !== null) ? conditions : null;
}

/** True if all formulas of a column have the same condition, or compare the same calculated array with `=`. */
export function isSharedCondition(node: Node, names: VariableScope | null): boolean {
  const part = removeParentheses(node);
  if (classifyExpression(part, names).isFixed) return true;
  return part.k === 'binary' && part.op === '=' && (isFixedArray(part.left, names) || isFixedArray(part.right, names));
}

/**
 * Compiles alternatives for the same range, such as `(A1:A9="x")+(A1:A9="y")` and `(A1:A9="x")+(A1:A9="y")>0`. Null for
 * other nodes. A cell equals at most one of the values, so the sum is 0 or 1.
 */
function compileAlternatives(node: Node, compileOperand: CompileOperand): ReadCondition | null {
  const part = removeParentheses(node);
  const isTest = part.k === 'binary' && part.op === '>' && isNumber(part.right, 0);
  const equalities: RangeCondition[] = [];
  if (!collectEqualities(isTest ? part.left : part, equalities) || equalities.length < 2) return null;
  const code = compileArea(equalities[0]!.area);
  const operands = equalities.map(({ operand }) => compileOperand(operand, null));
  return (e) => {
    const range = readColumn(e, code);
    if (range === null) return null;
    const values: Scalar[] = [];
    const alternatives: ConditionCriteria[] = [];
    for (const operand of operands) {
      const value = operand(e, null);
      if (isError(value) || (typeof value === 'object' && value !== null)) return null;
      if (values.some((other) => applyToScalars('=', other, value, e) === true)) return null;
      const criteria = findCriteria(e, range, '=', value);
      if (criteria.length === 0) return null;
      values.push(value);
      alternatives.push(...criteria.map((criterion) => [criterion]));
    }
    return { range, alternatives };
  };
}

/** Adds the terms of a sum of equalities of one range to `equalities`; false for other expressions. */
function collectEqualities(node: Node, equalities: RangeCondition[]): boolean {
  const part = removeParentheses(node);
  if (part.k === 'binary' && part.op === '+')
    return collectEqualities(part.right, equalities) && collectEqualities(part.left, equalities);
  const factors: ProductFactors = { conditions: [], values: [] };
  if (part.k !== 'binary' || part.op !== '=' || !collectFactors(part, factors)) return false;
  const [equality] = factors.conditions;
  if (equality === undefined || !areSameNode(equality.area, (equalities[0] ?? equality).area)) return false;
  equalities.push(equality);
  return true;
}

/** Compiles a comparison of a calculated column with one value; null for other nodes. */
function compileComputedCondition(node: Node, compileOperand: CompileOperand): ReadCondition | null {
  const part = removeParentheses(node);
  if (part.k !== 'binary' || !isComparison(part.op)) return null;
  return (
    compileMonotone(part.op, part.left, part.right, compileOperand) ??
    compileMonotone(MIRRORED[part.op], part.right, part.left, compileOperand)
  );
}

function compileMonotone(
  operator: ComparisonOperator,
  compared: Node,
  operand: Node,
  compileOperand: CompileOperand,
): ReadCondition | null {
  const monotone = isSingleValue(operand) ? readMonotone(compared) : null;
  if (monotone === null) return null;
  const area = compileArea(monotone.area);
  const operandCode = compileOperand(operand, null);
  const expression = compileOperand(monotone.expression, NUMBER_SCOPE);
  const turning = monotone.turning && compileOperand(monotone.turning, NUMBER_SCOPE);
  return (e) => {
    const range = readColumn(e, area);
    const value = range && operandCode(e, null);
    if (range === null || typeof value !== 'number') return null;
    const { error, filled, count } = e.computeTotals(range);
    const ordered = error === null && filled === count && count > 0 ? e.getOrderedNumbers(range) : null;
    if (ordered === null) return null;
    const intervals = new IntervalSearch(e, ordered, expression, turning, value).find(operator);
    if (intervals === null) return null;
    const criteria: ConditionCriteria[] = intervals.map(({ from, to }) => [
      new NumberBound('>=', ordered.at(from)),
      new NumberBound('<=', ordered.at(to - 1)),
    ]);
    if (filled < countRows(range)) {
      // Operators treat blank cells as 0.
      const blank = evaluate(e, expression, null);
      if (typeof blank !== 'number') return null;
      if (applyToScalars(operator, blank, value, e) === true) criteria.push(BLANK);
    }
    return { range, alternatives: criteria.length === 0 ? [[NO_NUMBER]] : criteria };
  };
}

const BLANK: readonly Criterion[] = ['='];

/** Reads an expression of one range and single values that rises or falls with the numbers of the range; null for others. */
function readMonotone(node: Node): MonotoneExpression | null {
  const part = removeParentheses(node);
  if (part.k === 'area') return { area: part, expression: NUMBER_NODE, turning: null };
  if (part.k === 'unary' && (part.op === '-' || part.op === '+' || part.op === '%')) {
    const inner = readMonotone(part.arg);
    return inner && { ...inner, expression: { ...part, arg: inner.expression } };
  }
  if (part.k === 'binary' && (part.op === '+' || part.op === '-' || part.op === '*' || part.op === '/')) {
    const left = isSingleValue(part.right) ? readMonotone(part.left) : null;
    if (left !== null) return { ...left, expression: { ...part, left: left.expression } };
    const right = part.op !== '/' && isSingleValue(part.left) ? readMonotone(part.right) : null;
    return right && { ...right, expression: { ...part, right: right.expression } };
  }
  if (part.k !== 'call') return null;
  const [first, ...others] = part.args;
  const { monotone } = FUNCTIONS.get(part.name) ?? {};
  const inner =
    monotone !== undefined && first !== undefined && others.every(isSingleValue) ? readMonotone(first) : null;
  if (inner === null || (monotone === 'eachSide' && inner.turning !== null)) return null;
  return {
    area: inner.area,
    expression: { ...part, args: [inner.expression, ...others] },
    turning: monotone === 'eachSide' ? inner.expression : inner.turning,
  };
}

/** Indexes from `from` to before `to`. */
interface Interval {
  readonly from: number;
  readonly to: number;
}

function evaluate(e: Evaluation, code: Code, number: Scalar): Scalar | undefined {
  const value = code(e, { values: [number], formats: null, outer: null });
  return typeof value === 'number' ? value : undefined;
}

/** Finds the ordered numbers for which an expression compares with a value. */
class IntervalSearch {
  private readonly e: Evaluation;
  private readonly ordered: OrderedNumbers;
  private readonly expression: Code;
  private readonly turning: Code | null;
  private readonly value: number;
  private evaluations = 0;
  /** True if the result for one of the numbers is not a number. */
  private hasFailed = false;

  constructor(e: Evaluation, ordered: OrderedNumbers, expression: Code, turning: Code | null, value: number) {
    this.e = e;
    this.ordered = ordered;
    this.expression = expression;
    this.turning = turning;
    this.value = value;
  }

  /** The intervals of indexes, ascending; null if the expression of a number is an error. */
  find(operator: ComparisonOperator): readonly Interval[] | null {
    const { length } = this.ordered;
    const turn = this.turning === null ? length : this.findTurn(this.turning);
    const intervals = [
      { from: 0, to: turn },
      { from: turn, to: length },
    ].flatMap((part) => this.findWithin(part, operator));
    this.e.spendCells(this.evaluations >> EVALUATIONS_PER_CELL_LOG2);
    return this.hasFailed ? null : intervals;
  }

  private evaluate(code: Code, index: number): number {
    this.evaluations++;
    const number = evaluate(this.e, code, this.ordered.at(index));
    if (typeof number !== 'number') this.hasFailed = true;
    return typeof number === 'number' ? number : 0;
  }

  /** The first index at which the turning part has another sign than at index 0. */
  private findTurn(turning: Code): number {
    const isNegative = (index: number) => this.evaluate(turning, index) < 0;
    const first = isNegative(0);
    return findFirstIndex(0, this.ordered.length, (index) => isNegative(index) !== first);
  }

  /** The intervals within indexes in which the expression only rises or only falls. */
  private findWithin(part: Interval, operator: ComparisonOperator): readonly Interval[] {
    if (part.from === part.to) return [];
    if (operator === '<>') return [...this.findWithin(part, '<'), ...this.findWithin(part, '>')];
    if (operator === '=') return this.findWithin(part, '<=').flatMap((interval) => this.findOneSided(interval, '>='));
    return this.findOneSided(part, operator);
  }

  private findOneSided({ from, to }: Interval, operator: ComparisonOperator): readonly Interval[] {
    const isTrue = (index: number) =>
      applyToScalars(operator, this.evaluate(this.expression, index), this.value, this.e) === true;
    const [first, last] = [isTrue(from), isTrue(to - 1)];
    if (first && last) return [{ from, to }];
    if (!first && !last) return [];
    const change = findFirstIndex(from, to, (index) => isTrue(index) !== first);
    return [first ? { from, to: change } : { from: change, to }];
  }
}
