import { type ColumnCondition, columnIndex, FILTER_OPS, type FilterOp, type FilterTest } from '@cellwire/engine';
import {
  MAX_FILTER_COLUMNS,
  MAX_FILTER_OPERAND_LENGTH,
  MAX_FILTER_TESTS,
  MAX_FILTER_TEXT,
  MAX_FILTER_VALUES,
} from '../../limits/display.ts';
import { describeUnknownField } from '../refusal.ts';

/** An error in a filter condition, and its place. */
export class ConditionProblem {
  /** Path of the invalid member, such as `tests.0.op`; empty: the condition itself. */
  readonly field: string;
  readonly message: string;

  constructor(field: string, message: string) {
    this.field = field;
    this.message = message;
  }
}

type FilterMembers = Readonly<Record<string, unknown>>;
const VALUE_MEMBERS = ['values', 'dates', 'except'];
const TEST_LIST_MEMBERS = ['tests', 'match'];
const TEST_MEMBERS = ['op', 'value', 'to'];
/** `2026`, `2026-03`, `2026-03-26`, and finer, down to the second. */
const DATE_BEGINNING = /^\d{4}(-\d{2}(-\d{2}(T\d{2}(:\d{2}(:\d{2})?)?)?)?)?$/;

/** Parses the condition of one column: `{ values }` or `{ tests, match }`. */
export function parseCondition(input: unknown): ColumnCondition | ConditionProblem {
  if (!isMembers(input)) return new ConditionProblem('', 'a condition is an object with values or tests');
  const isList = 'values' in input;
  if (isList === 'tests' in input) return new ConditionProblem('', 'a condition has either values or tests');
  const unknown = findUnknownMember(input, isList ? VALUE_MEMBERS : TEST_LIST_MEMBERS, '');
  if (unknown !== null) return unknown;
  return isList ? parseValues(input) : parseTests(input);
}

/** The condition that a cell shows one of the values or dates, or none of them (`except`). */
function parseValues({ values, dates = [], except = false }: FilterMembers): ColumnCondition | ConditionProblem {
  const areTexts =
    Array.isArray(values) &&
    values.length <= MAX_FILTER_VALUES &&
    values.every((one) => isText(one, MAX_FILTER_TEXT)) &&
    values.reduce((sum, one) => sum + one.length, 0) <= MAX_FILTER_TEXT;
  if (!areTexts) return new ConditionProblem('values', `values must be at most ${MAX_FILTER_VALUES} texts`);
  const areDates =
    Array.isArray(dates) &&
    dates.length <= MAX_FILTER_VALUES &&
    dates.every((one) => typeof one === 'string' && DATE_BEGINNING.test(one));
  if (!areDates) return new ConditionProblem('dates', 'dates must be beginnings of ISO dates such as "2026-03"');
  if (typeof except !== 'boolean') return new ConditionProblem('except', 'except must be true or false');
  return { values, ...(dates.length > 0 ? { dates } : {}), ...(except ? { except } : {}) };
}

/** The condition that a cell passes all or any of the tests. */
function parseTests({ tests, match = 'all' }: FilterMembers): ColumnCondition | ConditionProblem {
  if (!Array.isArray(tests) || tests.length === 0 || tests.length > MAX_FILTER_TESTS) {
    return new ConditionProblem('tests', `tests must be a list of 1 to ${MAX_FILTER_TESTS}`);
  }
  if (match !== 'all' && match !== 'any') return new ConditionProblem('match', 'match must be all or any');
  const parsed: FilterTest[] = [];
  for (const [i, sent] of (tests as unknown[]).entries()) {
    const test = parseTest(sent);
    if (test instanceof ConditionProblem)
      return new ConditionProblem(joinFieldPath(`tests.${i}`, test.field), test.message);
    parsed.push(test);
  }
  return { tests: parsed, match };
}

function parseTest(input: unknown): FilterTest | ConditionProblem {
  if (!isMembers(input)) return new ConditionProblem('', 'a test is an object with op');
  const unknown = findUnknownMember(input, TEST_MEMBERS, '');
  if (unknown !== null) return unknown;
  const { op } = input;
  if (typeof op !== 'string' || !Object.hasOwn(FILTER_OPS, op)) {
    return new ConditionProblem('op', `op must be one of ${Object.keys(FILTER_OPS).join(', ')}`);
  }
  const operands = (['value', 'to'] as const).slice(0, FILTER_OPS[op as FilterOp]);
  for (const name of ['value', 'to'] as const) {
    if (!operands.includes(name)) {
      if (input[name] !== undefined) return new ConditionProblem(name, `${op} takes no ${name}`);
    } else if (!isOperand(input[name])) {
      return new ConditionProblem(name, `${name} must be a number, an ISO date or another text`);
    }
  }
  return input as unknown as FilterTest;
}

/** Parses conditions by column letter. */
export function parseColumns(
  input: unknown,
): readonly { readonly column: number; readonly condition: ColumnCondition }[] | ConditionProblem {
  if (!isMembers(input)) return new ConditionProblem('', 'columns must be an object by the letters of columns');
  if (Object.keys(input).length > MAX_FILTER_COLUMNS) {
    return new ConditionProblem('', `a filter has conditions for ${MAX_FILTER_COLUMNS} columns at most`);
  }
  const columns = new Map<number, ColumnCondition>();
  for (const [letters, condition] of Object.entries(input)) {
    const column = columnIndex(letters);
    if (column < 0) return new ConditionProblem(letters, 'columns must be named by their letters');
    const parsed = parseCondition(condition);
    if (parsed instanceof ConditionProblem)
      return new ConditionProblem(joinFieldPath(letters, parsed.field), parsed.message);
    columns.set(column, parsed);
  }
  const sorted = [...columns].sort(([a], [b]) => a - b);
  return sorted.map(([column, condition]) => ({ column, condition }));
}

/** The problem of the first member that is not supported; null if all are. */
function findUnknownMember(
  members: FilterMembers,
  supported: readonly string[],
  field: string,
): ConditionProblem | null {
  const name = Object.keys(members).find((member) => !supported.includes(member));
  return name === undefined
    ? null
    : new ConditionProblem(joinFieldPath(field, name), describeUnknownField(name, supported));
}

function isOperand(value: unknown): value is string | number {
  return typeof value === 'number' ? Number.isFinite(value) : isText(value, MAX_FILTER_OPERAND_LENGTH);
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length <= maxLength && value.isWellFormed();
}

function isMembers(value: unknown): value is FilterMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function joinFieldPath(path: string, field: string): string {
  return [path, field].filter((part) => part !== '').join('.');
}
