import {
  type DateSystem,
  errorByCode,
  formatIsoDate,
  formatTime,
  type Input,
  type InputMode,
  type Moment,
  type MomentKind,
  parseBoolean,
  parseIsoDate,
  parseJsonNumber,
  parseTime,
  RECORD_TYPES,
  type RecordType,
  type Scalar,
  toMomentKind,
} from '@cellwire/engine';
import type { LimitSettings } from '../../config/types.ts';
import { describeUnknownField, invalidRequest, type Refusal, truncateText } from '../refusal.ts';

/** A value with a known type, which can be compared and written. */
export interface TypedCell {
  /** Value that the cell gets; undefined for a formula, because its result is not known yet. */
  readonly scalar: Scalar;
  readonly input: Exclude<Input, null>;
  /** The text of a formula; null: not a formula. */
  readonly formula: string | null;
  /** The kind of date or time that the cell must show; null: none. */
  readonly moment: MomentKind | null;
}

/** The problem of a value, as words that follow its path. */
export interface CellProblem {
  readonly problem: string;
  /** A member that is not defined. */
  readonly unknown?: string;
}

/** Date system and limits for parsing values. */
export interface TypingContext {
  readonly system: DateSystem;
  readonly limits: LimitSettings;
}

const ERROR_MEMBERS = ['error'];
const VALUE_MEMBERS = ['value', 'as'];

/** Refuses a value, with its path in the request. */
export function toCellRefusal(path: string, { problem, unknown }: CellProblem): Refusal {
  if (unknown === undefined) return invalidRequest(path, `${path} ${problem}`);
  return { kind: 'refusal', reason: 'unknownField', field: truncateText(`${path}.${unknown}`), message: problem };
}

export const CLEARED: TypedCell = { scalar: null, input: '', formula: null, moment: null };

/** The problem of a text, as words that follow its path; null: none. */
export function findTextProblem(text: string, mode: InputMode, limits: LimitSettings): string | null {
  const isFormula = mode === 'user' && text.startsWith('=');
  const limit = isFormula ? limits.maxFormulaLength : limits.maxStringLength;
  if (text.length > limit) return `must not have more than ${limit} characters`;
  return text.isWellFormed() ? null : 'holds half of a surrogate pair';
}

/** A value that states its type: `{ "value": "00501", "as": "text" }` or `{ "error": "#N/A" }`. */
export function parseTypedCell(
  input: Readonly<Record<string, unknown>>,
  context: TypingContext,
): TypedCell | CellProblem {
  const { value, as, error } = input;
  const supported = as === undefined && typeof error === 'string' ? ERROR_MEMBERS : VALUE_MEMBERS;
  const unknown = Object.keys(input).find((name) => !supported.includes(name));
  if (unknown !== undefined) return { problem: describeUnknownField(unknown, supported), unknown };
  if (as === undefined && typeof error === 'string') return parseErrorCell(error);
  if (as === 'formula') return parseFormulaCell(value, context);
  if (!isRecordType(as)) {
    return { problem: `must be { "value", "as" } with as one of ${RECORD_TYPES.join(', ')}, formula` };
  }
  if (value === null) return CLEARED;
  if (value === '') return { ...CLEARED, input: { as: 'text', value: '' } };
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return { problem: 'must have a value that is a text, a number, a boolean or null' };
  }
  const cell = convertToCell(value, as, context);
  if ('problem' in cell || typeof cell.input === 'object') return cell;
  return { ...cell, input: { as: as === 'boolean' ? 'boolean' : 'number', value: cell.input } };
}

function isRecordType(as: unknown): as is RecordType {
  return (RECORD_TYPES as readonly unknown[]).includes(as);
}

function parseFormulaCell(value: unknown, { limits }: TypingContext): TypedCell | CellProblem {
  if (typeof value !== 'string' || !value.startsWith('=') || value.length < 2) {
    return { problem: 'must be a formula that begins with =' };
  }
  const problem = findTextProblem(value, 'user', limits);
  if (problem !== null) return { problem };
  return { scalar: null, input: { as: 'formula', value }, formula: value, moment: null };
}

function parseErrorCell(code: string): TypedCell | CellProblem {
  const error = errorByCode(code);
  if (error === undefined) return { problem: 'must be an error of cells, such as { "error": "#N/A" }' };
  return { scalar: error, input: { as: 'error', value: error.code }, formula: null, moment: null };
}

/** Converts a value to a type: numbers and booleans may be JSON texts; dates and times are texts in plain form. */
export function convertToCell(
  value: string | number | boolean,
  type: RecordType,
  context: TypingContext,
): TypedCell | CellProblem {
  switch (type) {
    case 'text':
      return parseTextCell(typeof value === 'boolean' ? (value ? 'TRUE' : 'FALSE') : String(value), context);
    case 'number': {
      const number = typeof value === 'string' ? parseJsonNumber(value) : value;
      return typeof number === 'number' ? toPlainCell(number) : { problem: 'must be a number, such as 12.5' };
    }
    case 'boolean': {
      const boolean = typeof value === 'string' ? parseBoolean(value) : value;
      return typeof boolean === 'boolean' ? toPlainCell(boolean) : { problem: 'must be true or false' };
    }
    case 'date':
    case 'time':
    case 'duration':
      return parseMomentCell(value, type, context) ?? { problem: MOMENT_PROBLEMS[type] };
  }
}

const MOMENT_PROBLEMS = {
  date: 'must be a date, such as 2026-03-26 or 2026-03-26T12:00:00',
  time: 'must be a time, such as 08:30:00',
  duration: 'must be a duration, such as 25:30:00',
};

export function toPlainCell(value: number | boolean): TypedCell {
  const scalar = typeof value === 'number' ? value + 0 : value;
  return { scalar, input: scalar, formula: null, moment: null };
}

function parseTextCell(text: string, { limits }: TypingContext): TypedCell | CellProblem {
  const problem = findTextProblem(text, 'raw', limits);
  if (problem !== null) return { problem };
  return { scalar: text, input: { as: 'text', value: text }, formula: null, moment: null };
}

/** A date or time, in plain form or as a serial number. Null: the value is neither. */
function parseMomentCell(
  value: string | number | boolean,
  kind: 'date' | 'time' | 'duration',
  { system }: TypingContext,
): TypedCell | null {
  if (typeof value === 'boolean') return null;
  const moment = toMomentKind(kind);
  if (typeof value === 'number') {
    const isShown = (kind === 'date' ? formatIsoDate(value, system) : formatTime(value)) !== null;
    return isShown ? { scalar: value + 0, input: { as: kind, value: value + 0 }, formula: null, moment } : null;
  }
  const read = kind === 'date' ? parseIsoDate(value, system) : parseTime(value);
  return read && { ...formatMomentCell(value, read), input: { as: kind, value: value } };
}

/** Formats a text in plain form as a cell with a date, a time or a duration. */
export function formatMomentCell(text: string, { kind, serial }: Moment): TypedCell {
  return { scalar: serial, input: { as: kind, value: text }, formula: null, moment: kind };
}
