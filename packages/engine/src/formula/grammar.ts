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
