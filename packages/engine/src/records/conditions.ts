import { compareTexts } from '../functions/order.ts';
import type { DateSystem } from '../locale/date-system.ts';
import type { LocaleId } from '../locale/locales.ts';
import { type ErrorCode, errorByCode } from '../value/errors.ts';
import { canDecompose, compareCodePoints, composeText, foldName } from '../value/fold.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { parseBoolean, parseJsonNumber, type RecordType, toMomentKind } from './cell-values.ts';
import type { SearchValue } from './column-hashes.ts';
import { type Moment, type MomentKind, parseIsoDate, parseMoment, parseTime, roundToMoment } from './dates.ts';
import { createUnitsTest, type TextPart, type UnitsTest } from './text-part.ts';

/** A value to compare cells with. `null` and the empty text mean empty cells. */
export type ConditionLiteral = string | number | boolean | null | { readonly error: ErrorCode };

export type OrderOperator = 'gt' | 'gte' | 'lt' | 'lte';

/** A condition for a cell. If a cell has a type other than the value, it is neither equal to it nor less or greater. */
export type ConditionTest =
  | { readonly op: 'in' | 'nin'; readonly values: readonly ConditionLiteral[] }
  | { readonly op: OrderOperator; readonly value: ConditionLiteral }
  | { readonly op: TextPart; readonly text: string }
  | { readonly op: 'empty'; readonly is: boolean };

/** A condition for a record's cell in one column. */
export interface Comparison {
  /** Index of the column in the region. */
  readonly at: number;
  readonly test: ConditionTest;
}

/**
 * Tests of a record. All in `all` must be true, at least one group in `oneOf` (unless null), and no group in `none`. A
 * group is true if all of its tests are.
 */
export interface TestGroups<Test> {
  readonly all: readonly Test[];
  readonly oneOf: readonly (readonly Test[])[] | null;
  readonly none: readonly (readonly Test[])[];
}

/** Selects records by comparisons. */
export interface RecordFilter extends TestGroups<Comparison> {
  readonly caseSensitive: boolean;
}

/** A bound for numbers: (number - bound) × sign must be positive, or zero if `orEqual`. */
export interface NumberOrder {
  readonly bound: number;
  readonly sign: 1 | -1;
  readonly orEqual: boolean;
}

/** A bound for moments of one kind, as a rounded serial number; see `NumberOrder`. */
export interface MomentOrder extends NumberOrder {
  readonly kind: MomentKind;
}

/** A set of texts. If `isIn`, texts that are equal to a text of the set match; otherwise all other texts match. */
export interface TextSet {
  /** The texts, composed, and folded unless `caseSensitive`. */
  readonly keys: readonly string[];
  readonly caseSensitive: boolean;
  readonly isIn: boolean;
}

/** A compiled test of a cell. */
export interface CellTest {
  /** A test for numbers that is equivalent to `matches`; absent if there is none. */
  readonly numberOrder?: NumberOrder;
  /**
   * A test for numbers that is equivalent to `matches`: if `isIn`, the numbers of the set match; otherwise all other
   * numbers match. Absent if there is none.
   */
  readonly numberSet?: { readonly numbers: ReadonlySet<unknown>; readonly isIn: boolean };
  /** A test for texts that are not empty, equivalent to `matches`; absent if there is none. */
  readonly textSet?: TextSet;
  /** A test for moments that is equivalent to `matches`, except within `ROUNDING` of the bound; absent if there is none. */
  readonly momentOrder?: MomentOrder;
  /** Present if `matches` is a bound of texts in the order of the document's locale: 1 for a lower bound. */
  readonly textOrder?: { readonly sign: 1 | -1 };
  /** Present if the test only depends on whether a cell is empty: true if empty cells match. */
  readonly isEmpty?: boolean;
  /** A test for texts of one-byte characters that is equivalent to `matches`; absent if there is none. */
  readonly unitsTest?: UnitsTest | undefined;
  /** True if a value meets the condition. `momentKind` returns the kind of moment that a number represents. */
  matches(value: Scalar, momentKind: () => MomentKind | null): boolean;
}

/** A literal of a condition, converted in the same way as the cells of the column. */
interface ConditionOperand {
  /** The value to compare with; null stands for an empty cell. */
  readonly value: Scalar;
  /** The moment of the value, if the value is a text in plain form; else null. */
  readonly moment: Moment | null;
}

/** Converts a literal as the cells of a column with a record type are converted. */
function toOperand(literal: ConditionLiteral, type: RecordType | null, system: DateSystem): ConditionOperand {
  const value = toTypedOperand(literal, type);
  if (typeof value !== 'string') return { value, moment: null };
  if (value === '') return { value: null, moment: null };
  return { value, moment: parseMomentAsType(value, type, system) };
}

/** Parses a text as a moment, in a column with a record type. */
function parseMomentAsType(text: string, type: RecordType | null, system: DateSystem): Moment | null {
  if (type === null) return parseMoment(text, system);
  const kind = toMomentKind(type);
  if (kind === null) return null;
  return kind === 'date' ? parseIsoDate(text, system) : parseTime(text);
}

/** The value of a literal in a column with a record type. */
function toTypedOperand(literal: ConditionLiteral, type: RecordType | null): Scalar {
  if (literal === null) return null;
  if (typeof literal === 'object') return errorByCode(literal.error) ?? null;
  if (type === 'text' && typeof literal === 'number') return String(literal);
  if (type === 'text' && typeof literal === 'boolean') return literal ? 'TRUE' : 'FALSE';
  if (typeof literal !== 'string') return literal;
  if (type === 'number') return parseJsonNumber(literal) ?? literal;
  return type === 'boolean' ? (parseBoolean(literal) ?? literal) : literal;
}

/** Returns a key that is equal for equal values. */
function createOperandKey(value: Scalar, fold: (text: string) => string): string | number | boolean {
  if (typeof value === 'string') return `t${fold(value)}`;
  if (isError(value)) return `e${value.code}`;
  return value ?? 'empty';
}

/** Rules for comparing texts. */
interface TextRules {
  readonly caseSensitive: boolean;
  readonly locale: LocaleId;
}

/** Number of values of a comparison between two pauses. */
const VALUES_PER_STEP = 4_096;

/** Compiles a test. Pauses regularly because a test may have a hundred thousand values. */
export function* compileTest(
  test: ConditionTest,
  type: RecordType | null,
  { caseSensitive, system, locale }: TextRules & { readonly system: DateSystem },
): Generator<void, CellTest> {
  switch (test.op) {
    case 'in':
      return yield* compileMembership(test.values, type, system, caseSensitive);
    case 'nin': {
      const among = yield* compileMembership(test.values, type, system, caseSensitive);
      const { numberSet, textSet } = among;
      return {
        ...(numberSet === undefined ? {} : { numberSet: { ...numberSet, isIn: false } }),
        ...(textSet === undefined ? {} : { textSet: { ...textSet, isIn: false } }),
        matches: (value, momentKind) => !among.matches(value, momentKind),
      };
    }
    case 'empty':
      return { isEmpty: test.is, matches: (value) => (value === null || value === '') === test.is };
    case 'contains':
    case 'startsWith':
    case 'endsWith': {
      const fold = chooseFold(caseSensitive);
      const has = createTextPartTest(test.op, fold(test.text));
      return {
        matches: (value) => typeof value === 'string' && value !== '' && has(fold(value)),
        unitsTest: createUnitsTest(test.op, test.text, caseSensitive),
      };
    }
    default:
      return compileOrderTest(test.op, toOperand(test.value, type, system), { caseSensitive, locale, type, system });
  }
}

/** The function that makes texts identical if they are equal in records. */
function chooseFold(caseSensitive: boolean): (text: string) => string {
  return caseSensitive ? composeText : foldName;
}

/** Compiles a test whether a cell equals one of many values. */
function* compileMembership(
  literals: readonly ConditionLiteral[],
  type: RecordType | null,
  system: DateSystem,
  caseSensitive: boolean,
): Generator<void, CellTest> {
  const fold = chooseFold(caseSensitive);
  const keys = new Set<string | number | boolean>();
  const textKeys: string[] = [];
  const moments = { date: new Set<number>(), time: new Set<number>() };
  for (const [i, literal] of literals.entries()) {
    if (i % VALUES_PER_STEP === VALUES_PER_STEP - 1) yield;
    const { value, moment } = toOperand(literal, type, system);
    keys.add(createOperandKey(value, fold));
    if (typeof value === 'string') textKeys.push(fold(value));
    if (moment !== null) moments[moment.kind].add(roundToMoment(moment.serial));
  }
  const hasMoments = moments.date.size + moments.time.size > 0;
  const textSet = { keys: textKeys, caseSensitive, isIn: true };
  const [only] = keys.size === 1 && !hasMoments ? keys : [];
  if (typeof only === 'string' && only.startsWith('t')) {
    const text = only.slice(1);
    return {
      textSet,
      matches: createSingleTextTest(text, fold),
      unitsTest: createUnitsTest('equals', text, caseSensitive),
    };
  }
  return {
    ...(hasMoments ? {} : { numberSet: { numbers: keys, isIn: true } }),
    textSet,
    matches: (value, momentKind) => {
      if (keys.has(createOperandKey(value === '' ? null : value, fold))) return true;
      if (!hasMoments || typeof value !== 'number') return false;
      const kind = momentKind();
      return kind !== null && moments[kind].has(roundToMoment(value));
    },
  };
}

/**
 * Creates a test for equality with one folded text. Folding does not change the length of composed texts, so texts of
 * other lengths are skipped.
 */
function createSingleTextTest(folded: string, fold: (text: string) => string): (value: Scalar) => boolean {
  return (value) => {
    if (typeof value !== 'string' || (value.length !== folded.length && !canDecompose(value))) return false;
    return fold(value) === folded;
  };
}

/** Creates a test whether a text contains, starts or ends with another text. */
function createTextPartTest(op: TextPart, part: string): (text: string) => boolean {
  if (op === 'contains') return (text) => text.includes(part);
  return op === 'startsWith' ? (text) => text.startsWith(part) : (text) => text.endsWith(part);
}

/** A tolerance in days that is greater than the largest change that `roundToMoment` makes. */
export const ROUNDING = 1e-6;

interface OrderRules extends TextRules {
  readonly type: RecordType | null;
  readonly system: DateSystem;
}

/**
 * Compiles a comparison by order. If the bound is a moment, only moments of the same kind match, including texts in
 * plain form.
 */
function compileOrderTest(op: OrderOperator, { value: bound, moment }: ConditionOperand, rules: OrderRules): CellTest {
  const stands = ORDERS[op];
  const sign = op === 'gt' || op === 'gte' ? 1 : -1;
  const orEqual = op === 'gte' || op === 'lte';
  if (moment !== null) {
    const nearest = roundToMoment(moment.serial);
    return {
      momentOrder: { bound: nearest, sign, orEqual, kind: moment.kind },
      matches: (value, momentKind) => {
        const serial = readMomentSerial(value, momentKind, moment.kind, rules);
        if (serial === null) return false;
        const distance = serial - nearest;
        return stands(Math.abs(distance) > ROUNDING ? distance : roundToMoment(serial) - nearest);
      },
    };
  }
  const { caseSensitive, locale } = rules;
  const texts = (a: string, b: string) =>
    caseSensitive
      ? compareCodePoints(composeText(a), composeText(b))
      : compareTexts(composeText(a), composeText(b), locale);
  return {
    ...(typeof bound === 'number' ? { numberOrder: { bound, sign, orEqual } } : {}),
    ...(typeof bound === 'string' && !caseSensitive ? { textOrder: { sign } } : {}),
    matches: (value) => {
      if (typeof value === 'number') return typeof bound === 'number' && stands(value - bound);
      if (typeof value === 'string') return value !== '' && typeof bound === 'string' && stands(texts(value, bound));
      return typeof value === 'boolean' && typeof bound === 'boolean' && stands(Number(value) - Number(bound));
    },
  };
}

/**
 * Returns the serial number of a cell whose value is a moment of a kind, either as a number or as a text in plain form;
 * null for other cells.
 */
function readMomentSerial(
  value: Scalar,
  momentKind: () => MomentKind | null,
  kind: MomentKind,
  { type, system }: OrderRules,
): number | null {
  if (typeof value === 'number') return momentKind() === kind ? value : null;
  const moment = typeof value === 'string' ? parseMomentAsType(value, type, system) : null;
  return moment?.kind === kind ? moment.serial : null;
}

const ORDERS: Readonly<Record<OrderOperator, (order: number) => boolean>> = {
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
};

/**
 * Returns the values to look up in a column index for literals. Null if an index cannot answer, and all rows must be
 * scanned. Pauses regularly.
 */
export function* listIndexedValues(
  literals: readonly ConditionLiteral[],
  type: RecordType | null,
  system: DateSystem,
): Generator<void, readonly SearchValue[] | null> {
  const values: SearchValue[] = [];
  for (const [i, literal] of literals.entries()) {
    if (i % VALUES_PER_STEP === VALUES_PER_STEP - 1) yield;
    const { value, moment } = toOperand(literal, type, system);
    // Indexes do not contain empty cells and errors.
    if (value === null || isError(value)) return null;
    values.push(value);
    if (moment !== null) values.push(moment.serial);
  }
  return values;
}
