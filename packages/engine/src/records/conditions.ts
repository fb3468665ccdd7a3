import { compareTexts } from '../functions/order.ts';
import type { DateSystem } from '../locale/date-system.ts';
import type { LocaleId } from '../locale/locales.ts';
import { type ErrorCode, errorByCode } from '../value/errors.ts';
import { compareCodePoints, composeText, foldName, mayDecompose } from '../value/fold.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { booleanOf, jsonNumber, kindOfType, type RecordType } from './cell-values.ts';
import type { SearchValue } from './column-hashes.ts';
import { isoDate, type Moment, type MomentKind, momentOfText, nearestMoment, timeMoment } from './dates.ts';
import { type TextPart, type UnitsTest, unitsTest } from './text-part.ts';

/** A value to compare cells with. `null` and the empty text mean empty cells. */
export type Literal = string | number | boolean | null | { readonly error: ErrorCode };

export type Order = 'gt' | 'gte' | 'lt' | 'lte';

/** A condition for a cell. A cell of another type than the value is neither equal to it nor before or after it. */
export type Test =
  | { readonly op: 'in' | 'nin'; readonly values: readonly Literal[] }
  | { readonly op: Order; readonly value: Literal }
  | { readonly op: TextPart; readonly text: string }
  | { readonly op: 'empty'; readonly is: boolean };

/** A condition for a record's cell in one column. */
export interface Comparison {
  /** The column's index in the region. */
  readonly at: number;
  readonly test: Test;
}

/** True if all of `all`, at least one of `oneOf` (null: not required), and none of `none` hold. */
export interface Filter {
  readonly all: readonly Comparison[];
  readonly oneOf: readonly (readonly Comparison[])[] | null;
  readonly none: readonly (readonly Comparison[])[];
  readonly caseSensitive: boolean;
}

/** A bound for numbers: (number - bound) × sign must be positive, or zero if allowed. */
export interface NumberOrder {
  readonly bound: number;
  readonly sign: 1 | -1;
  readonly orEqual: boolean;
}

/** A compiled test of a cell. */
export interface CellTest {
  /** An equivalent of `holds` for numbers, if there is one. */
  readonly ofNumbers?: NumberOrder;
  /** An equivalent of `holds` for texts of one-byte characters, if there is one. */
  readonly ofUnits?: UnitsTest | undefined;
  /** True if a value meets the condition. `momentKind` returns the kind of moment that a number means. */
  holds(value: Scalar, momentKind: () => MomentKind | null): boolean;
}

/** A literal, read as the cells of a column are. */
interface ConditionOperand {
  /** The value to compare with; null stands for an empty cell. */
  readonly value: Scalar;
  /** The moment that the value means if it is a text in plain form; else null. */
  readonly moment: Moment | null;
}

function operandOf(literal: Literal, type: RecordType | null, system: DateSystem): ConditionOperand {
  const value = typedOperand(literal, type);
  if (typeof value !== 'string') return { value, moment: null };
  if (value === '') return { value: null, moment: null };
  return { value, moment: momentAsType(value, type, system) };
}

/** The moment of a text in a column of a type. */
function momentAsType(text: string, type: RecordType | null, system: DateSystem): Moment | null {
  if (type === null) return momentOfText(text, system);
  const kind = kindOfType(type);
  if (kind === null) return null;
  return kind === 'date' ? isoDate(text, system) : timeMoment(text);
}

function typedOperand(literal: Literal, type: RecordType | null): Scalar {
  if (literal === null) return null;
  if (typeof literal === 'object') return errorByCode(literal.error) ?? null;
  if (type === 'text' && typeof literal === 'number') return String(literal);
  if (type === 'text' && typeof literal === 'boolean') return literal ? 'TRUE' : 'FALSE';
  if (typeof literal !== 'string') return literal;
  if (type === 'number') return jsonNumber(literal) ?? literal;
  return type === 'boolean' ? (booleanOf(literal) ?? literal) : literal;
}

/** A key that is equal for equal values; null for values that no literal has. */
function operandKey(value: Scalar, fold: (text: string) => string): string | number | boolean {
  if (typeof value === 'string') return `t${fold(value)}`;
  if (isError(value)) return `e${value.code}`;
  return value ?? 'empty';
}

/** Rules for comparing texts. */
interface TextRules {
  readonly caseSensitive: boolean;
  readonly locale: LocaleId;
}

/** Values of a comparison between two pauses. */
const VALUES_PER_STEP = 4_096;

/** Compiles a test. Pauses regularly because a test may have a hundred thousand values. */
export function* compileTest(
  test: Test,
  type: RecordType | null,
  { caseSensitive, system, locale }: TextRules & { readonly system: DateSystem },
): Generator<void, CellTest> {
  const fold = caseSensitive ? composeText : foldName;
  switch (test.op) {
    case 'in':
      return yield* compileMembership(test.values, type, system, fold);
    case 'nin': {
      const among = yield* compileMembership(test.values, type, system, fold);
      return { holds: (value, momentKind) => !among.holds(value, momentKind) };
    }
    case 'empty':
      return { holds: (value) => (value === null || value === '') === test.is };
    case 'contains':
    case 'startsWith':
    case 'endsWith': {
      const has = textPartTest(test.op, fold(test.text));
      return {
        holds: (value) => typeof value === 'string' && value !== '' && has(fold(value)),
        ofUnits: unitsTest(test.op, test.text, caseSensitive),
      };
    }
    default:
      return compileOrderTest(test.op, operandOf(test.value, type, system), { caseSensitive, locale, type, system });
  }
}

function* compileMembership(
  literals: readonly Literal[],
  type: RecordType | null,
  system: DateSystem,
  fold: (text: string) => string,
): Generator<void, CellTest> {
  const keys = new Set<string | number | boolean>();
  const moments = { date: new Set<number>(), time: new Set<number>() };
  for (const [i, literal] of literals.entries()) {
    if (i % VALUES_PER_STEP === VALUES_PER_STEP - 1) yield;
    const { value, moment } = operandOf(literal, type, system);
    keys.add(operandKey(value, fold));
    if (moment !== null) moments[moment.kind].add(nearestMoment(moment.serial));
  }
  const hasMoments = moments.date.size + moments.time.size > 0;
  const [only] = keys.size === 1 && !hasMoments ? keys : [];
  if (typeof only === 'string' && only.startsWith('t')) return { holds: singleTextTest(only.slice(1), fold) };
  return {
    holds: (value, momentKind) => {
      if (keys.has(operandKey(value === '' ? null : value, fold))) return true;
      if (!hasMoments || typeof value !== 'number') return false;
      const kind = momentKind();
      return kind !== null && moments[kind].has(nearestMoment(value));
    },
  };
}

/** Tests for one folded text. Folding keeps the length of composed texts, so other lengths are skipped. */
function singleTextTest(folded: string, fold: (text: string) => string): (value: Scalar) => boolean {
  return (value) => {
    if (typeof value !== 'string' || (value.length !== folded.length && !mayDecompose(value))) return false;
    return fold(value) === folded;
  };
}

function textPartTest(op: TextPart, part: string): (text: string) => boolean {
  if (op === 'contains') return (text) => text.includes(part);
  return op === 'startsWith' ? (text) => text.startsWith(part) : (text) => text.endsWith(part);
}

/** A tolerance in days that is greater than any change of a serial number by `nearestMoment`. */
const ROUNDING = 1e-6;

interface OrderRules extends TextRules {
  readonly type: RecordType | null;
  readonly system: DateSystem;
}

/**
 * Compiles a comparison by order. A bound that is a moment compares only with moments of its kind, including texts in
 * plain form.
 */
function compileOrderTest(op: Order, { value: bound, moment }: ConditionOperand, rules: OrderRules): CellTest {
  const stands = ORDERS[op];
  if (moment !== null) {
    const nearest = nearestMoment(moment.serial);
    return {
      holds: (value, momentKind) => {
        const serial = serialOfKind(value, momentKind, moment.kind, rules);
        if (serial === null) return false;
        const distance = serial - nearest;
        return stands(Math.abs(distance) > ROUNDING ? distance : nearestMoment(serial) - nearest);
      },
    };
  }
  const { caseSensitive, locale } = rules;
  const sign = op === 'gt' || op === 'gte' ? 1 : -1;
  const orEqual = op === 'gte' || op === 'lte';
  const texts = (a: string, b: string) =>
    caseSensitive
      ? compareCodePoints(composeText(a), composeText(b))
      : compareTexts(composeText(a), composeText(b), locale);
  return {
    ...(typeof bound === 'number' ? { ofNumbers: { bound, sign, orEqual } } : {}),
    holds: (value) => {
      if (typeof value === 'number') return typeof bound === 'number' && stands(value - bound);
      if (typeof value === 'string') return value !== '' && typeof bound === 'string' && stands(texts(value, bound));
      return typeof value === 'boolean' && typeof bound === 'boolean' && stands(Number(value) - Number(bound));
    },
  };
}

/** The serial number of a cell with a moment of a kind, as a number or as a text in plain form. */
function serialOfKind(
  value: Scalar,
  momentKind: () => MomentKind | null,
  kind: MomentKind,
  { type, system }: OrderRules,
): number | null {
  if (typeof value === 'number') return momentKind() === kind ? value : null;
  const moment = typeof value === 'string' ? momentAsType(value, type, system) : null;
  return moment?.kind === kind ? moment.serial : null;
}

const ORDERS: Readonly<Record<Order, (order: number) => boolean>> = {
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
};

/** The values that a column index may contain for literals; null if only a scan can answer. Pauses regularly. */
export function* indexedValues(
  literals: readonly Literal[],
  type: RecordType | null,
  system: DateSystem,
): Generator<void, readonly SearchValue[] | null> {
  const values: SearchValue[] = [];
  for (const [i, literal] of literals.entries()) {
    if (i % VALUES_PER_STEP === VALUES_PER_STEP - 1) yield;
    const { value, moment } = operandOf(literal, type, system);
    // No index contains empty cells and errors.
    if (value === null || isError(value)) return null;
    values.push(value);
    if (moment !== null) values.push(moment.serial);
  }
  return values;
}
