import { formatText, getLocale, parseNumberText } from '../../locale/index.ts';
import { VALUE } from '../../value/errors.ts';
import type { Scalar } from '../../value/scalar.ts';
import { parseDateValue } from '../coerce.ts';
import { define, defineAlias } from '../define.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { formatBaht } from './baht.ts';
import { limitText } from './basic.ts';
import { formatFixed } from './decimal.ts';

/** Maximum decimals of FIXED and DOLLAR. */
const MAX_DECIMALS = 127;
/** Maximum length of a text for NUMBERVALUE, in UTF-16 units. */
const MAX_NUMBER_LENGTH = 1000;

const SPACES = /\s+/g;
const PERCENTS = /%+$/;
const PLAIN_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Reads a text as a number, with the rules of arithmetic: VALUE(x) is x*1. */
export function readNumber(context: FunctionContext, text: string): number | null {
  return parseNumberText(text, context.locale, context.dateSystem);
}

/**
 * Matches texts such as `1.5`. In a locale with a decimal comma, this is more likely a mistyped number than the first
 * of May.
 */
const DOTTED = /^\s*\d{1,2}\.\d{1,2}\s*$/;

/** VALUE: the number of a text or number. */
function toValue(context: FunctionContext, value: Scalar): Scalar {
  if (typeof value === 'number') return value;
  if (value === null) return 0;
  if (typeof value !== 'string') return VALUE;
  return readNumber(context, value) ?? (DOTTED.test(value) ? null : parseDateValue(context, value)) ?? VALUE;
}

/** NUMBERVALUE: parses a number with the given decimal and group marks. */
function parseNumberValue(text: string, decimal: string, group: string): Scalar {
  if (decimal === '' || group === '' || decimal[0] === group[0]) return VALUE;
  const bare = text.replace(SPACES, '');
  if (bare.length > MAX_NUMBER_LENGTH) return VALUE;
  if (bare === '') return 0;
  const percents = PERCENTS.exec(bare)?.[0].length ?? 0;
  const [integer, fraction, ...more] = bare.slice(0, bare.length - percents).split(decimal[0]!);
  if (more.length > 0 || fraction?.includes(group[0]!)) return VALUE;
  const whole = integer!.replaceAll(group[0]!, '');
  if (whole.includes('.') || fraction?.includes('.')) return VALUE;
  const plain = fraction === undefined ? whole : `${whole}.${fraction}`;
  return PLAIN_NUMBER.test(plain) ? Number(plain) / 100 ** percents : VALUE;
}

/** TEXT: the text of a value by a number format code. */
function formatByCode(context: FunctionContext, value: Scalar, format: string): Scalar {
  const number = typeof value === 'string' ? (readNumber(context, value) ?? value) : value;
  if (typeof number === 'string' && format === '') return number;
  const shown = formatText(number, format, context.locale, context.dateSystem);
  return shown === null ? VALUE : limitText(shown);
}

function formatDollar(context: FunctionContext, value: number, decimals: number): Scalar {
  if (decimals > MAX_DECIMALS) return VALUE;
  const { decimal, group, currencySign, currencyFormat } = getLocale(context.locale);
  const amount = formatFixed(Math.abs(value), decimals, { decimal, group });
  const negative = value < 0 && /[1-9]/.test(amount);
  const signFirst = currencyFormat.indexOf(currencySign) < currencyFormat.indexOf('0');
  if (!signFirst) return `${negative ? '-' : ''}${amount} ${currencySign}`;
  if (!negative) return currencySign + amount;
  return currencySign === '$' ? `(${currencySign}${amount})` : `-${currencySign}${amount}`;
}

const DOLLAR = define('text', 'DOLLAR', ['number', 'integer??'], (context, value, decimals = 2) =>
  formatDollar(context, value, decimals),
);

export const NUMERIC: readonly FunctionSpec[] = [
  define('text', 'TEXT', ['scalar', 'text'], formatByCode),
  define('text', 'VALUE', ['scalar'], toValue),
  define('text', 'NUMBERVALUE', ['text', 'text??', 'text??'], (context, value, decimal, group) => {
    const marks = getLocale(context.locale);
    return parseNumberValue(value, decimal ?? marks.decimal, group ?? marks.group);
  }),
  define('text', 'FIXED', ['number', 'integer??', 'boolean?'], (context, value, decimals = 2, plain = false) => {
    if (decimals > MAX_DECIMALS) return VALUE;
    const { decimal, group } = getLocale(context.locale);
    return formatFixed(value, decimals, { decimal, group: plain ? '' : group });
  }),
  DOLLAR,
  defineAlias('USDOLLAR', DOLLAR, 'compatibility'),
  define('text', 'BAHTTEXT', ['number'], (_, value) => formatBaht(formatFixed(value, 2, { decimal: '.', group: '' }))),
];
