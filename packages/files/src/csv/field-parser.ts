import { getLocale, type LocaleId, recognise } from '@cellwire/engine';
import { DateReading, type FieldReading } from './column-rules.ts';
import { parseDateShape } from './date-shape.ts';
import { isDigit, startsLikeValue, startsMonth } from './field-text.ts';
import { parseNumberShapes } from './number-shape.ts';

/** Maximum length of a field that is not text, in characters. */
const MAX_TYPED_LENGTH = 40;
/** Maximum number of cached dates. */
const MAX_KEPT_DATES = 4_096;

/** Finds the possible meanings of fields, before the rules of their column decide. */
export class FieldParser {
  private readonly locale: LocaleId;
  /** The last field: it is read directly after learning from it. */
  private last: { readonly field: string; readonly reading: FieldReading | null } = { field: '', reading: null };
  /** Dates by field text. Columns usually contain few different days. */
  private readonly dates = new Map<string, FieldReading>();
  /** First letters of the words for booleans. */
  private readonly booleanStarts: ReadonlySet<number>;

  constructor(locale: LocaleId) {
    this.locale = locale;
    const { trueWords, falseWords } = getLocale(locale);
    const words = ['TRUE', 'FALSE', ...trueWords, ...falseWords];
    this.booleanStarts = new Set(words.flatMap((word) => [word.charCodeAt(0), word.toLowerCase().charCodeAt(0)]));
  }

  /** True if a word for a boolean may begin with this UTF-16 unit. */
  startsBoolean(unit: number): boolean {
    return this.booleanStarts.has(unit);
  }

  /** Returns the possible meanings of a field; null if it can only be text. */
  parseField(field: string): FieldReading | null {
    if (field.length > MAX_TYPED_LENGTH) return null;
    if (field === this.last.field) return this.last.reading;
    const cached = isDigit(field.charCodeAt(0)) ? this.dates.get(field) : undefined;
    const reading = cached ?? this.parseText(field.trim());
    this.last = { field, reading };
    return reading;
  }

  private parseText(text: string): FieldReading | null {
    if (!startsLikeValue(text)) return startsMonth(text) ? this.parseDate(text) : this.parseBoolean(text);
    const shapes = parseNumberShapes(text);
    return shapes.length > 0 ? { kind: 'number', shapes } : this.parseDate(text);
  }

  private parseDate(text: string): FieldReading | null {
    const shape = parseDateShape(text);
    if (shape === null) return null;
    if (this.dates.size >= MAX_KEPT_DATES) this.dates.clear();
    const reading = new DateReading(shape);
    this.dates.set(text, reading);
    return reading;
  }

  private parseBoolean(text: string): FieldReading | null {
    if (!this.startsBoolean(text.charCodeAt(0))) return null;
    const recognised = recognise(text, this.locale, 'google').value;
    return typeof recognised === 'boolean' ? { kind: 'boolean', value: recognised } : null;
  }
}
