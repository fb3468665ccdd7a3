/** Character codes with a meaning in the grammar. */
const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const BLANK = 32;
export const EXCLAMATION = 33;
export const QUOTE = 34;
export const HASH = 35;
export const DOLLAR = 36;
export const PERCENT = 37;
export const AMPERSAND = 38;
export const APOSTROPHE = 39;
export const LEFT_PARENTHESIS = 40;
export const RIGHT_PARENTHESIS = 41;
export const ASTERISK = 42;
export const PLUS = 43;
export const COMMA = 44;
export const MINUS = 45;
export const DOT = 46;
export const SLASH = 47;
export const ZERO = 48;
export const COLON = 58;
export const SEMICOLON = 59;
export const LESS = 60;
export const EQUALS = 61;
export const GREATER = 62;
const QUESTION_MARK = 63;
export const AT = 64;
export const LEFT_BRACKET = 91;
export const BACKSLASH = 92;
export const RIGHT_BRACKET = 93;
export const CARET = 94;
export const UNDERSCORE = 95;
export const LEFT_BRACE = 123;
export const RIGHT_BRACE = 125;
const NO_BREAK_SPACE = 0xa0;
const NARROW_NO_BREAK_SPACE = 0x202f;
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

const WORD_PART = /[\p{L}\p{M}\p{N}]/u;
const ASCII_WORD_PART = /[A-Za-z0-9_.?\\]/;
const UNKNOWN = 0;
const YES = 1;
const NO = 2;

/**
 * For each UTF-16 unit, whether it may be part of a name. Filled on demand, because the test needs a regular
 * expression.
 */
const wordParts = new Uint8Array(0x10000);
for (let code = 0; code < 128; code++) {
  wordParts[code] = ASCII_WORD_PART.test(String.fromCharCode(code)) ? YES : NO;
}

/** True for letters and digits of any script, and for `_ . ? \`. Characters beyond the basic plane count as letters. */
export function isWordPart(code: number): boolean {
  const cached = wordParts[code];
  return cached === UNKNOWN ? testWordPart(code) : cached === YES;
}

/** Computes the result of `isWordPart` for a character, and caches it. */
function testWordPart(code: number): boolean {
  const surrogate = code >= FIRST_SURROGATE && code <= LAST_SURROGATE;
  const part = surrogate || WORD_PART.test(String.fromCharCode(code));
  wordParts[code] = part ? YES : NO;
  return part;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** True for a character that may begin a name: a letter, `_` or `\`. */
export function isWordStart(code: number): boolean {
  return isWordPart(code) && !isDigit(code) && code !== DOT && code !== QUESTION_MARK;
}

/** True for the quotation marks ‘ ’ “ ”. */
export function isTypographicQuote(code: number): boolean {
  return code === 0x2018 || code === 0x2019 || code === 0x201c || code === 0x201d;
}

export function isBlank(code: number): boolean {
  return (
    code === BLANK ||
    code === TAB ||
    code === LINE_FEED ||
    code === CARRIAGE_RETURN ||
    code === NO_BREAK_SPACE ||
    code === NARROW_NO_BREAK_SPACE
  );
}

/** Returns 1 to 26 for an ASCII letter in any case, 0 for anything else. */
export function letterNumber(code: number): number {
  const upper = code & ~32;
  return upper >= 65 && upper <= 90 ? upper - 64 : 0;
}
