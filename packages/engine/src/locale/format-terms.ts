import { TOKEN_DURATION, TOKEN_PERCENT, type Token, tokenize } from 'numfmt';
import { splitSections } from './fixed-format.ts';
import { toGenitive } from './named-date.ts';

/** A format code in the library's terms, and what is to be done beside it. */
export interface LibraryTerms {
  readonly code: string;
  /** Numbers are multiplied by this first: the library takes several `%` for one. */
  readonly scale: number;
  /** Changes the text that the library gives; null where it is right. */
  readonly finish: ((text: string) => string) | null;
}

/** Parts of a code that mean themselves: quoted, escaped, in brackets. */
const LITERAL = /"[^"]*"?|[\\!_*].|\[[^\]]*\]/gsu;
const SMALL_EXPONENT = /([0#?.])e([+-])(?=[0#?])/g;
const SMALL_HALVES = /a\/p/g;
/** Scaling commas right before the decimal point, and the digits after it. */
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
 * What Excel's format language has and the library reads otherwise: `0.0e+0` with a small e, `a/p`, commas that scale
 * before the decimal point (`#,.0`), several percent signs, Russian months in the genitive, and fields beside an
 * elapsed one of the same kind, which show the elapsed amount too (`[h]" of "h`).
 */
export function libraryTerms(written: string): LibraryTerms {
  const localised = written.replace(RUSSIAN_GENITIVE, RUSSIAN);
  const smallExponent = mapPlainParts(localised, SMALL_EXPONENT, '$1E$2');
  const smallHalves = mapPlainParts(smallExponent, SMALL_HALVES, 'A/P');
  const scaled = mapPlainParts(smallHalves, SCALED_INTEGER, '$1.$3$2');
  const tokens = tokenize(scaled);
  const finishes: ((text: string) => string)[] = [];
  if (localised !== written) finishes.push((text) => text.replace(RUSSIAN_MONTH, toGenitive));
  if (smallExponent !== localised) finishes.push((text) => text.replace(SHOWN_EXPONENT, 'e'));
  if (smallHalves !== smallExponent) finishes.push((text) => text.replace(SHOWN_HALF, (half) => half.toLowerCase()));
  return {
    code: markElapsedFields(scaled, tokens),
    scale: percentScale(tokens),
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

/** Hours beside `[h]` and seconds beside `[s]` are elapsed ones, too. Minutes are not told from months here. */
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

/** The factor for all percent signs of a section but the first. */
function percentScale(tokens: readonly Token[]): number {
  const most = splitSections(tokens).map((section) => section.filter(({ type }) => type === TOKEN_PERCENT).length);
  return PERCENT ** Math.max(0, Math.max(...most) - 1);
}
