import { trimBlanks } from './amount.ts';
import type { DateSystem } from './date-system.ts';
import { LOCALE_IDS, LOCALES, type Locale, type LocaleId } from './locales.ts';
import {
  createNumberMarks,
  type NumberMarks,
  type RecognisedInput,
  readBoolean,
  readNumber,
  recognise,
  recogniseDate,
} from './recognise.ts';
import { parseDateText } from './text-number.ts';

/** The settings of a document and a cell that determine how a text is read. */
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
/** Matches times such as `2:30 PM`, `2:30:15 pm` and `2 PM`, optionally after a date. */
const HALF_DAY = /^(?:(.+?)[ \u00a0\u202f]+)?(\d{1,2}(?::\d{2}){0,2}[ \u00a0\u202f]?[ap]m)$/i;

const marks = new Map<LocaleId, NumberMarks>();

function getNumberMarks({ id, group, decimal }: Locale): NumberMarks {
  let localMarks = marks.get(id);
  if (localMarks === undefined) {
    localMarks = createNumberMarks(group, decimal, Number.POSITIVE_INFINITY);
    marks.set(id, localMarks);
  }
  return localMarks;
}

/**
 * Reads a string as users of a locale type it: with the locale's decimal and group marks, currency sign, order of slash
 * dates, words for booleans, month names and AM/PM. A text that would lose digits as a number stays a text, as in
 * `recognise`.
 */
function recogniseLocal(text: string, typedLocale: LocaleId, context: InputContext): RecognisedInput {
  if (text.startsWith("'")) return { value: text.slice(1) };
  const locale = LOCALES[typedLocale];
  const trimmed = trimBlanks(text);
  return (
    readNumber(trimmed, locale, context.percentCell, getNumberMarks(locale)) ??
    readDate(trimmed, locale, context) ??
    readBoolean(trimmed, locale) ?? { value: text }
  );
}

function readDate(text: string, { id, slashOrder }: Locale, { locale, system }: InputContext): RecognisedInput | null {
  if (text.length > MAX_DATE_TEXT || !DIGIT.test(text)) return null;
  const plain = recogniseDate(text, locale, system, slashOrder);
  if (plain !== null) return plain;
  const [, day, time] = HALF_DAY.exec(text) ?? [];
  if (time !== undefined)
    return addTime(
      day === undefined ? null : readDate(day, LOCALES[id], { locale, system, percentCell: false }),
      day,
      time,
    );
  if (!LETTERS.test(text)) return null;
  const serial = parseDateText(text, id, system);
  return serial === null || serial < 1 || !Number.isInteger(serial)
    ? null
    : { value: serial, format: LOCALES[locale].dateFormat };
}

function addTime(date: RecognisedInput | null, day: string | undefined, text: string): RecognisedInput | null {
  if (day !== undefined && date === null) return null;
  const time = parseDateText(text, 'en-US', 'google');
  if (time === null || time >= 1) return null;
  const whole = date === null ? 0 : date.value;
  if (typeof whole !== 'number' || !Number.isInteger(whole)) return null;
  const shown = text.split(':').length > 2 ? 'hh:mm:ss' : 'hh:mm';
  return { value: whole + time, format: `${date?.format ?? ''} ${shown}`.trim() };
}

/** Matches texts that contain only characters of numbers and dates. */
const LIKE_NUMBER = /^[-+]?[$€£₽]?[ \u00a0\u202f]?[-+]?[\d.,][\d.,/: \u00a0\u202f]*(?:[%€£₽$]|[ap]m)?$/i;

/**
 * Returns a locale in which the text would be a number or a date, although it was read as a text; null if there is
 * none. `typedLocale`: the locale in which it was read; null for the API's grammar.
 */
export function findOtherLocale(text: string, typedLocale: LocaleId | null, context: InputContext): LocaleId | null {
  if (text.length > MAX_DATE_TEXT || !LIKE_NUMBER.test(text)) return null;
  const others = [context.locale, ...LOCALE_IDS.filter((id) => id !== context.locale)];
  const reads = (id: LocaleId) => id !== typedLocale && typeof recogniseLocal(text, id, context).value === 'number';
  return others.find(reads) ?? null;
}

/** Reads a typed string in a locale, or (null) by the API's grammar, which is the same for all locales. */
export function recogniseAs(text: string, typedLocale: LocaleId | null, context: InputContext): RecognisedInput {
  if (typedLocale !== null) return recogniseLocal(text, typedLocale, context);
  return recognise(text, context.locale, context.system, context.percentCell);
}
