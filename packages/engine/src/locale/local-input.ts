import { trimBlanks } from './amount.ts';
import type { DateSystem } from './date-system.ts';
import { LOCALE_IDS, LOCALES, type Locale, type LocaleId } from './locales.ts';
import {
  type NumberMarks,
  numberMarks,
  type RecognisedInput,
  readBoolean,
  readNumber,
  recognise,
  recogniseDate,
} from './recognise.ts';
import { dateFromText } from './text-number.ts';

/** The document and cell settings that reading a text depends on. */
interface InputContext {
  /** The document's locale. Dates are shown in its short format. */
  readonly locale: LocaleId;
  readonly system: DateSystem;
  readonly percentCell: boolean;
}

/** Maximum length of a text that is read as a date with words, in characters. */
const MAX_DATE_TEXT = 40;
const LETTERS = /\p{L}{3}/u;
const DIGIT = /\d/;
/** Matches `2:30 PM`, `2:30:15 pm`, `2 PM`, optionally after a date. */
const HALF_DAY = /^(?:(.+?)[ \u00a0\u202f]+)?(\d{1,2}(?::\d{2}){0,2}[ \u00a0\u202f]?[ap]m)$/i;

const marks = new Map<LocaleId, NumberMarks>();

function marksOf({ id, group, decimal }: Locale): NumberMarks {
  let localMarks = marks.get(id);
  if (localMarks === undefined) {
    localMarks = numberMarks(group, decimal, Number.POSITIVE_INFINITY);
    marks.set(id, localMarks);
  }
  return localMarks;
}

/**
 * Reads a string as people of a locale type it: with its decimal and group marks, currency sign, order of slash dates,
 * words for booleans, month names and AM/PM. A text that must keep its digits stays a text, as in `recognise`.
 */
function recogniseLocal(text: string, typed: LocaleId, place: InputContext): RecognisedInput {
  if (text.startsWith("'")) return { value: text.slice(1) };
  const locale = LOCALES[typed];
  const trimmed = trimBlanks(text);
  return (
    readNumber(trimmed, locale, place.percentCell, marksOf(locale)) ??
    readDate(trimmed, locale, place) ??
    readBoolean(trimmed, locale) ?? { value: text }
  );
}

function readDate(text: string, { id, slashOrder }: Locale, { locale, system }: InputContext): RecognisedInput | null {
  if (text.length > MAX_DATE_TEXT || !DIGIT.test(text)) return null;
  const plain = recogniseDate(text, locale, system, slashOrder);
  if (plain !== null) return plain;
  const [, day, time] = HALF_DAY.exec(text) ?? [];
  if (time !== undefined)
    return withTime(
      day === undefined ? null : readDate(day, LOCALES[id], { locale, system, percentCell: false }),
      day,
      time,
    );
  if (!LETTERS.test(text)) return null;
  const serial = dateFromText(text, id, system);
  return serial === null || serial < 1 || !Number.isInteger(serial)
    ? null
    : { value: serial, format: LOCALES[locale].dateFormat };
}

function withTime(date: RecognisedInput | null, day: string | undefined, text: string): RecognisedInput | null {
  if (day !== undefined && date === null) return null;
  const time = dateFromText(text, 'en-US', 'google');
  if (time === null || time >= 1) return null;
  const whole = date === null ? 0 : date.value;
  if (typeof whole !== 'number' || !Number.isInteger(whole)) return null;
  const shown = text.split(':').length > 2 ? 'hh:mm:ss' : 'hh:mm';
  return { value: whole + time, format: `${date?.format ?? ''} ${shown}`.trim() };
}

/** A text that consists of characters of numbers and dates. */
const LIKE_NUMBER = /^[-+]?[$€£₽]?[ \u00a0\u202f]?[-+]?[\d.,][\d.,/: \u00a0\u202f]*(?:[%€£₽$]|[ap]m)?$/i;

/**
 * A locale in which the text would be a number or a date although it was read as a text; null if there is none.
 * `typed`: the locale in which it was read; null for the API's grammar.
 */
export function findOtherLocale(text: string, typed: LocaleId | null, place: InputContext): LocaleId | null {
  if (text.length > MAX_DATE_TEXT || !LIKE_NUMBER.test(text)) return null;
  const others = [place.locale, ...LOCALE_IDS.filter((id) => id !== place.locale)];
  const reads = (id: LocaleId) => id !== typed && typeof recogniseLocal(text, id, place).value === 'number';
  return others.find(reads) ?? null;
}

/** Reads a string as if typed: as in a locale, or (null) by the API's grammar, which is the same for all locales. */
export function recogniseAs(text: string, typed: LocaleId | null, place: InputContext): RecognisedInput {
  if (typed !== null) return recogniseLocal(text, typed, place);
  return recognise(text, place.locale, place.system, place.percentCell);
}
