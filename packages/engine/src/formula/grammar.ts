import { getLocale, type LocaleId } from '../locale/index.ts';

/** The marks in which the grammars differ. Trees do not depend on the grammar. */
export interface Grammar {
  readonly decimal: ',' | '.';
  readonly argument: ';' | ',';
  readonly arrayColumn: '\\' | ',';
  readonly arrayRow: ';';
  readonly union: '~' | ',';
}

/** The grammar of the API: `SUM(A1;2,5)`, `{1\2;3\4}`. */
export const WIRE: Grammar = { decimal: ',', argument: ';', arrayColumn: '\\', arrayRow: ';', union: '~' };

/** The grammar of spreadsheet files: `SUM(A1,2.5)`, `{1,2;3,4}`. */
export const FILE: Grammar = { decimal: '.', argument: ',', arrayColumn: ',', arrayRow: ';', union: ',' };

/** The grammar in which people of a locale type formulas, with English function names; null for the API's grammar. */
export function getGrammar(locale: LocaleId | null): Grammar {
  return locale !== null && getLocale(locale).decimal === '.' ? FILE : WIRE;
}
