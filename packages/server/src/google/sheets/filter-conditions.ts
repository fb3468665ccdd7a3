import type { ColumnCondition, FilterOp, FilterOperand, FilterTest } from '@cellwire/engine';
import { isRequestObject, type RequestObject } from '../json.ts';

type OperandKind = 'number' | 'text' | 'date' | 'none';

/** Google's condition types that correspond to one test of a document's filter. */
const TESTS: readonly (readonly [type: string, op: FilterOp, operands: OperandKind])[] = [
  ['NUMBER_GREATER', 'gt', 'number'],
  ['NUMBER_GREATER_THAN_EQ', 'gte', 'number'],
  ['NUMBER_LESS', 'lt', 'number'],
  ['NUMBER_LESS_THAN_EQ', 'lte', 'number'],
  ['NUMBER_EQ', 'eq', 'number'],
  ['NUMBER_NOT_EQ', 'ne', 'number'],
  ['NUMBER_BETWEEN', 'between', 'number'],
  ['DATE_EQ', 'eq', 'date'],
  ['DATE_NOT_EQ', 'ne', 'date'],
  ['DATE_BEFORE', 'lt', 'date'],
  ['DATE_AFTER', 'gt', 'date'],
  ['DATE_ON_OR_BEFORE', 'lte', 'date'],
  ['DATE_ON_OR_AFTER', 'gte', 'date'],
  ['DATE_BETWEEN', 'between', 'date'],
  ['TEXT_CONTAINS', 'contains', 'text'],
  ['TEXT_NOT_CONTAINS', 'notContains', 'text'],
  ['TEXT_STARTS_WITH', 'startsWith', 'text'],
  ['TEXT_ENDS_WITH', 'endsWith', 'text'],
  ['TEXT_EQ', 'eq', 'text'],
  ['TEXT_NOT_EQ', 'ne', 'text'],
  ['BLANK', 'empty', 'none'],
  ['NOT_BLANK', 'filled', 'none'],
];

/** Types that are true outside of two bounds. */
const OUTSIDE: Readonly<Record<string, OperandKind>> = { NUMBER_NOT_BETWEEN: 'number', DATE_NOT_BETWEEN: 'date' };

const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The document's filter condition for a column's `FilterCriteria`; null: no equivalent exists. */
export function toColumnCondition({ hiddenValues, condition }: RequestObject): ColumnCondition | null {
  const hidden = Array.isArray(hiddenValues) ? (hiddenValues as unknown[]).map(String) : [];
  if (!isRequestObject(condition)) return hidden.length === 0 ? null : { values: hidden, except: true };
  // A column of a document's filter has either a list or tests.
  if (hidden.length > 0) return null;
  const type = String(condition['type']);
  const values = Array.isArray(condition['values']) ? (condition['values'] as RequestObject[]) : [];
  const sent = values.map((value) => value['userEnteredValue']);
  // Google has no such filter. It is what answers contain for the lists of files.
  if (type === 'ONE_OF_LIST') return { values: sent.map(String) };
  const outside = OUTSIDE[type];
  if (outside !== undefined) {
    const [from, to] = sent.map((value) => parseOperand(value, outside));
    if (from == null || to == null) return null;
    return {
      tests: [
        { op: 'lt', value: from },
        { op: 'gt', value: to },
      ],
      match: 'any',
    };
  }
  const test = TESTS.find(([name]) => name === type);
  if (test === undefined) return null;
  const [, op, kind] = test;
  if (kind === 'none') return { tests: [{ op }], match: 'all' };
  const [value, to] = sent.map((one) => parseOperand(one, kind));
  if (value == null) return null;
  if (op !== 'between') return { tests: [{ op, value }], match: 'all' };
  return to == null ? null : { tests: [{ op, value, to }], match: 'all' };
}

/** Null: a formula, or a text that is not an operand of this kind. */
function parseOperand(value: unknown, kind: OperandKind): FilterOperand | null {
  if (typeof value !== 'string' || value === '' || value.startsWith('=')) return null;
  if (kind === 'text') return value;
  if (kind === 'date') return ISO_DATE.test(value) ? value : null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** The `FilterCriteria` for a condition of a document's filter; null: no equivalent exists. */
export function toFilterCriteria(condition: ColumnCondition): RequestObject | null {
  if ('file' in condition) return null;
  if ('values' in condition) {
    if (condition.dates !== undefined) return null;
    if (condition.except) return { hiddenValues: condition.values };
    return { condition: { type: 'ONE_OF_LIST', values: condition.values.map(toConditionValue) } };
  }
  const { tests, match } = condition;
  const [first, second] = tests;
  if (first === undefined) return null;
  if (second === undefined) return toTestCriteria(first);
  const isOutside = tests.length === 2 && match === 'any' && first.op === 'lt' && second.op === 'gt';
  const kind = classifyOperand(first.value);
  if (!isOutside || kind === 'text' || kind !== classifyOperand(second.value)) return null;
  const type = kind === 'number' ? 'NUMBER_NOT_BETWEEN' : 'DATE_NOT_BETWEEN';
  return { condition: { type, values: [toConditionValue(first.value), toConditionValue(second.value)] } };
}

/** Google's filter criteria of a test; null if Google has none for it. */
function toTestCriteria({ op, value, to }: FilterTest): RequestObject | null {
  const found = TESTS.find(([, name, kind]) => name === op && (kind === 'none' || kind === classifyOperand(value)));
  if (found === undefined) return null;
  const values = [value, to].filter((one) => one !== undefined).map(toConditionValue);
  return { condition: { type: found[0], ...(values.length > 0 && { values }) } };
}

/** Whether an operand is absent, a number, a date or a text. */
function classifyOperand(value: FilterOperand | undefined): OperandKind {
  if (value === undefined) return 'none';
  if (typeof value === 'number') return 'number';
  return ISO_DATE.test(value) ? 'date' : 'text';
}

function toConditionValue(value: FilterOperand | undefined): object {
  return { userEnteredValue: String(value) };
}
