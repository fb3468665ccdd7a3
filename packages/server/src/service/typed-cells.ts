import {
  booleanOf,
  type DateSystem,
  errorByCode,
  type Input,
  type InputMode,
  isoDate,
  isoText,
  jsonNumber,
  type RecordType,
  type Scalar,
} from '@cellwire/engine';
import type { LimitSettings } from '../config/types.ts';
import { fitting, invalidRequest, type Refusal, unknownFieldText } from './refusal.ts';

/** A value whose type is known, ready to be compared and written. */
export interface TypedCell {
  /** What the cell is to hold; of a formula nothing is known before. */
  readonly scalar: Scalar;
  readonly input: Exclude<Input, null>;
  /** The text of a formula; null: it is none. */
  readonly formula: string | null;
  /** Whether the cell is to show a date. */
  readonly isDate: boolean;
}

/** What is wrong with a value, as words that go on after its place. */
export interface CellProblem {
  readonly problem: string;
  /** A member that no such value has. */
  readonly unknown?: string;
}

/** What values are read by. */
export interface TypingWorld {
  readonly system: DateSystem;
  readonly limits: LimitSettings;
}

const ERROR_MEMBERS = ['error'];
const VALUE_MEMBERS = ['value', 'as'];

/** Refuses a value at its place in the request. */
export function cellRefusal(place: string, { problem, unknown }: CellProblem): Refusal {
  if (unknown === undefined) return invalidRequest(place, `${place} ${problem}`);
  return { kind: 'refusal', reason: 'unknownField', field: fitting(`${place}.${unknown}`), message: problem };
}

export const CLEARED: TypedCell = { scalar: null, input: '', formula: null, isDate: false };

/** What is wrong with a text, as words that go on after its place; null: nothing. */
export function textProblem(text: string, mode: InputMode, limits: LimitSettings): string | null {
  const isFormula = mode === 'user' && text.startsWith('=');
  const limit = isFormula ? limits.maxFormulaLength : limits.maxStringLength;
  if (text.length > limit) return `must not have more than ${limit} characters`;
  return text.isWellFormed() ? null : 'holds half of a surrogate pair';
}

/** `{ "value": "00501", "as": "text" }` or `{ "error": "#N/A" }`: a value that says itself what it is. */
export function typedCell(sent: Readonly<Record<string, unknown>>, world: TypingWorld): TypedCell | CellProblem {
  const { value, as, error } = sent;
  const known = as === undefined && typeof error === 'string' ? ERROR_MEMBERS : VALUE_MEMBERS;
  const unknown = Object.keys(sent).find((name) => !known.includes(name));
  if (unknown !== undefined) return { problem: unknownFieldText(unknown, known), unknown };
  if (as === undefined && typeof error === 'string') return errorCell(error);
  if (as === 'formula') return formulaCell(value, world);
  if (as !== 'text' && as !== 'number' && as !== 'date' && as !== 'boolean') {
    return { problem: 'must be { "value", "as" } with as one of text, number, date, boolean, formula' };
  }
  if (value === null || value === '') return CLEARED;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return { problem: 'must have a value that is a text, a number, a boolean or null' };
  }
  return convertedCell(value, as, world);
}

function formulaCell(value: unknown, { limits }: TypingWorld): TypedCell | CellProblem {
  if (typeof value !== 'string' || !value.startsWith('=') || value.length < 2) {
    return { problem: 'must be a formula that begins with =' };
  }
  const problem = textProblem(value, 'user', limits);
  if (problem !== null) return { problem };
  return { scalar: null, input: { as: 'formula', value }, formula: value, isDate: false };
}

function errorCell(code: string): TypedCell | CellProblem {
  const error = errorByCode(code);
  if (error === undefined) return { problem: 'must be an error of cells, such as { "error": "#N/A" }' };
  return { scalar: error, input: { as: 'error', value: error.code }, formula: null, isDate: false };
}

/** A value as a type has it: numbers and booleans may be spelled as in JSON, dates are ISO texts. */
export function convertedCell(
  sent: string | number | boolean,
  type: RecordType,
  world: TypingWorld,
): TypedCell | CellProblem {
  switch (type) {
    case 'text':
      return textCell(typeof sent === 'boolean' ? (sent ? 'TRUE' : 'FALSE') : String(sent), world);
    case 'number': {
      const number = typeof sent === 'string' ? jsonNumber(sent) : sent;
      return typeof number === 'number' ? plainCell(number) : { problem: 'must be a number, such as 12.5' };
    }
    case 'boolean': {
      const boolean = typeof sent === 'string' ? booleanOf(sent) : sent;
      return typeof boolean === 'boolean' ? plainCell(boolean) : { problem: 'must be true or false' };
    }
    case 'date': {
      const text = typeof sent === 'number' ? isoText(sent, world.system) : sent;
      const date = typeof text === 'string' ? dateCell(text, world) : null;
      return date ?? { problem: 'must be a date, such as 2026-03-26 or 2026-03-26T12:00:00' };
    }
  }
}

export function plainCell(value: number | boolean): TypedCell {
  const scalar = typeof value === 'number' ? value + 0 : value;
  return { scalar, input: scalar, formula: null, isDate: false };
}

export function textCell(text: string, { limits }: TypingWorld): TypedCell | CellProblem {
  const problem = textProblem(text, 'raw', limits);
  if (problem !== null) return { problem };
  return { scalar: text, input: { as: 'text', value: text }, formula: null, isDate: false };
}

/** Null: the text is no ISO date. */
export function dateCell(text: string, { system }: TypingWorld): TypedCell | null {
  const date = isoDate(text, system);
  return date && { scalar: date.serial, input: { as: 'date', value: text }, formula: null, isDate: true };
}
