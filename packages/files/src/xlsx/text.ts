import { type CellError, errorByCode, NA, TextMap, VALUE } from '@cellwire/engine';
import type { LeftOut } from '../outcome/left-out.ts';

/** Maximum length of a text in the pool, in characters. Longer texts are rarely equal. */
const MAX_POOLED_LENGTH = 64;
/** Maximum number of texts in a pool. */
const MAX_POOLED = 65_536;

/** Deduplicates equal texts. */
export class TextPool {
  private readonly texts = new TextMap<string>();

  /** Returns the first equal text. */
  internText(text: string): string {
    if (text.length > MAX_POOLED_LENGTH) return text;
    const existingText = this.texts.get(text);
    if (existingText === undefined && this.texts.size < MAX_POOLED) this.texts.set(text, text);
    return existingText ?? text;
  }
}

const ESCAPED = /_x([0-9A-Fa-f]{4})_/g;

/**
 * Decodes escapes such as `_x000D_`, which represent characters that XML cannot contain (ECMA-376 part 1, §22.9.2.19,
 * ST_Xstring). Only escapes can produce lone surrogates, which are replaced by U+FFFD and counted.
 */
export function unescapeText(text: string, leftOut?: LeftOut): string {
  if (!text.includes('_x')) return text;
  const unescaped = text.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  if (unescaped.isWellFormed()) return unescaped;
  leftOut?.addItem('halfSurrogates');
  return unescaped.toWellFormed();
}

/**
 * Matches characters that need an escape: characters that XML forbids, CR (which XML converts to LF), lone surrogates.
 */
const UNWRITABLE =
  /[\0-\x08\x0b-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
/** Matches an underscore that would be read as the start of an escape. */
const LOOKS_ESCAPED = /_(?=x[0-9A-Fa-f]{4}_)/g;
const MARKUP = /[&<>"]/g;
const NEEDS_CARE = /[&<>"\0-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_x/;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for an element or an attribute of type ST_Xstring. */
export function escapeText(text: string): string {
  if (!NEEDS_CARE.test(text)) return text;
  return escapeCharacters(text).replace(MARKUP, (c) => ENTITIES[c] as string);
}

/** Escapes the characters that XML cannot contain. The caller escapes markup itself. */
export function escapeCharacters(text: string): string {
  return text
    .replace(LOOKS_ESCAPED, '_x005F_')
    .replace(UNWRITABLE, (c) => `_x${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`);
}

/** Writes a `t` element that preserves blanks. */
export function formatTextElement(text: string): string {
  return `<t xml:space="preserve">${escapeText(text)}</t>`;
}

/** Escapes text for an attribute, in which XML would convert line breaks and tabs to blanks. */
export function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('\n', '_x000a_').replaceAll('\t', '_x0009_');
}

/**
 * Parses an error code. Codes of data types and connections, which the engine does not have, are converted:
 * `#GETTING_DATA` to `#N/A`, all others (`#FIELD!`, `#BLOCKED!`, `#UNKNOWN!`, `#CONNECT!`, `#BUSY!`, …) to `#VALUE!`.
 */
export function parseError(code: string): CellError {
  return errorByCode(code) ?? (code.startsWith('#GETTING_DATA') ? NA : VALUE);
}

/** Codes that every version of Excel accepts in a cell. Others (`#SPILL!`) are written as `#VALUE!`. */
const WRITABLE_ERRORS = new Set(['#NULL!', '#DIV/0!', '#VALUE!', '#REF!', '#NAME?', '#NUM!', '#N/A']);

/** The code of an error that Excel knows; `#VALUE!` for all others. */
export function toWritableError(error: CellError): string {
  return WRITABLE_ERRORS.has(error.code) ? error.code : '#VALUE!';
}
