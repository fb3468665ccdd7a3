import type { ColumnCondition, FilterOp, FilterTest } from '@cellwire/engine';
import { formatNumber, type InputLocale, parseNumber } from '../formula/cell-text.ts';

/** Conditions of a filter and the kind of their operands. */
export const CONDITION_OPERANDS = {
  contains: 'text',
  lacks: 'text',
  begins: 'text',
  ends: 'text',
  is: 'text',
  isNot: 'text',
  like: 'text',
  unlike: 'text',
  equals: 'number',
  differs: 'number',
  greater: 'number',
  least: 'number',
  less: 'number',
  most: 'number',
  between: 'numbers',
  on: 'date',
  before: 'date',
  after: 'date',
  within: 'dates',
  empty: 'nothing',
  filled: 'nothing',
} as const;

export type ConditionKind = keyof typeof CONDITION_OPERANDS;

const FILTER_OPS: Readonly<Record<ConditionKind, FilterOp>> = {
  contains: 'contains',
  lacks: 'notContains',
  begins: 'startsWith',
  ends: 'endsWith',
  is: 'eq',
  isNot: 'ne',
  like: 'matches',
  unlike: 'notMatches',
  equals: 'eq',
  differs: 'ne',
  greater: 'gt',
  least: 'gte',
  less: 'lt',
  most: 'lte',
  between: 'between',
  on: 'eq',
  before: 'lt',
  after: 'gt',
  within: 'between',
  empty: 'empty',
  filled: 'filled',
};

export interface FilterCondition {
  readonly kind: ConditionKind;
  /**
   * Operands as the person typed them: dates in ISO 8601, numbers in the document's locale. Only conditions with two
   * operands use the second one.
   */
  readonly operands: readonly [string, string];
}

/** One or two conditions on a column. */
export interface FilterConditions {
  /** Whether both of two conditions must hold, or one of them. */
  readonly join: 'both' | 'either';
  readonly list: readonly FilterCondition[];
}

/** Converts conditions to the service's form; null if an operand is invalid. */
export function toColumnCondition({ join, list }: FilterConditions, inputLocale: InputLocale): ColumnCondition | null {
  const tests = list.flatMap((condition) => toFilterTest(condition, inputLocale) ?? []);
  return tests.length < list.length ? null : { tests, match: join === 'both' ? 'all' : 'any' };
}

function toFilterTest({ kind, operands }: FilterCondition, inputLocale: InputLocale): FilterTest | null {
  const op = FILTER_OPS[kind];
  const [first, second] = operands;
  switch (CONDITION_OPERANDS[kind]) {
    case 'text':
      return first === '' ? null : { op, value: first };
    case 'number': {
      const value = parseNumber(first.trim(), inputLocale)?.value;
      return value === undefined ? null : { op, value };
    }
    case 'numbers': {
      const bounds = operands.flatMap((text) => parseNumber(text.trim(), inputLocale)?.value ?? []);
      const [least, greatest] = bounds.toSorted((a, b) => a - b);
      return least === undefined || greatest === undefined ? null : { op, value: least, to: greatest };
    }
    case 'date':
      return first === '' ? null : { op, value: first };
    case 'dates': {
      const [from, to] = [first, second].sort();
      return from === undefined || from === '' || to === undefined ? null : { op, value: from, to };
    }
    case 'nothing':
      return { op };
  }
}

const ISO_DAY = /^\d{4}-\d{2}-\d{2}/;

/** Converts a column condition to the dialog's form; null if it has no tests or more than two. */
export function toFilterConditions(
  condition: ColumnCondition | undefined,
  inputLocale: InputLocale,
): FilterConditions | null {
  if (condition === undefined || !('tests' in condition) || condition.tests.length > 2) return null;
  const list = condition.tests.flatMap((test) => toFilterCondition(test, inputLocale) ?? []);
  if (list.length < condition.tests.length) return null;
  return { join: condition.match === 'all' ? 'both' : 'either', list };
}

function toFilterCondition({ op, value = '', to = '' }: FilterTest, inputLocale: InputLocale): FilterCondition | null {
  const isDate = typeof value === 'string' && ISO_DAY.test(value);
  const need = typeof value === 'number' ? ['number', 'numbers'] : isDate ? ['date', 'dates'] : ['text', 'nothing'];
  const kind = (Object.keys(FILTER_OPS) as ConditionKind[]).find(
    (one) => FILTER_OPS[one] === op && need.includes(CONDITION_OPERANDS[one]),
  );
  const formatOperand = (operand: string | number) =>
    typeof operand === 'number' ? formatNumber(operand, inputLocale) : operand;
  return kind === undefined ? null : { kind, operands: [formatOperand(value), formatOperand(to)] };
}
