import {
  type CellType,
  type DateSystem,
  detectMomentKind,
  type FieldValue,
  type LocaleId,
  parseBoolean,
  parseJsonNumber,
  parseMoment,
  type RecordType,
  recognise,
} from '@cellwire/engine';
import {
  type CellProblem,
  CLEARED,
  convertToCell,
  findTextProblem,
  formatMomentCell,
  parseTypedCell,
  type TypedCell,
  type TypingContext,
  toPlainCell,
} from '../cells/typed-cells.ts';
import { isRecordMembers } from './parse-filter.ts';

/**
 * A field of a record. A text, number or boolean without a type, and without the form of a date or time, stands for
 * itself: an object for each would be most of the garbage of an upload.
 */
export type RecordField = PlainField | TypedField;
export type PlainField = string | number | boolean;

/** A field whose cell content depends on its type or on the cell. */
export interface TypedField {
  /** The cell content, unless the cell's own format and column decide otherwise. */
  readonly cell: TypedCell;
  /**
   * The text as a date or time, for a cell or column of dates or times; null: the field has a type, or its text has
   * neither form.
   */
  readonly moment: TypedCell | null;
  /** The sent value, if the request does not type it. A cell that reads the same is not changed. */
  readonly plain: FieldValue | undefined;
}

const EMPTY_TEXT: TypedField = { cell: CLEARED, moment: null, plain: '' };
const CLEARED_FIELD: TypedField = { cell: CLEARED, moment: null, plain: undefined };

/**
 * Parses a field with the type in the request. An untyped text is text; if it has the form of a date or time, the cell
 * decides.
 */
export function parseTypedField(
  value: unknown,
  type: RecordType | null,
  context: TypingContext,
): RecordField | CellProblem {
  if (value === null) return CLEARED_FIELD;
  if (value === '') return EMPTY_TEXT;
  if (isRecordMembers(value)) {
    const cell = parseTypedCell(value, context);
    const isEmptyText = !('problem' in cell) && cell.scalar === null && cell.formula === null;
    if (!isEmptyText) return toRecordField(cell);
    return value['value'] === '' ? EMPTY_TEXT : CLEARED_FIELD;
  }
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return { problem: 'must be a text, a number, a boolean, null or { "value", "as" }' };
  }
  if (type !== null) return toRecordField(convertToCell(value, type, context));
  if (typeof value === 'number') return value + 0;
  if (typeof value === 'boolean') return value;
  const problem = findTextProblem(value, 'raw', context.limits);
  if (problem !== null) return { problem };
  const moment = parseMoment(value, context.system);
  return moment === null ? value : { cell: toTypedCell(value), moment: formatMomentCell(value, moment), plain: value };
}

/** A converted cell as a field of a record; a problem stays a problem. */
function toRecordField(cell: TypedCell | CellProblem): RecordField | CellProblem {
  return 'problem' in cell ? cell : { cell, moment: null, plain: undefined };
}

export function isProblem(field: RecordField | CellProblem): field is CellProblem {
  return typeof field === 'object' && 'problem' in field;
}

/** The cell content for a field, unless the cell's own format and column decide otherwise. */
export function toTypedCell(field: RecordField): TypedCell {
  if (typeof field === 'object') return field.cell;
  if (typeof field !== 'string') return toPlainCell(field);
  return { scalar: field, input: { as: 'text', value: field }, formula: null, moment: null };
}

/** The text as a date or time; null: see `TypedField`. */
export function toMomentCell(field: RecordField): TypedCell | null {
  return typeof field === 'object' ? field.moment : null;
}

/** A date and time with a zone, which cells cannot hold. */
const ZONED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/i;

/** The type whose form a text has, for a column of such values; null: none. */
export function recognizeForm(
  text: string,
  { dateSystem, locale }: { readonly dateSystem: DateSystem; readonly locale: LocaleId },
): Exclude<CellType, 'text'> | null {
  if (text.length > MAX_FORM_LENGTH) return null;
  if (parseJsonNumber(text) !== null) return 'number';
  if (parseBoolean(text) !== null) return 'boolean';
  if (ZONED.test(text)) return 'date';
  const moment = parseMoment(text, dateSystem);
  if (moment !== null) return moment.kind;
  if (text.startsWith("'")) return null;
  const { value, format = '' } = recognise(text, locale, dateSystem);
  if (typeof value === 'number') return detectMomentKind(format) ?? 'number';
  return typeof value === 'boolean' ? 'boolean' : null;
}

/** Maximum length of a number, date or time in characters. */
const MAX_FORM_LENGTH = 64;
