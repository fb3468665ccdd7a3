/** The parsed form of a number. `mark`: the decimal mark. `group`: the separator of groups of three digits. */
export interface NumberShape {
  readonly sign: string;
  /** Digits before the decimal mark, without group separators. */
  readonly whole: string;
  readonly fraction: string;
  readonly exponent: string;
  readonly percent: boolean;
  readonly mark: '.' | ',' | '';
  readonly group: '.' | ',' | ' ' | '';
  readonly currency?: Currency;
}

interface Currency {
  readonly sign: string;
  readonly before: boolean;
}

/** Maximum length of a number, in characters. */
const MAX_NUMBER_LENGTH = 40;

const PLAIN = /^([+-]?)(\d*)(?:([.,])(\d+))?(?:[eE]([+-]?\d{1,4}))?(?:[ \u00a0\u202f]?(%))?$/;
const SPACED = /^([+-]?)(\d{1,3}(?:[ \u00a0\u202f]\d{3})+)(?:([.,])(\d+))?(?:[ \u00a0\u202f]?(%))?$/;
const DOTTED = /^([+-]?)(\d{1,3}(?:\.\d{3})+)(?:(,)(\d+))?(?:[ \u00a0\u202f]?(%))?$/;
const COMMAED = /^([+-]?)(\d{1,3}(?:,\d{3})+)(?:(\.)(\d+))?(?:[ \u00a0\u202f]?(%))?$/;
/** Matches a date or a time, because numbers have no such separator after digits. */
const LIKE_DATE = /^\d{1,4}[-/:]/;
/** Matches digits with blanks: a number with groups, or a telephone number. */
const SPACED_DIGITS = /^[+-]?\d+(?: \d+)+$/;
const NO_DIGITS = /\D/g;
const HAS_CURRENCY = /\p{Sc}/u;
/** Matches amounts: `$5.00`, `-$5`, `$-5`, `$ 5`, `($5.00)`, `5,00 €`, `-5 €`. */
const BEFORE = /^(\(?)([+-]?)(\p{Sc})[ \u00a0\u202f]?([+-]?)([\d.,][\d., \u00a0\u202f]*)(\)?)$/u;
const AFTER = /^(\(?)([+-]?)([\d.,][\d., \u00a0\u202f]*?)[ \u00a0\u202f]?(\p{Sc})(\)?)$/u;

/**
 * Returns the ways to read a text as a number: none, one, or two if a single mark before three digits may be a decimal
 * mark or a group separator (`1.234`). An exponent needs a decimal mark or a sign: `12E4` is a product code.
 */
export function parseNumberShapes(text: string): readonly NumberShape[] {
  if (text.length > MAX_NUMBER_LENGTH) return [];
  const simple = parseSimpleShape(text);
  if (simple) return [simple];
  if (SPACED_DIGITS.test(text)) return toList(parseGroupedShape(text));
  if (LIKE_DATE.test(text)) return [];
  return HAS_CURRENCY.test(text) ? parseMoneyShapes(text) : parsePlainShapes(text);
}

const ZERO = 0x30;
const NINE = 0x39;
const POINT = 0x2e;
const COMMA = 0x2c;
const MINUS = 0x2d;
/** Digits of a group of thousands. */
const GROUP_DIGITS = 3;

/** Parses the form of most numbers: digits, an optional minus, and decimals that cannot be a group of thousands. */
function parseSimpleShape(text: string): NumberShape | null {
  const markAt = findMark(text);
  if (markAt < 0) return null;
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  return {
    sign: start === 1 ? '-' : '',
    whole: text.slice(start, markAt),
    fraction: text.slice(markAt + 1),
    exponent: '',
    percent: false,
    mark: toMark(text[markAt]),
    group: '',
  };
}

/** Returns the position of the decimal mark of a number in this form; its end if it has none; -1 for other texts. */
function findMark(text: string): number {
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  let markAt = text.length;
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= ZERO && code <= NINE) continue;
    if ((code !== POINT && code !== COMMA) || markAt < i) return -1;
    markAt = i;
  }
  const decimals = text.length - markAt - 1;
  return markAt === start || decimals === 0 || decimals === GROUP_DIGITS ? -1 : markAt;
}

/**
 * Returns the decimal mark of a number in the form that programs write. `Number` can parse it if the mark is empty or a
 * point. Null for other texts, including codes (see `isCode`).
 */
export function findPlainDecimalMark(text: string): '' | '.' | ',' | null {
  if (text.length > MAX_NUMBER_LENGTH) return null;
  const markAt = findMark(text);
  if (markAt < 0) return null;
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  if (markAt - start > 1 && text.charCodeAt(start) === ZERO) return null;
  if (markAt < text.length) return text.charCodeAt(markAt) === POINT ? '.' : ',';
  return markAt - start > MAX_DIGITS ? null : '';
}

/** The ways to read a number without a currency: `1.234` has two. Empty for other texts. */
function parsePlainShapes(text: string): readonly NumberShape[] {
  const shapes: NumberShape[] = [];
  const plain = PLAIN.exec(text);
  if (plain) {
    const [, sign = '', whole = '', mark, fraction = '', exponent = '', percent] = plain;
    const isNumber = whole !== '' || fraction !== '';
    const bareExponent = exponent !== '' && mark === undefined && /^\d/.test(exponent);
    if (!isNumber || bareExponent) return [];
    shapes.push({ sign, whole, fraction, exponent, percent: percent === '%', mark: toMark(mark), group: '' });
    // Only a single mark before exactly three digits can also separate groups.
    if (fraction.length !== GROUP_DIGITS || exponent !== '') return shapes;
  }
  return [...shapes, ...toList(parseGroupedShape(text))];
}

/** A list of the shape, or an empty list for null. */
function toList(shape: NumberShape | null): readonly NumberShape[] {
  return shape === null ? [] : [shape];
}

/**
 * Returns the ways to read an amount of money. An amount in parentheses is negative, as in accounting; parentheses need
 * a currency sign.
 */
function parseMoneyShapes(text: string): readonly NumberShape[] {
  const amount = parseCurrencyBefore(text) ?? parseCurrencyAfter(text);
  if (amount === null) return [];
  const { body, negated, sign, currency } = amount;
  return parsePlainShapes(body).map((shape) => ({ ...shape, sign: negated ? '-' : sign, currency }));
}

interface MoneyParts {
  readonly body: string;
  readonly negated: boolean;
  readonly sign: string;
  readonly currency: Currency;
}

/** An amount with its currency before it, such as `$5` or `(€5)`; null for other texts. */
function parseCurrencyBefore(text: string): MoneyParts | null {
  const match = BEFORE.exec(text);
  if (!match) return null;
  const [, open, outer = '', sign = '', inner = '', body = '', close] = match;
  if (outer !== '' && inner !== '') return null;
  return createMoneyParts(body, open === '(', close === ')', outer + inner, { sign, before: true });
}

/** An amount with its currency after it, such as `5 €`; null for other texts. */
function parseCurrencyAfter(text: string): MoneyParts | null {
  const match = AFTER.exec(text);
  if (!match) return null;
  const [, open, outer = '', body = '', sign = '', close] = match;
  return createMoneyParts(body, open === '(', close === ')', outer, { sign, before: false });
}

/** Returns the parts of an amount of money; null if only one parenthesis is present, or a sign inside parentheses. */
function createMoneyParts(
  body: string,
  isOpened: boolean,
  isClosed: boolean,
  sign: string,
  currency: Currency,
): MoneyParts | null {
  if (isOpened !== isClosed || (isOpened && sign !== '')) return null;
  return { body, negated: isOpened, sign, currency };
}

/** A number whose digits are grouped in thousands; null for other texts, and for a leading zero. */
function parseGroupedShape(text: string): NumberShape | null {
  for (const [pattern, group] of [
    [SPACED, ' '],
    [DOTTED, '.'],
    [COMMAED, ','],
  ] as const) {
    const match = pattern.exec(text);
    if (!match) continue;
    const [, sign = '', digits = '', mark, fraction = '', percent] = match;
    if (digits.startsWith('0')) return null;
    const whole = digits.replace(NO_DIGITS, '');
    return { sign, whole, fraction, exponent: '', percent: percent === '%', mark: toMark(mark), group };
  }
  return null;
}

/** The decimal mark; empty if there is none. */
function toMark(mark: string | undefined): '.' | ',' | '' {
  return mark === '.' || mark === ',' ? mark : '';
}

/** Maximum number of digits that a number represents exactly. A longer integer is an account or card number. */
const MAX_DIGITS = 15;
/** Minimum digits after `+` of a telephone number. */
const PHONE_DIGITS = 7;

/** True if an integer is probably a code that must keep all digits: `007`, card and telephone numbers. */
export function isCode({ sign, whole, mark, exponent, percent, currency }: NumberShape): boolean {
  if (exponent !== '' || percent || currency) return false;
  if (whole.length > 1 && whole.startsWith('0')) return true;
  if (mark !== '') return false;
  return whole.length > MAX_DIGITS || (sign === '+' && whole.length >= PHONE_DIGITS);
}

/** The decimal mark that this reading requires; empty if it requires none. */
export function getRequiredMark({ mark, group }: NumberShape): '.' | ',' | '' {
  if (mark !== '') return mark;
  if (group === '.') return ',';
  return group === ',' ? '.' : '';
}

/** Returns the number; null if it is out of range. */
export function toNumber({ sign, whole, fraction, exponent, percent }: NumberShape): number | null {
  const power = Number(exponent || 0) - (percent ? 2 : 0);
  const digits = `${sign}${whole || '0'}.${fraction || '0'}`;
  const value = Number(power === 0 ? digits : `${digits}e${power}`);
  return Number.isFinite(value) ? value : null;
}

/** Returns the number format that shows the number as it is in the text. */
export function toNumberFormat({ fraction, percent, group, currency }: NumberShape): string | undefined {
  if (percent) return fraction === '' ? '0%' : '0.00%';
  const grouped = fraction === '' ? '#,##0' : '#,##0.00';
  if (currency) return currency.before ? `"${currency.sign}"${grouped}` : `${grouped} "${currency.sign}"`;
  return group === '' ? undefined : grouped;
}
