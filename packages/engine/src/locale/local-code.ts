import { MAX_FORMAT_LENGTH } from './format-library.ts';
import { LOCALES, type Locale, type LocaleId } from './locales.ts';

/** Maximum number of translated codes that are cached for each locale. */
const MAX_CACHED_CODES = 1024;

/**
 * A part of a code: a literal (quoted, escaped, filled, skipped or in brackets), or characters that must be translated.
 */
interface CodePart {
  readonly literal: boolean;
  readonly text: string;
}

const LITERAL = /"[^"]*"?|[\\!_*].|\[[^\]]*\]/gsu;
const HALVES = /am\/pm|a\/p/gi;
const WORD = /\p{L}+/gu;
const PLACEHOLDER = /[#0?]/;
/** Digit placeholders with the marks between them. */
const DIGITS = /[#0?][#0?., \u00a0\u202f]*/g;
const SECOND_FRACTION = /([sс]),(?=0)/giu;
const FRACTION = /([sс][.,])0+/giu;
const CONDITION = /^\[[<>=]+ *-?\d+,\d+\]$/;
const BLANKS = /[ \u00a0\u202f]/g;
/** Groups of three placeholders, one pattern for each group mark. */
const BLANK_GROUPS = /^[#0?]+(?:[ \u00a0\u202f][#0?]{3})+$/;
const DOT_GROUPS = /^[#0?]+(?:\.[#0?]{3})+$/;
/** A comma that is not a decimal mark: `#,##0`. */
const ENGLISH_GROUP = /^[#0?]*#,##0$/;

const caches = new Map<LocaleId, Map<string, string>>();

/**
 * Translates a number format code from the form of a locale to English: `0,00`, `# ##0,00`, `ДД.ММ.ГГГГ`, `TT.MM.JJJJ`.
 * English codes are valid in every locale. If a code has a meaning in both forms, the locale's meaning applies:
 * - a comma before placeholders is the locale's decimal mark, except in `#,##0`, in a number with a decimal point, and
 *   if there are several commas; a comma without a placeholder after it scales by a thousand;
 * - a point is the decimal mark, except in locales with the point as group mark (de, es, it) if three placeholders
 *   follow each point;
 * - a blank between groups of three placeholders is a group mark in locales that group by blanks (ru, fr);
 * - the locale's letters for year and day are translated if the section contains no English ones.
 */
export function toEnglishCode(code: string, localeId: LocaleId): string {
  const locale = LOCALES[localeId];
  if (locale.decimal === '.' || code.length > MAX_FORMAT_LENGTH) return code;
  let cache = caches.get(localeId);
  if (cache === undefined) {
    cache = new Map();
    caches.set(localeId, cache);
  }
  let english = cache.get(code);
  if (english === undefined) {
    english = translateCode(code, locale);
    if (cache.size >= MAX_CACHED_CODES) cache.clear();
    cache.set(code, english);
  }
  return english;
}

function translateCode(code: string, locale: Locale): string {
  const sections: CodePart[][] = [[]];
  for (const { literal, text } of splitCode(code)) {
    const [first, ...others] = literal ? [text] : text.split(';');
    sections.at(-1)!.push({ literal, text: first! });
    for (const other of others) sections.push([{ literal, text: other }]);
  }
  return sections.map((section) => translateSection(section, locale)).join(';');
}

function splitCode(code: string): readonly CodePart[] {
  const parts: CodePart[] = [];
  let from = 0;
  for (const literal of code.matchAll(LITERAL)) {
    parts.push({ literal: false, text: code.slice(from, literal.index) }, { literal: true, text: literal[0] });
    from = literal.index + literal[0].length;
  }
  parts.push({ literal: false, text: code.slice(from) });
  return parts;
}

function translateSection(sectionParts: readonly CodePart[], locale: Locale): string {
  const parts = sectionParts.map(({ literal, text }) => ({
    literal,
    text: literal ? translateBracket(text, locale) : translateGeneral(text.replace(SECOND_FRACTION, '$1.'), locale),
  }));
  const translate = isDate(parts, locale)
    ? createDateTranslator(parts, locale)
    : (text: string) => translateMarks(text, locale);
  return parts.map(({ literal, text }) => (literal ? text : translate(text))).join('');
}

/** Translates the locale's word for General: `Основной`, `Standard`. */
function translateGeneral(text: string, locale: Locale): string {
  return text.replace(WORD, (word) => (locale.generalWords.includes(word.toLowerCase()) ? 'General' : word));
}

/** Translates an elapsed time in the locale's letters, or a condition with a decimal comma. */
function translateBracket(text: string, locale: Locale): string {
  if (!text.startsWith('[')) return text;
  if (CONDITION.test(text)) return text.replace(',', '.');
  const letters = [...text.slice(1, -1).toLowerCase()];
  const english = letters.map((letter) => locale.dateLetters[letter]);
  return english.every((letter) => letter !== undefined && 'hms'.includes(letter)) && english.length > 0
    ? `[${english.join('')}]`
    : text;
}

const ENGLISH_LETTERS = 'ymdhs';

/** Returns the English date letter for a letter of the locale; undefined if there is none. */
function toEnglishDateLetter(letter: string, locale: Locale): string | undefined {
  return locale.dateLetters[letter] ?? (ENGLISH_LETTERS.includes(letter) ? letter : undefined);
}

/** Returns the words of a section that consist only of date letters, in lower case. */
function findDateWords(parts: readonly CodePart[], locale: Locale): readonly string[] {
  return parts
    .filter(({ literal }) => !literal)
    .flatMap(({ text }) => text.replace(HALVES, '').toLowerCase().match(WORD) ?? [])
    .filter((word) => [...word].every((letter) => toEnglishDateLetter(letter, locale) !== undefined));
}

/**
 * True if a section shows a date with the locale's letters. A section with digit placeholders shows a number, unless
 * the placeholders are fractions of seconds.
 */
function isDate(parts: readonly CodePart[], locale: Locale): boolean {
  const digits = parts.some(({ literal, text }) => !literal && PLACEHOLDER.test(text.replace(FRACTION, '')));
  return (
    !digits && findDateWords(parts, locale).some((word) => [...word].some((letter) => letter in locale.dateLetters))
  );
}

/**
 * Translates the date letters of a section. If a section uses an English letter for which the locale has another
 * (`yyyy` in German, but not `mm`), all its letters are English.
 */
function createDateTranslator(parts: readonly CodePart[], locale: Locale): (text: string) => string {
  const latin = Object.keys(locale.dateLetters).every((letter) => letter <= 'z');
  const localLetters = new Set<string>(Object.values(locale.dateLetters));
  const english = (word: string) => [...word].every((letter) => ENGLISH_LETTERS.includes(letter));
  if (
    latin &&
    findDateWords(parts, locale).some((word) => english(word) && [...word].some((l) => localLetters.has(l)))
  ) {
    return (text) => text;
  }
  const translate = (text: string) => text.replace(WORD, (word) => translateWord(word, locale));
  return (text) => {
    const halves = text.match(HALVES) ?? [];
    return text
      .split(HALVES)
      .map((between, i) => translate(between) + (halves[i] ?? ''))
      .join('');
  };
}

/**
 * Translates a word of date letters and quotes any other word. A single letter is not a year: `г` in `2026 г.` is a
 * word.
 */
function translateWord(word: string, locale: Locale): string {
  const letters = [...word.toLowerCase()].map((letter) => toEnglishDateLetter(letter, locale));
  return letters.includes(undefined) || letters.join('') === 'y' ? `"${word}"` : letters.join('');
}

/** Replaces the decimal and group marks of numbers with English ones. */
function translateMarks(text: string, locale: Locale): string {
  return text.replace(DIGITS, (run: string, at: number) => {
    const body = run.replace(/[., \u00a0\u202f]+$/, '');
    const fraction = text[at - 1] === '/' || text[at + body.length] === '/';
    return fraction ? run : translateNumber(body, locale) + run.slice(body.length);
  });
}

/** Translates the placeholders of one number: `# ##0,00` becomes `#,##0.00`. */
function translateNumber(body: string, locale: Locale): string {
  const comma = body.lastIndexOf(',');
  const point = body.lastIndexOf('.');
  const local = comma > point && body.indexOf(',') === comma && !ENGLISH_GROUP.test(body);
  if (local) return `${groupPlaceholders(body.slice(0, comma), '.', locale)}.${body.slice(comma + 1)}`;
  if (comma >= 0) return body;
  const byPoints = locale.group === '.' ? DOT_GROUPS.test(body) : body.indexOf('.') !== point;
  if (point < 0 || byPoints) return groupPlaceholders(body, '.', locale);
  return groupPlaceholders(body.slice(0, point), '', locale) + body.slice(point);
}

/** Groups the placeholders of the whole part with English group marks. */
function groupPlaceholders(wholePart: string, mark: '.' | '', locale: Locale): string {
  if (mark === '.' && DOT_GROUPS.test(wholePart)) return wholePart.replaceAll('.', ',');
  return locale.group === ' ' && BLANK_GROUPS.test(wholePart) ? wholePart.replace(BLANKS, ',') : wholePart;
}
