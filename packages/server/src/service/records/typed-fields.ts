import {
  booleanOf,
  type ColumnType,
  type ErrorCode,
  errorByCode,
  type Input,
  isoDate,
  isoText,
  jsonNumber,
  type RecordType,
  type Scalar,
  type Snapshot,
} from '@cellwire/engine';
import type { LimitSettings } from '../../config/types.ts';
import { textProblem } from '../inputs.ts';
import { isErrorValue, isMembers } from './parse-filter.ts';

/** A field of a record, ready to be compared and written. */
export interface TypedField {
  /** What the cell is to hold; of a formula nothing is known before. */
  readonly scalar: Scalar;
  readonly input: Exclude<Input, null>;
  /** The text of a formula; null: it is none. */
  readonly formula: string | null;
  /** Whether the cell is to show a date. */
  readonly isDate: boolean;
}

/** What is wrong with a field, as words that go on after its name. */
export interface FieldProblem {
  readonly problem: string;
}

/** What a field's column says of its type: as it was sent, and as its cells are. */
export interface FieldColumn {
  readonly type: RecordType | null;
  readonly found: ColumnType;
}

type World = Pick<Snapshot, 'settings'> & { readonly limits: LimitSettings };

const CLEARED: TypedField = { scalar: null, input: '', formula: null, isDate: false };

/** Reads a field as its column's type has it, and never guesses: a text stays one unless the column holds dates. */
export function typedField(sent: unknown, column: FieldColumn, world: World): TypedField | FieldProblem {
  if (sent === null || sent === '') return CLEARED;
  if (isErrorValue(sent)) return errorField((sent as { readonly error: string }).error);
  if (isMembers(sent)) return typedByItself(sent, world);
  if (typeof sent === 'number') return column.type === null ? plain(sent) : converted(sent, column.type, world);
  if (typeof sent === 'boolean') return column.type === null ? plain(sent) : converted(sent, column.type, world);
  if (typeof sent !== 'string') return { problem: 'must be a text, a number, a boolean, null or { "value", "as" }' };
  if (column.type !== null) return converted(sent, column.type, world);
  const date = column.found === 'date' ? dateField(sent, world) : null;
  return date ?? textField(sent, world);
}

/** `{ "value": "00501", "as": "text" }`. */
function typedByItself(sent: Readonly<Record<string, unknown>>, world: World): TypedField | FieldProblem {
  const { value, as } = sent;
  if (as === 'formula') {
    if (typeof value !== 'string' || !value.startsWith('=') || value.length < 2) {
      return { problem: 'must be a formula that begins with =' };
    }
    const problem = textProblem(value, 'user', world.limits);
    if (problem !== null) return { problem };
    return { scalar: null, input: { as, value }, formula: value, isDate: false };
  }
  if (as !== 'text' && as !== 'number' && as !== 'date' && as !== 'boolean') {
    return { problem: 'must be { "value", "as" } with as one of text, number, date, boolean, formula' };
  }
  if (value === null || value === '') return CLEARED;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return { problem: 'must have a value that is a text, a number, a boolean or null' };
  }
  return converted(value, as, world);
}

function converted(sent: string | number | boolean, type: RecordType, world: World): TypedField | FieldProblem {
  switch (type) {
    case 'text':
      return textField(typeof sent === 'boolean' ? (sent ? 'TRUE' : 'FALSE') : String(sent), world);
    case 'number': {
      const number = typeof sent === 'string' ? jsonNumber(sent) : sent;
      return typeof number === 'number' ? plain(number) : { problem: 'must be a number, such as 12.5' };
    }
    case 'boolean': {
      const boolean = typeof sent === 'string' ? booleanOf(sent) : sent;
      return typeof boolean === 'boolean' ? plain(boolean) : { problem: 'must be true or false' };
    }
    case 'date': {
      const text = typeof sent === 'number' ? isoText(sent, world.settings.dateSystem) : sent;
      const date = typeof text === 'string' ? dateField(text, world) : null;
      return date ?? { problem: 'must be a date, such as 2026-03-26 or 2026-03-26T12:00:00' };
    }
  }
}

function plain(value: number | boolean): TypedField {
  const scalar = typeof value === 'number' ? value + 0 : value;
  return { scalar, input: scalar, formula: null, isDate: false };
}

function textField(text: string, { limits }: World): TypedField | FieldProblem {
  const problem = textProblem(text, 'raw', limits);
  if (problem !== null) return { problem };
  return { scalar: text, input: { as: 'text', value: text }, formula: null, isDate: false };
}

function dateField(text: string, { settings }: World): TypedField | null {
  const date = isoDate(text, settings.dateSystem);
  return date && { scalar: date.serial, input: { as: 'date', value: text }, formula: null, isDate: true };
}

function errorField(code: string): TypedField {
  const error = errorByCode(code) ?? null;
  const value: ErrorCode = error?.code ?? '#N/A';
  return { scalar: error, input: { as: 'error', value }, formula: null, isDate: false };
}
