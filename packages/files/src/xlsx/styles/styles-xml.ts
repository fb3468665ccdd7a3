import { type LocaleId, TextMap } from '@cellwire/engine';
import { FIRST_CUSTOM_ID, findBuiltInFormat, findBuiltInId, isCodeWritten } from './number-formats.ts';
import { formatStyle, PLAIN_STYLE_SHEET, parseStyle, type StyleRecord, type StyleSheet } from './style-record.ts';

/** Unique items of a list in the file, with their indexes. */
class UniqueList {
  readonly items: string[] = [];
  private readonly places = new TextMap<number>();

  findOrAddItem(item: string): number {
    let place = this.places.get(item);
    if (place === undefined) {
      place = this.items.push(item) - 1;
      this.places.set(item, place);
    }
    return place;
  }

  formatXml(name: string): string {
    return `<${name} count="${this.items.length}">${this.items.join('')}</${name}>`;
  }
}

/** The two fills with which the list of fills in every file must begin. */
const RESERVED_FILLS = ['none', 'gray125'].map((type) => `<fill><patternFill patternType="${type}"/></fill>`);

/** The cell styles of a file. Style 0 is the default style. */
export class Styles {
  private readonly locale: LocaleId;
  private readonly sheet: StyleSheet;
  private readonly base: string;
  /** Ids by style, then by number format. */
  private readonly idByStyleAndFormat = new TextMap<TextMap<number>>();
  private readonly styles: { readonly format: string; readonly record: StyleRecord }[] = [];

  constructor(locale: LocaleId, sheet: StyleSheet = PLAIN_STYLE_SHEET) {
    this.locale = locale;
    this.sheet = sheet;
    this.base = formatStyle(sheet.base);
    this.findOrAddStyle(undefined, undefined);
  }

  /** The number of the cell style (`xf`) with this number format and this stored style. */
  findOrAddStyle(format = '', style = this.base): number {
    let formats = this.idByStyleAndFormat.get(style);
    if (formats === undefined) {
      formats = new TextMap<number>();
      this.idByStyleAndFormat.set(style, formats);
    }
    let place = formats.get(format);
    if (place === undefined) {
      place = this.styles.push({ format, record: style === this.base ? this.sheet.base : parseStyle(style) }) - 1;
      formats.set(format, place);
    }
    return place;
  }

  /** The content of the part's root element. */
  formatXml(): string {
    const lists = new StyleLists(this.locale);
    const [normal = PLAIN_STYLE_SHEET.named[0], ...others] = this.sheet.named;
    const named = normal === undefined ? others : [normal, ...others];
    const places = new Map(named.map(({ name }, place) => [name, place]));
    // The default style must be first, because its font is the unit of column widths.
    lists.formatXf(this.sheet.base, '', null);
    const namedXfs = named.map(({ record, format }) => lists.formatXf(record, format, null));
    const xfs = this.styles.map(({ record, format }) => lists.formatXf(record, format, places.get(record.named) ?? 0));
    const names = named.map(({ attributes }, place) => `<cellStyle${attributes} xfId="${place}"/>`);
    return (
      lists.formatXml() +
      `<cellStyleXfs count="${namedXfs.length}">${namedXfs.join('')}</cellStyleXfs>` +
      `<cellXfs count="${xfs.length}">${xfs.join('')}</cellXfs>` +
      `<cellStyles count="${names.length}">${names.join('')}</cellStyles>${this.sheet.rest}`
    );
  }
}

class StyleLists {
  private readonly locale: LocaleId;
  private readonly formats: string[] = [];
  private readonly ids = new TextMap<number>();
  private readonly fonts = new UniqueList();
  private readonly fills = new UniqueList();
  private readonly borders = new UniqueList();

  constructor(locale: LocaleId) {
    this.locale = locale;
    for (const fill of RESERVED_FILLS) this.fills.findOrAddItem(fill);
  }

  /** The XML of a cell style. `namedIndex` is the index of its named style; null for a named style itself. */
  formatXf(record: StyleRecord, format: string, namedIndex: number | null): string {
    const regional = Number(record.regional);
    const isRegional = format !== '' && regional > 0 && findBuiltInFormat(regional, this.locale) === format;
    const id = isRegional ? regional : format === '' ? 0 : this.findOrAddFormatId(format);
    const parts =
      `<xf numFmtId="${id}" fontId="${this.fonts.findOrAddItem(record.font)}" fillId="${this.fills.findOrAddItem(record.fill)}" ` +
      `borderId="${this.borders.findOrAddItem(record.border)}"${namedIndex === null ? '' : ` xfId="${namedIndex}"`}` +
      `${id === 0 ? '' : ' applyNumberFormat="1"'}${record.attributes}`;
    const inner = record.alignment + record.protection;
    return inner === '' ? `${parts}/>` : `${parts}>${inner}</xf>`;
  }

  private findOrAddFormatId(code: string): number {
    const builtIn = findBuiltInId(code);
    if (builtIn !== undefined && !isCodeWritten(builtIn)) return builtIn;
    const existingId = this.ids.get(code);
    if (existingId !== undefined) return existingId;
    const id = builtIn ?? FIRST_CUSTOM_ID + this.formats.length;
    this.ids.set(code, id);
    this.formats.push(`<numFmt numFmtId="${id}" formatCode="${escapeFormat(code)}"/>`);
    return id;
  }

  formatXml(): string {
    const formats =
      this.formats.length === 0 ? '' : `<numFmts count="${this.formats.length}">${this.formats.join('')}</numFmts>`;
    return formats + this.fonts.formatXml('fonts') + this.fills.formatXml('fills') + this.borders.formatXml('borders');
  }
}

/** Escapes a format code. Format codes have no `ST_Xstring` escapes, unlike other texts. */
function escapeFormat(code: string): string {
  return code.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
