import { TOKEN_DURATION, TOKEN_PERCENT, type Token, tokenize } from 'numfmt';
import { splitSections } from './fixed-format.ts';
import { toGenitive } from './named-date.ts';

/** A format code for the library, and the corrections of its input and output. */
interface LibraryTerms {
  readonly code: string;
  /** Factor for the number, because the library treats several `%` as one. */
  readonly scale: number;
  /** Corrects the text that the library returns; null if it needs no correction. */
  readonly finish: ((text: string) => string) | null;
}

/** Literal parts of a code: quoted, escaped, in brackets. */
const LITERAL = /"[^"]*"?|[\\!_*].|\[[^\]]*\]/gsu;
const SMALL_EXPONENT = /([0#?.])e([+-])(?=[0#?])/g;
const SMALL_HALVES = /a\/p/g;
/** Commas directly before the decimal point, which scale the number, and the digits after it. */
const SCALED_INTEGER = /([0#?])(,+)\.([0#?]*)/g;
const SHOWN_EXPONENT = /E(?=[+-]?\d)/g;
const SHOWN_HALF = /(?<!\p{L})[AP](?!\p{L})/gu;
const PERCENT = 100;
/** Excel's locale for Russian dates with the month in the genitive: `[$-FC19]d mmmm yyyy` is 1 февраля 2026. */
const RUSSIAN_GENITIVE = /\[\$-FC19\]/gi;
const RUSSIAN = '[$-419]';
const RUSSIAN_MONTH =
  /(?<!\p{L})(?:Январ|Феврал|Март|Апрел|Ма|Июн|Июл|Август|Сентябр|Октябр|Ноябр|Декабр)[ьй]?(?!\p{L})/gu;

/**
 * Translates parts of Excel's format language that the library reads differently: `0.0e+0` with a small e, `a/p`,
 * scaling commas before the decimal point (`#,.0`), several percent signs, Russian months in the genitive, and fields
 * that are repeated after an elapsed field, because they also show elapsed time (`[h]" of "h`).
 */
export function translateForLibrary(formatCode: string): LibraryTerms {
  const localised = formatCode.replace(RUSSIAN_GENITIVE, RUSSIAN);
  const smallExponent = mapPlainParts(localised, SMALL_EXPONENT, '$1E$2');
  const smallHalves = mapPlainParts(smallExponent, SMALL_HALVES, 'A/P');
  const scaled = mapPlainParts(smallHalves, SCALED_INTEGER, '$1.$3$2');
  const tokens = tokenize(scaled);
  const finishes: ((text: string) => string)[] = [];
  if (localised !== formatCode) finishes.push((text) => text.replace(RUSSIAN_MONTH, toGenitive));
  if (smallExponent !== localised) finishes.push((text) => text.replace(SHOWN_EXPONENT, 'e'));
  if (smallHalves !== smallExponent) finishes.push((text) => text.replace(SHOWN_HALF, (half) => half.toLowerCase()));
  return {
    code: markElapsedFields(scaled, tokens),
    scale: computePercentScale(tokens),
    finish: finishes.length === 0 ? null : (text) => finishes.reduce((shown, finish) => finish(shown), text),
  };
}

function mapPlainParts(code: string, pattern: RegExp, replacement: string): string {
  let result = '';
  let from = 0;
  for (const literal of code.matchAll(LITERAL)) {
    result += code.slice(from, literal.index).replace(pattern, replacement) + literal[0];
    from = literal.index + literal[0].length;
  }
  return result + code.slice(from).replace(pattern, replacement);
}

/**
 * Marks hours in a section with `[h]`, and seconds in a section with `[s]`, as elapsed. It does not mark minutes,
 * because `m` may be a month.
 */
function markElapsedFields(code: string, tokens: readonly Token[]): string {
  const elapsed = tokens.filter(({ type }) => type === TOKEN_DURATION).map(({ raw }) => raw[1]?.toLowerCase());
  if (!elapsed.includes('h') && !elapsed.includes('s')) return code;
  return tokens
    .map(({ type, raw }) => (type !== TOKEN_DURATION && isField(raw) && elapsed.includes(raw[0]) ? `[${raw}]` : raw))
    .join('');
}

function isField(raw: string): boolean {
  return raw === 'h' || raw === 'hh' || raw === 's' || raw === 'ss';
}

/** Returns the factor for all percent signs of a section except the first. */
function computePercentScale(tokens: readonly Token[]): number {
  const most = splitSections(tokens).map((section) => section.filter(({ type }) => type === TOKEN_PERCENT).length);
  return PERCENT ** Math.max(0, Math.max(...most) - 1);
}
