import {
  booleanOf,
  type CellType,
  type DateSystem,
  type FieldValue,
  jsonNumber,
  type LocaleId,
  momentKindOf,
  momentOfText,
  type RecordType,
  recognise,
} from '@cellwire/engine';
import {
  type CellProblem,
  CLEARED,
  cellOfMoment,
  convertedCell,
  plainCell,
  type TypedCell,
  type TypingContext,
  textProblem,
  typedCell,
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
   * The same text as a date or time, for a cell or column of dates or times; null: the field has a type, or its text
   * has neither form.
   */
  readonly moment: TypedCell | null;
  /** The sent value, if the request does not type it: a cell that reads the same is not changed. */
  readonly plain: FieldValue | undefined;
}

const EMPTY_TEXT: TypedField = { cell: CLEARED, moment: null, plain: '' };
const CLEARED_FIELD: TypedField = { cell: CLEARED, moment: null, plain: undefined };

/**
 * Parses a field with the type in the request. An untyped text is text; if it has the form of a date or time, the cell
 * decides.
 */
export function typedField(sent: unknown, type: RecordType | null, world: TypingContext): RecordField | CellProblem {
  if (sent === null) return CLEARED_FIELD;
  if (sent === '') return EMPTY_TEXT;
  if (isRecordMembers(sent)) {
    const cell = typedCell(sent, world);
    const isEmptyText = !('problem' in cell) && cell.scalar === null && cell.formula === null;
    if (!isEmptyText) return typeField(cell);
    return sent['value'] === '' ? EMPTY_TEXT : CLEARED_FIELD;
  }
  if (typeof sent !== 'string' && typeof sent !== 'number' && typeof sent !== 'boolean') {
    return { problem: 'must be a text, a number, a boolean, null or { "value", "as" }' };
  }
  if (type !== null) return typeField(convertedCell(sent, type, world));
  if (typeof sent === 'number') return sent + 0;
  if (typeof sent === 'boolean') return sent;
  const problem = textProblem(sent, 'raw', world.limits);
  if (problem !== null) return { problem };
  const moment = momentOfText(sent, world.system);
  return moment === null ? sent : { cell: cellOf(sent), moment: cellOfMoment(sent, moment), plain: sent };
}

function typeField(cell: TypedCell | CellProblem): RecordField | CellProblem {
  return 'problem' in cell ? cell : { cell, moment: null, plain: undefined };
}

export function isProblem(field: RecordField | CellProblem): field is CellProblem {
  return typeof field === 'object' && 'problem' in field;
}

/** The cell content for a field, unless the cell's own format and column decide otherwise. */
export function cellOf(field: RecordField): TypedCell {
  if (typeof field === 'object') return field.cell;
  if (typeof field !== 'string') return plainCell(field);
  return { scalar: field, input: { as: 'text', value: field }, formula: null, moment: null };
}

/** The same text as a date or time; null: see `TypedField`. */
export function momentOf(field: RecordField): TypedCell | null {
  return typeof field === 'object' ? field.moment : null;
}

/** A date and time with a zone, which cells cannot hold. */
const ZONED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/i;

/** The type whose form a text has, for a column of such values; null: none. */
export function formOf(
  text: string,
  { dateSystem, locale }: { readonly dateSystem: DateSystem; readonly locale: LocaleId },
): Exclude<CellType, 'text'> | null {
  if (text.length > MAX_FORM_LENGTH) return null;
  if (jsonNumber(text) !== null) return 'number';
  if (booleanOf(text) !== null) return 'boolean';
  if (ZONED.test(text)) return 'date';
  const moment = momentOfText(text, dateSystem);
  if (moment !== null) return moment.kind;
  if (text.startsWith("'")) return null;
  const { value, format = '' } = recognise(text, locale, dateSystem);
  if (typeof value === 'number') return momentKindOf(format) ?? 'number';
  return typeof value === 'boolean' ? 'boolean' : null;
}

/** Maximum length of a number, date or time in characters. */
const MAX_FORM_LENGTH = 64;
