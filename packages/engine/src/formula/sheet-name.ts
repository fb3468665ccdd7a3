import { APOSTROPHE } from './characters.ts';

const PLAIN = /^[\p{L}_][\p{L}\p{M}\p{N}_.]*$/u;
/**
 * Matches sheet names that could be read as something else: cells (also outside the grid, because other programs
 * have other limits), R1C1 references or parts of them, and booleans.
 */
const LOOKS_LIKE_A_VALUE = /^(?:[A-Z]{1,3}[0-9]+|R[0-9]*(?:C[0-9]*)?|C[0-9]*|TRUE|FALSE)$/i;

export function needsQuotes(name: string): boolean {
  return !PLAIN.test(name) || LOOKS_LIKE_A_VALUE.test(name);
}

/**
 * The last name that was quoted. The next one is usually the same, and testing its letters takes longer than comparing.
 */
let last = { name: '', quoted: "''" };

/** Returns a sheet name for use before `!`, with quotes if it needs them: `It's` becomes `'It''s'`. */
export function quoteSheetName(name: string): string {
  if (name !== last.name) last = { name, quoted: needsQuotes(name) ? `'${name.replaceAll("'", "''")}'` : name };
  return last.quoted;
}

/** Quotes a sheet of another workbook for use before `!`: `[1]Sheet1`, `[1]a:b` or `[Book.xlsx]S`. */
export function quoteExternal(name: string): string {
  const [, book, sheets = ''] = /^\[([^\]]*)\](.*)$/s.exec(name) ?? [];
  const isPlain = book !== undefined && /^[\p{L}\p{N}_.]+$/u.test(book);
  const needs = sheets !== '' && sheets.split(':').some(needsQuotes);
  return isPlain && !needs ? name : `'${name.replaceAll("'", "''")}'`;
}

interface SheetPrefix {
  /** The sheet's name without quotes; null if the text has none. */
  readonly sheet: string | null;
  readonly quoted: boolean;
  /** The text after the `!`; empty for a bare quoted name. */
  readonly rest: string;
}

/**
 * Splits a range text of the API: `'It''s'!A1:B2`, `Sheet1!A1`, the bare `'My sheet'`. An unquoted name may contain any
 * character and ends at the last `!`. Null for an invalid text: a quote that is not closed, or nothing after the `!`.
 */
export function splitSheetPrefix(text: string): SheetPrefix | null {
  if (text.startsWith("'")) return splitQuoted(text);
  const mark = text.lastIndexOf('!');
  if (mark < 0) return text === '' ? null : { sheet: null, quoted: false, rest: text };
  if (mark === 0 || mark === text.length - 1) return null;
  return { sheet: text.slice(0, mark), quoted: false, rest: text.slice(mark + 1) };
}

function splitQuoted(text: string): SheetPrefix | null {
  const close = findClosingQuote(text, 0);
  if (close <= 1) return null;
  const sheet = text.slice(1, close).replaceAll("''", "'");
  const rest = text.slice(close + 1);
  if (rest === '') return { sheet, quoted: true, rest };
  return rest.startsWith('!') && rest.length > 1 ? { sheet, quoted: true, rest: rest.slice(1) } : null;
}

/** The quote that closes the one at a position; doubled quotes belong to the name. -1 if there is none. */
export function findClosingQuote(text: string, position: number): number {
  let quote = text.indexOf("'", position + 1);
  while (quote >= 0 && text.charCodeAt(quote + 1) === APOSTROPHE) quote = text.indexOf("'", quote + 2);
  return quote;
}
