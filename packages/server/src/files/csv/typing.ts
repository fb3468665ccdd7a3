import {
  type CellError,
  errorByCode,
  type LocaleId,
  localeOf,
  recognise,
  recogniseDate,
  type Scalar,
} from '@cellwire/engine';
import { formatOf, impliedMark, isCode, type NumberShape, numberOf, numberShapes } from './number-shape.ts';

/** What a field means, and the number format that shows it so. */
interface TypedField {
  readonly value: Scalar;
  readonly format?: string;
}

type Kind = 'number' | 'date' | 'boolean';

/** A field as it may be read, before its column is known. */
type Reading =
  | { readonly kind: 'number'; readonly shapes: readonly NumberShape[] }
  | { readonly kind: 'date'; readonly text: string; readonly fraction: number }
  | { readonly kind: 'boolean'; readonly value: boolean };

/** How the fields of one column are read. */
interface ColumnRules {
  /** Everything is text: the column holds codes, or marks that contradict each other. */
  readonly text: boolean;
  readonly mark: '.' | ',' | null;
  readonly slashOrder: 'dmy' | 'mdy' | null;
}

/** Longest field that can be anything but text, in characters. */
const MAX_TYPED_LENGTH = 40;
const STARTS_VALUE = /^[-+.,\d]/;
const DATE =
  /^(?:\d{1,4}([-./])\d{1,2}\1\d{1,4}(?:[ T]\d{1,2}:\d{2}(?::\d{2}(\.\d{1,9})?)?)?|\d{1,2}:\d{2}(?::\d{2}(\.\d{1,9})?)?)$/;
const SLASHED = /^(\d{1,2})\/(\d{1,2})\//;
const YEAR_FIRST = /^(\d{4})[./](\d{1,2})[./]/;
const DAY_SECONDS = 86_400;
const NEEDS_QUOTES = /["\r\n]/;

/**
 * Learns how the fields of a file are to be read from all of them, then reads them. Programs write numbers and dates
 * in ways that only the rest of the column settles: `1.234` beside `0.5` is a fraction, beside `1.234,50` a thousand;
 * `03/04/2026` follows `25/04/2026`; a column with `007` in it holds codes, no numbers.
 */
export class FieldTyping {
  private readonly locale: LocaleId;
  private readonly delimiter: string;
  private readonly columns: ColumnEvidence[] = [];
  /** Kinds of values that stand in the file without quotation marks: beside them, quoted ones are meant as texts. */
  private readonly unquoted = new Set<Kind>();
  private rules: readonly ColumnRules[] = [];

  constructor(locale: LocaleId, delimiter: string) {
    this.locale = locale;
    this.delimiter = delimiter;
  }

  learn(column: number, field: string, quoted: boolean): void {
    const reading = this.readingOf(field);
    if (reading === null) return;
    if (!quoted) this.unquoted.add(reading.kind);
    let evidence = this.columns[column];
    if (evidence === undefined) {
      evidence = new ColumnEvidence();
      this.columns[column] = evidence;
    }
    evidence.add(reading, quoted);
  }

  /** Ends learning. */
  settle(): void {
    const marks = new Set(Array.from(this.columns, (evidence) => evidence?.certainMark()));
    const dots = marks.has('.');
    const fileMark = dots === marks.has(',') ? undefined : dots ? '.' : ',';
    const fallback = this.delimiter === ',' ? '.' : localeOf(this.locale).decimal;
    this.rules = Array.from(this.columns, (evidence) => ({
      text: evidence?.codes ?? false,
      mark: evidence === undefined ? '.' : evidence.mark(fileMark, fallback),
      slashOrder: evidence === undefined ? null : evidence.slashOrder(localeOf(this.locale).slashOrder),
    }));
  }

  /** Reads a field by what was learned; null for an empty one. */
  read(column: number, field: string, quoted: boolean): TypedField | null {
    if (field === '') return null;
    const reading = this.readingOf(field);
    const rules = this.rules[column];
    if (reading === null || rules === undefined) return { value: quoted ? field : (errorIn(field) ?? field) };
    if (rules.text || (quoted && this.isDeliberate(reading.kind, field))) return { value: field };
    return typed(reading, rules, this.locale) ?? { value: field };
  }

  /** Quotation marks without need (many programs see one in blanks), in a file that leaves them out elsewhere. */
  private isDeliberate(kind: Kind, field: string): boolean {
    return this.unquoted.has(kind) && !needsQuotes(field, this.delimiter) && !field.includes(' ');
  }

  private readingOf(field: string): Reading | null {
    if (field.length > MAX_TYPED_LENGTH) return null;
    const text = field.trim();
    if (!STARTS_VALUE.test(text)) return this.booleanIn(text);
    const shapes = numberShapes(text);
    if (shapes.length > 0) return { kind: 'number', shapes };
    const date = DATE.exec(text);
    if (!date) return null;
    const part = date[2] ?? date[3];
    const whole = (part === undefined ? text : text.slice(0, -part.length)).replace(YEAR_FIRST, '$1-$2-');
    return { kind: 'date', text: whole, fraction: Number(part ?? 0) / DAY_SECONDS };
  }

  private booleanIn(text: string): Reading | null {
    const found = text.length > 3 && text.length < 10 ? recognise(text, this.locale, 'google').value : text;
    return typeof found === 'boolean' ? { kind: 'boolean', value: found } : null;
  }
}

/** Whether CSV can hold a field only in quotation marks. */
export function needsQuotes(field: string, delimiter: string): boolean {
  return field.includes(delimiter) || NEEDS_QUOTES.test(field);
}

/** An error as spreadsheets write it. */
function errorIn(field: string): CellError | undefined {
  if (!field.startsWith('#')) return undefined;
  const error = errorByCode(field);
  return error?.code === field ? error : undefined;
}

function typed(reading: Reading, rules: ColumnRules, locale: LocaleId): TypedField | null {
  switch (reading.kind) {
    case 'boolean':
      return { value: reading.value };
    case 'number':
      return typedNumber(reading.shapes, rules);
    case 'date':
      return typedDate(reading, rules, locale);
  }
}

function typedNumber(shapes: readonly NumberShape[], rules: ColumnRules): TypedField | null {
  const shape = shapes.find((way) => {
    const mark = impliedMark(way);
    return mark === '' || mark === rules.mark;
  });
  const value = shape && numberOf(shape);
  if (shape === undefined || value === null || value === undefined) return null;
  const format = formatOf(shape);
  return format === undefined ? { value } : { value, format };
}

function typedDate(
  reading: { readonly text: string; readonly fraction: number },
  rules: ColumnRules,
  locale: LocaleId,
): TypedField | null {
  if (rules.slashOrder === null && SLASHED.test(reading.text)) return null;
  const found = recogniseDate(reading.text, locale, 'google', rules.slashOrder ?? undefined);
  return found && { value: found.value + reading.fraction, format: found.format };
}

/** What the fields of one column say. */
class ColumnEvidence {
  codes = false;
  /** Numbers that can only be read with this decimal mark; quoted ones count only where no other does. */
  private readonly certain = { plain: { dot: false, comma: false }, quoted: { dot: false, comma: false } };
  /** Numbers that can be read both ways, by the mark they show. */
  private readonly either = { dot: false, comma: false };
  private dayFirst = false;
  private monthFirst = false;

  add(reading: Reading, quoted: boolean): void {
    if (reading.kind === 'number') this.addNumber(reading.shapes, quoted);
    else if (reading.kind === 'date') this.addDate(reading.text);
  }

  /** The only decimal mark that all certain numbers allow. */
  certainMark(): '.' | ',' | undefined {
    const { plain, quoted } = this.certain;
    const { dot, comma } = plain.dot || plain.comma ? plain : quoted;
    if (dot === comma) return undefined;
    return dot ? '.' : ',';
  }

  /** The decimal mark of the column; null where its numbers contradict each other: they stay texts. */
  mark(fileMark: '.' | ',' | undefined, fallback: '.' | ','): '.' | ',' | null {
    const { plain, quoted } = this.certain;
    if ((plain.dot && plain.comma) || (quoted.dot && quoted.comma && !plain.dot && !plain.comma)) return null;
    const certain = this.certainMark() ?? fileMark;
    if (certain !== undefined) return certain;
    if (this.either.dot && this.either.comma) return null;
    // `1.234` alone is a fraction, as programs write them; `1,234` alone is what the file's place suggests.
    return this.either.comma ? fallback : '.';
  }

  /** The order of dates with slashes; null where they contradict each other. */
  slashOrder(usual: 'dmy' | 'mdy'): 'dmy' | 'mdy' | null {
    if (this.dayFirst && this.monthFirst) return null;
    if (this.dayFirst) return 'dmy';
    return this.monthFirst ? 'mdy' : usual;
  }

  private addNumber(shapes: readonly NumberShape[], quoted: boolean): void {
    const [first, second] = shapes as [NumberShape, NumberShape | undefined];
    if (isCode(first)) this.codes = true;
    const mark = impliedMark(first);
    if (mark === '') return;
    const marks = second ? this.either : quoted ? this.certain.quoted : this.certain.plain;
    if (mark === '.') marks.dot = true;
    else marks.comma = true;
  }

  private addDate(text: string): void {
    const slashed = SLASHED.exec(text);
    if (!slashed) return;
    if (Number(slashed[1]) > 12) this.dayFirst = true;
    if (Number(slashed[2]) > 12) this.monthFirst = true;
  }
}
