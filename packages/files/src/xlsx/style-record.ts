/**
 * A cell style aside from its number format, as elements of the file: what the engine carries as a text and never looks
 * into. Empty texts: there is no such element.
 */
export interface StyleRecord {
  readonly font: string;
  readonly fill: string;
  readonly border: string;
  readonly alignment: string;
  readonly protection: string;
  /** Other attributes of the `xf`, each with a blank before it. */
  readonly attributes: string;
  /** Name of the named style that it is of; empty for Normal. */
  readonly named: string;
  /** Id of a built-in number format whose code goes by the reader's region, and which the file names; empty: none. */
  readonly regional: string;
  /** What another format says of the style, as JSON; files leave it out. Absent: nothing. */
  readonly extra?: string;
}

/** A named style: its attributes in the list of them, and how it looks. */
export interface NamedStyle {
  readonly name: string;
  readonly attributes: string;
  readonly format: string;
  readonly record: StyleRecord;
}

/** What a workbook's styles are beside those of its cells. */
export interface StyleSheet {
  /** Of cells without a style of their own. */
  readonly base: StyleRecord;
  /** Normal first. */
  readonly named: readonly NamedStyle[];
  /** Whole elements that follow the styles: formats of rules, styles of tables, the palette. */
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

type Packed = readonly [
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

/** The text that the engine carries; equal styles have equal texts. */
export function styleText(record: StyleRecord): string {
  const { font, fill, border, alignment, protection, attributes, named, regional, extra = '' } = record;
  const packed: Packed = [font, fill, border, alignment, protection, attributes, named];
  if (extra !== '') return JSON.stringify([...packed, regional, extra]);
  return JSON.stringify(regional === '' ? packed : [...packed, regional]);
}

/**
 * The same style for an empty cell that looks as its column does: its row may look otherwise. A document holds an empty
 * cell only for a look that its column has not, so this one is another text.
 */
export function ownStyleText(text: string): string {
  return `${text} `;
}

/** The style of such a text. */
export function styleOfText(text: string): StyleRecord {
  const [font, fill, border, alignment, protection, attributes, named, regional = '', extra = ''] = JSON.parse(
    text,
  ) as Packed;
  const record = { font, fill, border, alignment, protection, attributes, named, regional };
  return extra === '' ? record : { ...record, extra };
}
