export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0xa0 || code === 0x202f;
}

export function trimBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return from === 0 && to === text.length ? text : text.slice(from, to);
}

/**
 * Creates a pattern for the mark between groups of three digits. If the mark is a blank, the pattern matches any blank
 * character.
 */
export function createGroupPattern(group: string): string {
  return group === ' ' ? '[ \\u00a0\\u202f]' : `\\${group}`;
}

/** A typed amount without its signs. */
export interface TypedAmount {
  readonly sign: '' | '+' | '-';
  readonly body: string;
  readonly percent: boolean;
  readonly currency: boolean;
}

/**
 * Removes sign, currency sign and percent sign from a trimmed text: `-5`, `-$5`, `$-5`, `€ 5`, `5 €`, `5 %`. Null if a
 * kind of sign occurs twice, or if there is both a currency and a percent sign.
 */
export function readAmount(text: string, currencySign: string): TypedAmount | null {
  let body = text;
  let sign = parseSign(body);
  if (sign !== '') body = body.slice(1);
  let currency = body.startsWith(currencySign);
  if (currency) {
    body = trimBlanks(body.slice(currencySign.length));
    const inner = parseSign(body);
    if (inner !== '') {
      if (sign !== '') return null;
      sign = inner;
      body = body.slice(1);
    }
  }
  const percent = body.endsWith('%');
  if (percent) body = trimBlanks(body.slice(0, -1));
  if (body.endsWith(currencySign)) {
    if (currency || percent) return null;
    currency = true;
    body = trimBlanks(body.slice(0, -currencySign.length));
  }
  return currency && percent ? null : { sign, body, percent, currency };
}

function parseSign(text: string): '' | '+' | '-' {
  const first = text.charAt(0);
  return first === '-' || first === '+' ? first : '';
}

/**
 * Returns the number nearest to decimal digits times a power of ten. Null if it is too large, or too small to differ
 * from 0. `exponent`: a decimal integer as text or number.
 */
export function toNearestNumber(wholeDigits: string, fraction: string, exponent: number): number | null {
  const value = Number(`${wholeDigits === '' ? '0' : wholeDigits}.${fraction === '' ? '0' : fraction}e${exponent}`);
  if (!Number.isFinite(value)) return null;
  return value === 0 && (SOME_DIGIT.test(wholeDigits) || SOME_DIGIT.test(fraction)) ? null : value;
}

const SOME_DIGIT = /[1-9]/;
