import type { LocaleId } from '../locale/index.ts';
import { NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import type { Chunk } from '../sheet/chunk.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import type { ErrorCode } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { isoDate, isoText, type MomentKind, momentKindOf, momentText, timeMoment, timeText } from './dates.ts';

/** As what a caller takes a column's cells; null: as what they are. */
export type RecordType = (typeof RECORD_TYPES)[number];
export const RECORD_TYPES = ['text', 'number', 'date', 'time', 'duration', 'boolean'] as const;

/** A value of a record as JSON has it; dates and times in plain form. */
export type FieldValue = number | string | boolean | null | { readonly error: ErrorCode };

/** A number as JSON spells it. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The number that a text spells as JSON does; null: none. */
export function jsonNumber(text: string): number | null {
  const number = JSON_NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number + 0 : null;
}

/** `true` and `false` in any case; null for any other text. */
export function booleanOf(text: string): boolean | null {
  const lower = text.toLowerCase();
  return lower === 'true' ? true : lower === 'false' ? false : null;
}

/** Cells of one column of records, read as its type has it. */
export class ColumnReader {
  readonly column: number;
  private readonly snapshot: Snapshot;
  readonly type: RecordType | null;
  /** By format id. */
  private readonly kinds = new Map<number, MomentKind | null>();

  constructor(snapshot: Snapshot, column: number, type: RecordType | null) {
    this.snapshot = snapshot;
    this.column = column;
    this.type = type;
  }

  /** The document's: texts stand in its order. */
  get locale(): LocaleId {
    return this.snapshot.settings.locale;
  }

  /** The kind of moments that a number format shows. */
  formatKind(format: number): MomentKind | null {
    let known = this.kinds.get(format);
    if (known === undefined) {
      known = momentKindOf(this.snapshot.formats.code(format));
      this.kinds.set(format, known);
    }
    return known;
  }

  /** The kind of moment that a number in this cell stands for; null: it is a number. */
  momentKind(chunk: Chunk, row: number): MomentKind | null {
    if (this.type !== null) return kindOfType(this.type);
    return (chunk.kind(row) & TYPE_MASK) === NUMBER ? this.formatKind(chunk.format(row)) : null;
  }

  /** What a cell counts as where it is compared, sorted and counted: a moment is its serial number. */
  scalar(chunk: Chunk, row: number): Scalar {
    const isText = (chunk.kind(row) & TYPE_MASK) === TEXT;
    const value = isText ? chunk.texts.decodeOnce(chunk.number(row)) : chunk.value(row);
    if (this.type === null || value === null || isError(value)) return value;
    switch (this.type) {
      case 'text':
        return this.text(value, chunk.format(row));
      case 'number':
        return typeof value === 'string' ? (jsonNumber(value) ?? value) : value;
      case 'date':
        return typeof value === 'string' ? (isoDate(value, this.snapshot.settings.dateSystem)?.serial ?? value) : value;
      case 'time':
      case 'duration':
        return typeof value === 'string' ? (timeMoment(value)?.serial ?? value) : value;
      case 'boolean':
        return typeof value === 'string' ? (booleanOf(value) ?? value) : value;
    }
  }

  private text(value: number | string | boolean, format: number): string {
    if (typeof value === 'number') return momentText(this.snapshot, value, format) ?? String(value);
    return typeof value === 'boolean' ? (value ? 'TRUE' : 'FALSE') : value;
  }

  /** What an answer shows of a cell. */
  field(chunk: Chunk | undefined, row: number): FieldValue {
    if (chunk === undefined) return null;
    return this.shown(this.scalar(chunk, row), chunk.format(row));
  }

  /** What an answer shows of a value that stands in a cell of a format. */
  shown(value: Scalar, format: number): FieldValue {
    if (isError(value)) return { error: value.code };
    if (typeof value !== 'number' || this.type === 'number') return value;
    return this.momentShown(value, format) ?? value;
  }

  private momentShown(serial: number, format: number): string | null {
    const kind = (this.type === null ? null : kindOfType(this.type)) ?? this.formatKind(format);
    if (kind === null) return null;
    return kind === 'date' ? isoText(serial, this.snapshot.settings.dateSystem) : timeText(serial);
  }
}

/** The kind of moments that a type stands for. */
export function kindOfType(type: RecordType): MomentKind | null {
  if (type === 'date') return 'date';
  return type === 'time' || type === 'duration' ? 'time' : null;
}
