/**
 * A cell style without its number format, as elements of the file. The engine stores it as a text and does not
 * interpret it. An empty text means that the element is missing.
 */
export interface StyleRecord {
  readonly font: string;
  readonly fill: string;
  readonly border: string;
  readonly alignment: string;
  readonly protection: string;
  /** Other attributes of the `xf`, each preceded by a blank. */
  readonly attributes: string;
  /** Name of the named style; empty for Normal. */
  readonly named: string;
  /** Id of a built-in number format whose code depends on the reader's region; empty for none. */
  readonly regional: string;
  /** Properties from another file format, as JSON; `.xlsx` files omit them. Absent for none. */
  readonly extra?: string;
}

/** A named style: its attributes in the list, its number format and its style. */
export interface NamedStyle {
  readonly name: string;
  readonly attributes: string;
  readonly format: string;
  readonly record: StyleRecord;
}

/** The styles of a workbook except the styles of cells. */
export interface StyleSheet {
  /** Style of cells without a style of their own. */
  readonly base: StyleRecord;
  /** Named styles; Normal comes first. */
  readonly named: readonly NamedStyle[];
  /** Elements after the styles, unchanged: differential formats, table styles, the palette. */
  readonly rest: string;
}

export const PLAIN_STYLE: StyleRecord = {
  font: '<font><sz val="11"/><name val="Calibri"/><family val="2"/></font>',
  fill: '<fill><patternFill patternType="none"/></fill>',
  border: '<border><left/><right/><top/><bottom/><diagonal/></border>',
  alignment: '',
  protection: '',
  attributes: '',
  named: '',
  regional: '',
};

export const PLAIN_STYLE_SHEET: StyleSheet = {
  base: PLAIN_STYLE,
  named: [{ name: 'Normal', attributes: ' name="Normal" builtinId="0"', format: '', record: PLAIN_STYLE }],
  rest: '',
};

type StyleTuple = readonly [
  font: string,
  fill: string,
  border: string,
  alignment: string,
  protection: string,
  attributes: string,
  named: string,
  regional?: string,
  extra?: string,
];

/** The text that the engine stores; equal styles have equal texts. */
export function formatStyle(record: StyleRecord): string {
  const { font, fill, border, alignment, protection, attributes, named, regional, extra = '' } = record;
  const packed: StyleTuple = [font, fill, border, alignment, protection, attributes, named];
  if (extra !== '') return JSON.stringify([...packed, regional, extra]);
  return JSON.stringify(regional === '' ? packed : [...packed, regional]);
}

/**
 * Returns another text for the same style. A document stores an empty cell only if its style differs from the column's.
 * An empty cell with its column's style in a row with another style therefore needs a different text.
 */
export function toDistinctStyle(text: string): string {
  return `${text} `;
}

/** Parses a style text. */
export function parseStyle(text: string): StyleRecord {
  const [font, fill, border, alignment, protection, attributes, named, regional = '', extra = ''] = JSON.parse(
    text,
  ) as StyleTuple;
  const record = { font, fill, border, alignment, protection, attributes, named, regional };
  return extra === '' ? record : { ...record, extra };
}
