import { type LocaleId, localeOf } from '../locale/index.ts';

/** The marks in which the surface grammars differ; the tree below them is one. */
export interface Grammar {
  readonly decimal: ',' | '.';
  readonly argument: ';' | ',';
  readonly arrayColumn: '\\' | ',';
  readonly arrayRow: ';';
  readonly union: '~' | ',';
}

/** What the API reads and writes: `SUM(A1;2,5)`, `{1\2;3\4}`. */
export const WIRE: Grammar = { decimal: ',', argument: ';', arrayColumn: '\\', arrayRow: ';', union: '~' };

/** What spreadsheet files hold: `SUM(A1,2.5)`, `{1,2;3,4}`. */
export const FILE: Grammar = { decimal: '.', argument: ',', arrayColumn: ',', arrayRow: ';', union: ',' };

/** How people of a locale type formulas, function names in English; null: as the API does. */
export function grammarOf(locale: LocaleId | null): Grammar {
  return locale !== null && localeOf(locale).decimal === '.' ? FILE : WIRE;
}
