import { ERROR_CODES, type ErrorCode } from '../value/errors.ts';
import type { ErrorNode, Node } from './ast.ts';
import {
  BACKSLASH,
  COMMA,
  DOT,
  HASH,
  isDigit,
  isWordPart,
  LEFT_BRACE,
  MINUS,
  PLUS,
  QUOTE,
  RIGHT_BRACE,
  SEMICOLON,
  ZERO,
} from './characters.ts';
import { createErrorNode, FALSE, MISSING, TRUE } from './nodes.ts';
import {
  describePosition,
  failParse,
  failUnexpected,
  getCodeAt,
  getCurrentCode,
  type Scan,
  skipBlanks,
  USE_COMMA,
  USE_DECIMAL_COMMA,
} from './scan.ts';

/** Maximum number of digits that can be added up to a double without rounding. */
const EXACT_DIGITS = 15;

/** A number without a sign: digits, the grammar's decimal mark, an exponent. */
export function parseNumber(s: Scan): Node {
  const start = s.pos;
  let p = start;
  let value = 0;
  for (let code = getCodeAt(s, p); isDigit(code); code = getCodeAt(s, ++p)) value = value * 10 + code - ZERO;
  let exact = p - start <= EXACT_DIGITS;
  const mark = getCodeAt(s, p);
  if (mark === s.decimal && (isDigit(getCodeAt(s, p + 1)) || s.decimal === DOT)) {
    exact = false;
    p = findDigitsEnd(s, p + 1);
  } else if (mark === DOT && s.decimal === COMMA) {
    return failParse(s, USE_DECIMAL_COMMA);
  }
  const exponent = findExponentEnd(s, p);
  if (exponent > p) {
    exact = false;
    p = exponent;
  }
  if (!exact) value = Number(s.text.slice(start, p).replace(',', '.'));
  if (!Number.isFinite(value)) return failParse(s, `the number at ${describePosition(s, start)} is too large`);
  s.pos = p;
  return { k: 'number', value };
}

/** The end of the digits that begin at a position. */
export function findDigitsEnd(s: Scan, position: number): number {
  let p = position;
  while (isDigit(getCodeAt(s, p))) p++;
  return p;
}

/** The end of the exponent that begins at a position; the position itself if there is none. */
function findExponentEnd(s: Scan, position: number): number {
  if ((getCodeAt(s, position) & ~32) !== 69) return position;
  const sign = getCodeAt(s, position + 1);
  const digits = sign === PLUS || sign === MINUS ? position + 2 : position + 1;
  return isDigit(getCodeAt(s, digits)) ? findDigitsEnd(s, digits) : position;
}

/** Parses a text in `"`; a doubled `""` means one `"`. */
export function parseText(s: Scan): Node {
  const start = s.pos + 1;
  let quote = s.text.indexOf('"', start);
  let doubled = false;
  while (quote >= 0 && getCodeAt(s, quote + 1) === QUOTE) {
    doubled = true;
    quote = s.text.indexOf('"', quote + 2);
  }
  if (quote < 0) return failParse(s, `the text that begins at ${describePosition(s, s.pos)} has no closing \`"\``);
  s.pos = quote + 1;
  const content = s.text.slice(start, quote);
  return { k: 'text', value: doubled ? content.replaceAll('""', '"') : content };
}

/**
 * Error codes of Excel that this engine does not have, and the closest codes that it has. Excel uses them for data
 * types and connections.
 */
const FOREIGN_CODES: readonly (readonly [string, ErrorCode])[] = [
  ['#GETTING_DATA', '#N/A'],
  ['#FIELD!', '#VALUE!'],
  ['#CONNECT!', '#VALUE!'],
  ['#BLOCKED!', '#VALUE!'],
  ['#UNKNOWN!', '#VALUE!'],
  ['#EXTERNAL!', '#VALUE!'],
  ['#PYTHON!', '#VALUE!'],
  ['#BUSY!', '#N/A'],
  ['#TIMEOUT!', '#N/A'],
];
const CODES: readonly (readonly [string, ErrorCode])[] = [
  ...ERROR_CODES.map((code) => [code, code] as const),
  ...FOREIGN_CODES,
];
const LONGEST_CODE = Math.max(...CODES.map(([text]) => text.length));

/** Parses an error code at the cursor. Returns null and does not move the cursor if there is none. */
export function parseErrorLiteral(s: Scan): ErrorNode | null {
  if (getCurrentCode(s) !== HASH) return null;
  const ahead = s.text.slice(s.pos, s.pos + LONGEST_CODE).toUpperCase();
  for (const [text, code] of CODES) {
    if (!ahead.startsWith(text)) continue;
    s.pos += text.length;
    return createErrorNode(code);
  }
  return null;
}

/** An array constant. Its rows have equal lengths and contain only constants. */
export function parseArrayConstant(s: Scan): Node {
  const start = s.pos;
  const column = s.grammar.arrayColumn.charCodeAt(0);
  const rows: Node[][] = [];
  let row: Node[] = [];
  do {
    s.pos++;
    row.push(parseElement(s));
    skipBlanks(s);
    const code = getCurrentCode(s);
    if (code === column) continue;
    if (code === SEMICOLON || code === RIGHT_BRACE) {
      rows.push(row);
      row = [];
      if (code === RIGHT_BRACE) break;
      continue;
    }
    return failInArray(s, start);
  } while (s.problem === null);
  s.pos++;
  if (rows.some((other) => other.length !== rows[0]?.length)) {
    return failParse(s, `the rows of the array at ${describePosition(s, start)} differ in length`);
  }
  s.height = 1;
  return { k: 'array', rows };
}

/**
 * Ends the parse at an unexpected character of the array constant that begins at `start`, with advice for common
 * mistakes.
 */
function failInArray(s: Scan, start: number): Node {
  if (s.pos >= s.end) return failParse(s, `the \`{\` at ${describePosition(s, start)} is never closed`);
  if (getCurrentCode(s) === COMMA && s.decimal === COMMA) {
    return failParse(s, 'use `\\` between the columns of an array, `;` between its rows and a decimal comma');
  }
  if (getCurrentCode(s) === BACKSLASH) return failParse(s, USE_COMMA);
  return failUnexpected(s);
}

/** Parses an element of an array constant: a number with an optional sign, a text, TRUE, FALSE or an error. */
function parseElement(s: Scan): Node {
  skipBlanks(s);
  const code = getCurrentCode(s);
  if (code === QUOTE) return parseText(s);
  if (code === HASH) return parseErrorLiteral(s) ?? failUnexpected(s);
  if (code === MINUS || code === PLUS) {
    s.pos++;
    skipBlanks(s);
    if (!startsNumber(s)) return failArrayElement(s);
    const node = parseNumber(s);
    return node.k === 'number' && code === MINUS ? { k: 'number', value: 0 - node.value } : node;
  }
  if (startsNumber(s)) return parseNumber(s);
  return parseKeyword(s, 'TRUE', TRUE) ?? parseKeyword(s, 'FALSE', FALSE) ?? failArrayElement(s);
}

/** True if a number begins at the cursor. */
export function startsNumber(s: Scan): boolean {
  const code = getCurrentCode(s);
  return isDigit(code) || (code === DOT && s.decimal === DOT && isDigit(getCodeAt(s, s.pos + 1)));
}

/**
 * Parses a keyword of an array constant. Words end differently here: in the grammar of the API `\` is a separator, in
 * other grammars it is part of names.
 */
function parseKeyword(s: Scan, word: string, node: Node): Node | null {
  const end = s.pos + word.length;
  if (s.text.slice(s.pos, end).toUpperCase() !== word) return null;
  const next = getCodeAt(s, end);
  if (isWordPart(next) && next !== BACKSLASH) return null;
  s.pos = end;
  return node;
}

/** Ends the parse because the text at the cursor cannot be an element of an array constant. */
function failArrayElement(s: Scan): Node {
  const code = getCurrentCode(s);
  const mark = code === LEFT_BRACE || isWordPart(code);
  if (!mark || s.pos >= s.end) return failUnexpected(s);
  failParse(s, `an array holds numbers, texts, TRUE, FALSE and errors only (${describePosition(s, s.pos)})`);
  return MISSING;
}
