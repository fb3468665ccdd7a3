import type { LocaleId } from '../locale/index.ts';
import { NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import type { Chunk } from '../sheet/chunk.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import type { ErrorCode } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import {
  detectMomentKind,
  formatIsoDate,
  formatMomentText,
  formatTime,
  type MomentKind,
  parseIsoDate,
  parseTime,
} from './dates.ts';

/** A type that a caller sets for reading a column. Null: each cell has its own type. */
export type RecordType = (typeof RECORD_TYPES)[number];
export const RECORD_TYPES = ['text', 'number', 'date', 'time', 'duration', 'boolean'] as const;

/**
 * Types of columns, by the index of the column in the region. Columns without an entry use the types of their cells.
 */
export type ColumnTypes = ReadonlyMap<number, RecordType>;

/** A value of a record in JSON; dates and times are texts in plain form. */
export type FieldValue = number | string | boolean | null | { readonly error: ErrorCode };

/** A number in JSON syntax. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Parses a text in JSON number syntax; null for other texts. */
export function parseJsonNumber(text: string): number | null {
  const number = JSON_NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number + 0 : null;
}

/** Parses the words `true` and `false` in any letter case; null for other texts. */
export function parseBoolean(text: string): boolean | null {
  const lower = text.toLowerCase();
  return lower === 'true' ? true : lower === 'false' ? false : null;
}

/** Reads the cells of one record column by its type. */
export class ColumnReader {
  readonly column: number;
  private readonly snapshot: Snapshot;
  readonly type: RecordType | null;
  /** Kind of moment for each format id. */
  private readonly kinds = new Map<number, MomentKind | null>();

  constructor(snapshot: Snapshot, column: number, type: RecordType | null) {
    this.snapshot = snapshot;
    this.column = column;
    this.type = type;
  }

  /** The document's locale, which determines the order of texts. */
  get locale(): LocaleId {
    return this.snapshot.settings.locale;
  }

  /** The kind of moments that a number format shows. */
  findFormatKind(format: number): MomentKind | null {
    let kind = this.kinds.get(format);
    if (kind === undefined) {
      kind = detectMomentKind(this.snapshot.formats.code(format));
      this.kinds.set(format, kind);
    }
    return kind;
  }

  /** The kind of moment that the number in a cell represents; null for a plain number. */
  findMomentKind(chunk: Chunk, row: number): MomentKind | null {
    if (this.type !== null) return toMomentKind(this.type);
    return (chunk.kind(row) & TYPE_MASK) === NUMBER ? this.findFormatKind(chunk.format(row)) : null;
  }

  /** True if a cell contains this text. Does not create a string. Null if the cell contains no text. */
  isText(chunk: Chunk | undefined, row: number, text: string): boolean | null {
    if (chunk === undefined || this.type !== null || (chunk.kind(row) & TYPE_MASK) !== TEXT) return null;
    return chunk.texts.isText(chunk.number(row), text);
  }

  /** Like `isText`, for a text of ASCII characters, given as bytes. */
  isAsciiText(chunk: Chunk | undefined, row: number, bytes: Uint8Array, start: number, end: number): boolean | null {
    if (chunk === undefined || this.type !== null || (chunk.kind(row) & TYPE_MASK) !== TEXT) return null;
    return chunk.texts.isAsciiText(chunk.number(row), bytes, start, end);
  }

  /** Reads the value for comparing, sorting and counting. A moment is its serial number. */
  readScalar(chunk: Chunk, row: number): Scalar {
    const isText = (chunk.kind(row) & TYPE_MASK) === TEXT;
    const value = isText ? chunk.texts.decodeOnce(chunk.number(row)) : chunk.value(row);
    if (this.type === null || value === null || isError(value)) return value;
    switch (this.type) {
      case 'text':
        return this.formatText(value, chunk.format(row));
      case 'number':
        return typeof value === 'string' ? (parseJsonNumber(value) ?? value) : value;
      case 'date':
        return typeof value === 'string'
          ? (parseIsoDate(value, this.snapshot.settings.dateSystem)?.serial ?? value)
          : value;
      case 'time':
      case 'duration':
        return typeof value === 'string' ? (parseTime(value)?.serial ?? value) : value;
      case 'boolean':
        return typeof value === 'string' ? (parseBoolean(value) ?? value) : value;
    }
  }

  /** A value as text, as a column of the type `text` shows it. */
  private formatText(value: number | string | boolean, format: number): string {
    if (typeof value === 'number') return formatMomentText(this.snapshot, value, format) ?? String(value);
    return typeof value === 'boolean' ? (value ? 'TRUE' : 'FALSE') : value;
  }

  /** Reads the value of a cell in the form of a response. */
  readField(chunk: Chunk | undefined, row: number): FieldValue {
    if (chunk === undefined) return null;
    return this.toField(this.readScalar(chunk, row), chunk.format(row));
  }

  /** Converts a value with a format to the form of a response. */
  toField(value: Scalar, format: number): FieldValue {
    if (isError(value)) return { error: value.code };
    if (typeof value !== 'number' || this.type === 'number') return value;
    return this.formatMoment(value, format) ?? value;
  }

  /** A serial number as text in plain form, if the format or the type of the column makes it a moment; else null. */
  private formatMoment(serial: number, format: number): string | null {
    const kind = (this.type === null ? null : toMomentKind(this.type)) ?? this.findFormatKind(format);
    if (kind === null) return null;
    return kind === 'date' ? formatIsoDate(serial, this.snapshot.settings.dateSystem) : formatTime(serial);
  }
}

/** Returns the kind of moments of a record type; null for other types. */
export function toMomentKind(type: RecordType): MomentKind | null {
  if (type === 'date') return 'date';
  return type === 'time' || type === 'duration' ? 'time' : null;
}
