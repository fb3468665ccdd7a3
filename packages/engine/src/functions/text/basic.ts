import { NA, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { define, defineVariadic } from '../define.ts';
import { takeTopLeftElement } from '../invoke.ts';
import { MAX_TEXT_LENGTH } from '../limits.ts';
import { buildMatrix } from '../shape.ts';
import type { FunctionSpec } from '../spec.ts';
import { Matrix } from '../value.ts';
import {
  countBytes,
  countCharacters,
  countUnitsOfBytes,
  countUnitsOfCharacters,
  toCharacter,
  toCharacterCode,
  toFullWidth,
  toHalfWidth,
} from './charset.ts';

const CONTROLS = /[\x00-\x1f]/g;
const SPACES = / {2,}/g;
const OUTER_SPACES = /^ | $/g;
const WORD = /\p{L}+/gu;
const MAX_CODE_POINT = 0x10ffff;

/** Changes the case of each character. A character does not change if its other case is longer (ß), as in Excel. */
function mapCase(text: string, change: (text: string) => string): string {
  const changed = change(text);
  if (changed.length === text.length) return changed;
  let out = '';
  for (const c of text) {
    const one = change(c);
    out += one.length === c.length ? one : c;
  }
  return out;
}

const toLowerCase = (text: string) => mapCase(text, (t) => t.toLowerCase());
const toUpperCase = (text: string) => mapCase(text, (t) => t.toUpperCase());

/** PROPER: capitalises the first letter of each word. */
function toProperCase(text: string): string {
  return toLowerCase(text).replace(WORD, (word) => {
    const first = String.fromCodePoint(word.codePointAt(0)!);
    return toUpperCase(first) + word.slice(first.length);
  });
}

/** Returns a text result; `#VALUE!` if it is too long. */
export function limitText(text: string): Scalar {
  return text.length > MAX_TEXT_LENGTH ? VALUE : text;
}

const defineTextFunction = (name: string, run: (text: string) => Scalar): FunctionSpec =>
  define('text', name, ['text'], (_, text) => run(text));

/** Defines LEFT or LEFTB. `units`: the number of UTF-16 units of the first characters or bytes. */
function defineLeft(name: string, units: (text: string, count: number) => number): FunctionSpec {
  return define('text', name, ['text', 'integer?'], (_, text, count = 1) =>
    count < 0 ? VALUE : text.slice(0, units(text, count)),
  );
}

/** Defines RIGHT or RIGHTB. `skipped`: the start of the last characters or bytes. */
function defineRight(name: string, skipped: (text: string, count: number) => number): FunctionSpec {
  return define('text', name, ['text', 'integer?'], (_, text, count = 1) =>
    count < 0 ? VALUE : text.slice(skipped(text, count)),
  );
}

/** Defines MID or MIDB. `units`: the number of UTF-16 units of the first characters or bytes. */
function defineMiddle(name: string, units: (text: string, count: number) => number): FunctionSpec {
  return define('text', name, ['text', 'integer', 'integer'], (_, text, start, count) => {
    if (start < 1 || count < 0) return VALUE;
    const from = units(text, start - 1);
    const rest = text.slice(from);
    return rest.slice(0, units(rest, count));
  });
}

/** Defines REPLACE or REPLACEB. `units`: the number of UTF-16 units of the first characters or bytes. */
function defineReplace(name: string, units: (text: string, count: number) => number): FunctionSpec {
  return define('text', name, ['text', 'integer', 'integer', 'text'], (_, text, start, count, replacement) => {
    if (start < 1 || count < 0) return VALUE;
    const from = units(text, start - 1);
    const rest = text.slice(from);
    return limitText(text.slice(0, from) + replacement + rest.slice(units(rest, count)));
  });
}

/** The start of the last `count` characters. */
function findStartOfLast(text: string, count: number): number {
  return countUnitsOfCharacters(text, Math.max(countCharacters(text) - count, 0));
}

/** The start of the last `bytes` bytes. */
function findStartOfLastBytes(text: string, bytes: number): number {
  const skipped = Math.max(countBytes(text) - bytes, 0);
  const units = countUnitsOfBytes(text, skipped);
  return countBytes(text.slice(0, units)) < skipped ? units + 1 : units;
}

/** T: returns texts and errors unchanged, and an empty text for everything else. */
function keepText(value: Scalar): Scalar {
  return typeof value === 'string' || isError(value) ? value : '';
}

function toUnicodeCharacter(code: number): Scalar {
  if (code < 1 || code > MAX_CODE_POINT) return VALUE;
  const noCharacter = (code >= 0xd800 && code <= 0xdfff) || (code & 0xfffe) === 0xfffe;
  return noCharacter ? NA : String.fromCodePoint(code);
}

export const BASIC: readonly FunctionSpec[] = [
  defineLeft('LEFT', countUnitsOfCharacters),
  defineLeft('LEFTB', countUnitsOfBytes),
  defineRight('RIGHT', findStartOfLast),
  defineRight('RIGHTB', findStartOfLastBytes),
  defineMiddle('MID', countUnitsOfCharacters),
  defineMiddle('MIDB', countUnitsOfBytes),
  defineReplace('REPLACE', countUnitsOfCharacters),
  defineReplace('REPLACEB', countUnitsOfBytes),
  defineTextFunction('LEN', countCharacters),
  defineTextFunction('LENB', countBytes),
  defineTextFunction('LOWER', toLowerCase),
  defineTextFunction('UPPER', toUpperCase),
  defineTextFunction('PROPER', toProperCase),
  defineTextFunction('TRIM', (text) => text.replace(SPACES, ' ').replace(OUTER_SPACES, '')),
  defineTextFunction('CLEAN', (text) => text.replace(CONTROLS, '')),
  defineTextFunction('CODE', (text) => (text === '' ? VALUE : toCharacterCode(text))),
  defineTextFunction('UNICODE', (text) => text.codePointAt(0) ?? VALUE),
  defineTextFunction('ASC', (text) => limitText(toHalfWidth(text))),
  defineTextFunction('DBCS', toFullWidth),
  defineTextFunction('JIS', toFullWidth),
  // Files store phonetic readings separately from the text. Without readings Excel returns the text.
  defineTextFunction('PHONETIC', (text) => text),
  define('text', 'CHAR', ['integer'], (_, code) => (code < 1 || code > 255 ? VALUE : toCharacter(code))),
  define('text', 'UNICHAR', ['integer'], (_, code) => toUnicodeCharacter(code)),
  define('text', 'EXACT', ['text', 'text'], (_, a, b) => a === b, {
    returns: 'booleanOrError',
    impliesEqual: true,
  }),
  define('text', 'REPT', ['text', 'integer'], (_, text, times) => {
    if (times < 0 || text.length * times > MAX_TEXT_LENGTH) return VALUE;
    return text.repeat(times);
  }),
  define(
    'text',
    'T',
    ['value'],
    (context, value) => {
      if (!(value instanceof Matrix)) return keepText(takeTopLeftElement(context, value));
      return buildMatrix(context, value.rows, value.columns, (r, c) => keepText(value.get(r, c)));
    },
    { manyCells: true },
  ),
  defineVariadic('text', 'CONCATENATE', ['text'], ['text'], (_, first, rest) => limitText(first + rest.join(''))),
];
