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
  textCell,
  typedCell,
} from '../cells/typed-cells.ts';
import { isJsonMembers } from './parse-filter.ts';

/** A field of a record as it was sent, and what a cell is to hold for it. */
export interface RecordField {
  /** What a cell holds whose own format and column do not say otherwise. */
  readonly cell: TypedCell;
  /** The same text as a date or time, for a cell or column of such; null: it is typed, or has neither form. */
  readonly moment: TypedCell | null;
  /** As it was sent, where the request does not type it: a cell that reads the same stays as it is. */
  readonly plain: FieldValue | undefined;
}

/** Reads a field as the request types it. An untyped text is a text, and perhaps a moment: the cell it is for decides. */
export function typedField(sent: unknown, type: RecordType | null, world: TypingContext): RecordField | CellProblem {
  if (sent === null) return typeField(CLEARED);
  if (sent === '') return { cell: CLEARED, moment: null, plain: sent };
  if (isJsonMembers(sent)) {
    const cell = typedCell(sent, world);
    const isEmptyText = !('problem' in cell) && cell.scalar === null && cell.formula === null;
    return isEmptyText
      ? { cell: CLEARED, moment: null, plain: sent['value'] === '' ? '' : undefined }
      : typeField(cell);
  }
  if (typeof sent !== 'string' && typeof sent !== 'number' && typeof sent !== 'boolean') {
    return { problem: 'must be a text, a number, a boolean, null or { "value", "as" }' };
  }
  if (type !== null) return typeField(convertedCell(sent, type, world));
  if (typeof sent !== 'string') return { cell: plainCell(sent), moment: null, plain: sent };
  const cell = textCell(sent, world);
  if ('problem' in cell) return cell;
  const moment = momentOfText(sent, world.system);
  return { cell, moment: moment && cellOfMoment(sent, moment), plain: sent };
}

function typeField(cell: TypedCell | CellProblem): RecordField | CellProblem {
  return 'problem' in cell ? cell : { cell, moment: null, plain: undefined };
}

/** A moment with a zone, which cells do not have. */
const ZONED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/i;

/** The type whose form a text has although it is one, as a column of such values would have it; null: none. */
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

/** Characters of the longest number, date or time that is looked for. */
const MAX_FORM_LENGTH = 64;
