import {
  type ConditionLiteral,
  type ConditionTest,
  errorByCode,
  type OrderOperator,
  RECORD_TYPES,
  type RecordType,
  type TextPart,
} from '@cellwire/engine';
import { MAX_CONDITIONS, MAX_LISTED_VALUES } from '../../limits/records.ts';
import { describeUnknownField, invalidRequest, isRefusal, type Refusal } from '../refusal.ts';

/** A condition on a column, by the column's name in the request. */
export interface NamedComparison {
  readonly name: string;
  readonly test: ConditionTest;
}

/** A parsed filter whose column names are not resolved. */
export interface NamedFilter {
  readonly where: readonly NamedComparison[];
  readonly oneOf: readonly (readonly NamedComparison[])[] | null;
  readonly none: readonly (readonly NamedComparison[])[];
  readonly formula: string | null;
  readonly caseSensitive: boolean;
  readonly types: ReadonlyMap<string, RecordType>;
}

export type RecordMembers = Readonly<Record<string, unknown>>;

const TYPES: ReadonlySet<unknown> = new Set(RECORD_TYPES);
const ORDERS: ReadonlySet<string> = new Set(['gt', 'gte', 'lt', 'lte']);
const TEXT_PARTS: ReadonlySet<string> = new Set(['contains', 'startsWith', 'endsWith']);
const OPERATORS = ['eq', 'ne', ...ORDERS, 'in', 'nin', ...TEXT_PARTS, 'empty'];

export function isRecordMembers(value: unknown): value is RecordMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses the members `where`, `any`, `none`, `formula`, `caseSensitive` and `types` of a request. */
export function parseFilter(body: RecordMembers, maxFormulaLength: number): NamedFilter | Refusal {
  const reader = new FilterReader();
  const where = body['where'] === undefined ? [] : reader.parseCondition(body['where'], 'where');
  const oneOf = body['any'] === undefined ? null : reader.parseConditions(body['any'], 'any');
  const none = body['none'] === undefined ? [] : reader.parseConditions(body['none'], 'none');
  const types = parseTypes(body['types']);
  const formula = body['formula'] ?? null;
  const caseSensitive = body['caseSensitive'] ?? false;
  for (const part of [where, oneOf, none, types]) if (isRefusal(part)) return part;
  if (formula !== null && typeof formula !== 'string') return invalidRequest('formula', 'formula must be a text');
  if (formula !== null && (!formula.startsWith('=') || formula.length > maxFormulaLength)) {
    return invalidRequest('formula', `formula must begin with = and have ${maxFormulaLength} characters at most`);
  }
  if (typeof caseSensitive !== 'boolean') return invalidRequest('caseSensitive', 'caseSensitive must be a boolean');
  return { where, oneOf, none, formula, caseSensitive, types } as NamedFilter;
}

/** Column types by column name. */
export function parseTypes(input: unknown): ReadonlyMap<string, RecordType> | Refusal {
  if (input === undefined) return new Map();
  if (!isRecordMembers(input)) return invalidRequest('types', 'types must be an object of columns and their types');
  for (const [name, type] of Object.entries(input)) {
    if (!TYPES.has(type)) return invalidRequest('types', `types."${name}" must be one of ${RECORD_TYPES.join(', ')}`);
  }
  return new Map(Object.entries(input) as [string, RecordType][]);
}

/** Parses conditions and counts their values against the limits. */
class FilterReader {
  private comparisons = 0;
  private values = 0;

  /** Parses conditions of which each is a list of comparisons that must all hold. */
  parseConditions(input: unknown, field: string): readonly (readonly NamedComparison[])[] | Refusal {
    if (!Array.isArray(input)) return invalidRequest(field, `${field} must be a list of conditions`);
    const read: (readonly NamedComparison[])[] = [];
    for (const one of input) {
      const condition = this.parseCondition(one, field);
      if (isRefusal(condition)) return condition;
      read.push(condition);
    }
    return read;
  }

  /** Parses an object of tests by column name, such as `{ "Status": "open" }`. */
  parseCondition(input: unknown, field: string): readonly NamedComparison[] | Refusal {
    if (!isRecordMembers(input)) {
      return invalidRequest(field, `${field} must say what columns hold, such as { "Status": "open" }`);
    }
    const read: NamedComparison[] = [];
    for (const [name, requested] of Object.entries(input)) {
      const tests = this.parseTests(requested, field, name);
      if (isRefusal(tests)) return tests;
      this.comparisons += tests.length;
      if (this.comparisons > MAX_CONDITIONS) {
        return invalidRequest(field, `A query may have ${MAX_CONDITIONS} comparisons at most`);
      }
      read.push(...tests.map((test) => ({ name, test })));
    }
    return read;
  }

  /**
   * The tests of one column: a value, a list of values, or an object of operators. `field` names the place in errors.
   */
  private parseTests(input: unknown, field: string, name: string): readonly ConditionTest[] | Refusal {
    if (Array.isArray(input)) return this.parseListTest('in', input, field, name);
    if (!isRecordMembers(input) || isErrorValue(input)) return this.parseListTest('in', [input], field, name);
    const tests: ConditionTest[] = [];
    for (const [operator, value] of Object.entries(input)) {
      const test = this.parseTest(operator, value, field, name);
      if (isRefusal(test)) return test;
      tests.push(...test);
    }
    if (tests.length === 0) return invalidRequest(field, `${field}."${name}" needs one of ${OPERATORS.join(', ')}`);
    return tests;
  }

  /** The tests of one operator, such as `gte`; refused if the operator is unknown or its value has another type. */
  private parseTest(operator: string, value: unknown, field: string, name: string): readonly ConditionTest[] | Refusal {
    const place = `${field}."${name}".${operator}`;
    if (operator === 'eq' || operator === 'ne') {
      return this.parseListTest(operator === 'eq' ? 'in' : 'nin', [value], field, name);
    }
    if (operator === 'in' || operator === 'nin') {
      if (!Array.isArray(value)) return invalidRequest(field, `${place} must be a list`);
      return this.parseListTest(operator, value, field, name);
    }
    if (operator === 'empty') {
      return typeof value === 'boolean'
        ? [{ op: operator, is: value }]
        : invalidRequest(field, `${place} must be a boolean`);
    }
    if (TEXT_PARTS.has(operator)) {
      if (typeof value !== 'string') return invalidRequest(field, `${place} must be a text`);
      return [{ op: operator as TextPart, text: value }];
    }
    if (!ORDERS.has(operator)) {
      return invalidRequest(
        field,
        `${place}: ${describeUnknownField(operator, OPERATORS)}; use ${OPERATORS.join(', ')}`,
      );
    }
    if (typeof value !== 'number' && typeof value !== 'string' && typeof value !== 'boolean') {
      return invalidRequest(field, `${place} must be a number, a text or a boolean`);
    }
    return [{ op: operator as OrderOperator, value }];
  }

  /** A test for (`in`) or against (`nin`) a list of values, which count towards the limit of a query. */
  private parseListTest(
    op: 'in' | 'nin',
    values: readonly unknown[],
    field: string,
    name: string,
  ): readonly ConditionTest[] | Refusal {
    this.values += values.length;
    if (this.values > MAX_LISTED_VALUES) {
      return invalidRequest(field, `A query may compare with ${MAX_LISTED_VALUES} values at most`);
    }
    if (!values.every(isLiteral)) {
      return invalidRequest(field, `${field}."${name}" must compare with numbers, texts, booleans or null`);
    }
    return [{ op, values }];
  }
}

/** True for a value that a cell can be compared with: null, text, boolean, number or error. */
function isLiteral(value: unknown): value is ConditionLiteral {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  return Number.isFinite(value) || isErrorValue(value);
}

/** True for an error in its JSON form: `{ "error": "#N/A" }`. */
function isErrorValue(value: unknown): boolean {
  if (!isRecordMembers(value) || Object.keys(value).length !== 1) return false;
  const { error } = value;
  return typeof error === 'string' && errorByCode(error) !== undefined;
}
