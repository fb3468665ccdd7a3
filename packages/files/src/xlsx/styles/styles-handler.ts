import type { LocaleId } from '@cellwire/engine';
import type { XmlAttributes, XmlHandler } from '../../archive/xml.ts';
import { MAX_STYLE_CHARACTERS, MAX_STYLE_LENGTH } from '../../limits/limits.ts';
import { type FileRefusal, refuseFile } from '../../outcome/refusal.ts';
import { unescapeText } from '../text.ts';
import { formatAttributes, XmlCopy } from '../xml-copy.ts';
import { findBuiltInFormat, isRegionalFormat, normalizeFormatCode } from './number-formats.ts';
import { formatStyle, type NamedStyle, PLAIN_STYLE, type StyleRecord, type StyleSheet } from './style-record.ts';

/** Maximum number of number formats in one workbook; Excel allows a few hundred. */
const MAX_FORMATS = 60_000;
/** Maximum number of cell styles in one workbook; Excel allows 65,490. */
const MAX_STYLES = 65_536;

const TOO_MANY = `The workbook's styles have more than ${MAX_STYLE_CHARACTERS} characters together.`;

/** An `xf` element with its children. */
interface XfElement {
  readonly attributes: XmlAttributes;
  alignment: string;
  protection: string;
}

/** A `cellStyle` element: a style with a name. `xf`: index of its format in `cellStyleXfs`. */
interface NamedStyleEntry {
  readonly name: string;
  readonly xf: number;
  readonly attributes: string;
}

/** Elements of the style sheet that are preserved as a whole, in the order of the file format. */
const PRESERVED_SECTIONS = ['dxfs', 'tableStyles', 'colors'];
/** Attributes of an `xf` that other members of the style record represent. */
const RESOLVED_ATTRIBUTES = new Set(['numFmtId', 'fontId', 'fillId', 'borderId', 'xfId', 'applyNumberFormat']);
/** Elements of the lists of fonts, fills and borders. */
const LIST_ITEMS: ReadonlyMap<string, string> = new Map([
  ['fonts', 'font'],
  ['fills', 'fill'],
  ['borders', 'border'],
]);

/** Reads `xl/styles.xml`: the number format and the style of each cell style. */
export class StylesHandler implements XmlHandler {
  problem: string | null = null;
  private readonly locale: LocaleId;
  private readonly codes = new Map<number, string | undefined>();
  private readonly lists: Readonly<Record<string, string[]>> = { fonts: [], fills: [], borders: [] };
  private readonly cellStyles: XfElement[] = [];
  private readonly namedXfs: XfElement[] = [];
  private readonly namedStyles: NamedStyleEntry[] = [];
  private readonly whole = new Map<string, string>();
  private depth = 0;
  private section = '';
  private copy: XmlCopy | null = null;
  private characters = 0;
  private names: ReadonlyMap<number, string> | null = null;

  constructor(locale: LocaleId) {
    this.locale = locale;
  }

  openElement(name: string, attributes: XmlAttributes): void {
    this.depth++;
    if (this.depth === 2) this.section = name;
    if (this.copy === null && this.isCopiedElement(name))
      this.copy = new XmlCopy(this.depth === 2 ? MAX_STYLE_CHARACTERS : MAX_STYLE_LENGTH);
    if (this.copy !== null) this.copy.openElement(name, attributes);
    else if (this.section === 'numFmts' && name === 'numFmt') this.addFormatCode(attributes);
    else if (name === 'xf' && this.section === 'cellXfs') this.addXf(this.cellStyles, attributes);
    else if (name === 'xf' && this.section === 'cellStyleXfs') this.addXf(this.namedXfs, attributes);
    else if (name === 'cellStyle' && this.section === 'cellStyles') this.addNamedStyle(attributes);
  }

  addText(text: string): void {
    this.copy?.addCharacters(text);
  }

  closeElement(name: string): void {
    this.depth--;
    if (this.copy?.closeElement(name) !== true) return;
    const { copy } = this;
    this.copy = null;
    this.characters += copy.text.length;
    if (copy.isTooLong || this.characters > MAX_STYLE_CHARACTERS) this.problem = TOO_MANY;
    else this.keepElement(name, copy.text);
  }

  /** Number formats of cell styles; undefined for General. */
  listFormats(): readonly (string | undefined)[] {
    return this.cellStyles.map((style) => this.findFormatCode(style));
  }

  /** Cell styles without number formats, as texts of the engine; undefined for the default style. */
  listStyles(): readonly (string | undefined)[] | FileRefusal {
    const styles: (string | undefined)[] = [];
    let base: string | undefined;
    let characters = 0;
    for (const style of this.cellStyles) {
      const text = formatStyle(this.toStyleRecord(style, true));
      base ??= text;
      characters += text.length;
      // Many styles may share one long font.
      if (characters > MAX_STYLE_CHARACTERS) return refuseFile(TOO_MANY);
      styles.push(text === base ? undefined : text);
    }
    return styles;
  }

  /** The default style. */
  formatBaseStyle(): string {
    return formatStyle(this.buildStyleSheet().base);
  }

  buildStyleSheet(): StyleSheet {
    const [first] = this.cellStyles;
    return {
      base: first ? this.toStyleRecord(first, true) : PLAIN_STYLE,
      named: [...this.listNamedStyles()]
        .sort((a, b) => a.xf - b.xf)
        .flatMap(({ name, xf, attributes }): NamedStyle[] => {
          const style = this.namedXfs[xf];
          if (style === undefined) return [];
          return [
            { name, attributes, format: this.findFormatCode(style) ?? '', record: this.toStyleRecord(style, false) },
          ];
        }),
      rest: PRESERVED_SECTIONS.map((name) => this.whole.get(name) ?? '').join(''),
    };
  }

  /** The named styles of the file; Normal if it lists none. */
  private listNamedStyles(): readonly NamedStyleEntry[] {
    if (this.namedStyles.length > 0) return this.namedStyles;
    return [{ name: 'Normal', xf: 0, attributes: ' name="Normal" builtinId="0"' }];
  }

  /** True for an element whose XML is kept: a font, fill, border and the like. */
  private isCopiedElement(name: string): boolean {
    if (this.depth === 2) return PRESERVED_SECTIONS.includes(name);
    if (this.depth === 3) return LIST_ITEMS.get(this.section) === name;
    return this.depth === 4 && isXfSection(this.section) && (name === 'alignment' || name === 'protection');
  }

  /** Stores the text of a copied element in the list or style that the open section fills. */
  private keepElement(name: string, text: string): void {
    if (PRESERVED_SECTIONS.includes(this.section)) this.whole.set(this.section, text);
    else if (isXfSection(this.section)) {
      const style = (this.section === 'cellXfs' ? this.cellStyles : this.namedXfs).at(-1);
      if (style && name === 'alignment') style.alignment = text;
      else if (style) style.protection = text;
    } else this.lists[this.section]?.push(text);
  }

  private addFormatCode(attributes: XmlAttributes): void {
    const code = attributes['formatCode'];
    const id = Number(attributes['numFmtId']);
    if (code !== undefined && !this.codes.has(id)) this.codes.set(id, normalizeFormatCode(code));
    if (this.codes.size > MAX_FORMATS) this.problem = `The workbook defines more than ${MAX_FORMATS} number formats.`;
  }

  /** Adds a cell style (`xf`), which refers to fonts, fills and borders by their numbers. */
  private addXf(list: XfElement[], attributes: XmlAttributes): void {
    list.push({ attributes, alignment: '', protection: '' });
    if (list.length > MAX_STYLES) this.problem = `The workbook defines more than ${MAX_STYLES} cell styles.`;
  }

  /** Adds the name of a style, such as `Heading 1`. */
  private addNamedStyle(attributes: XmlAttributes): void {
    const name = unescapeText(attributes['name'] ?? '');
    if (name === '' || this.namedStyles.length >= MAX_STYLES) return;
    const xf = Number(attributes['xfId'] ?? 0);
    this.namedStyles.push({ name, xf, attributes: formatAttributes(attributes, RESOLVED_ATTRIBUTES) });
  }

  private findFormatCode({ attributes }: XfElement): string | undefined {
    const id = Number(attributes['numFmtId'] ?? 0);
    return this.codes.has(id) ? this.codes.get(id) : findBuiltInFormat(id, this.locale);
  }

  /** The style with the XML of its font, fill and border in place of their numbers. */
  private toStyleRecord({ attributes, alignment, protection }: XfElement, isCell: boolean): StyleRecord {
    const { fonts, fills, borders } = this.lists;
    const findPart = (list: readonly string[] | undefined, id: string | undefined): string =>
      list?.[Number(id ?? 0)] ?? list?.[0] ?? '';
    return {
      font: findPart(fonts, attributes['fontId']) || PLAIN_STYLE.font,
      fill: findPart(fills, attributes['fillId']) || PLAIN_STYLE.fill,
      border: findPart(borders, attributes['borderId']) || PLAIN_STYLE.border,
      alignment,
      protection,
      attributes: formatAttributes(attributes, RESOLVED_ATTRIBUTES),
      named: isCell ? this.findStyleName(Number(attributes['xfId'] ?? 0)) : '',
      regional: this.toRegionalFormatId(attributes['numFmtId']),
    };
  }

  /** The id of a built-in number format whose form depends on the region; empty for all others. */
  private toRegionalFormatId(id = '0'): string {
    return isRegionalFormat(Number(id)) && !this.codes.has(Number(id)) ? String(Number(id)) : '';
  }

  /** The name of a named style by its number; empty for the normal style. */
  private findStyleName(xf: number): string {
    this.names ??= new Map(this.namedStyles.map((style) => [style.xf, style.name]));
    return xf === 0 ? '' : (this.names.get(xf) ?? '');
  }
}

/** True for the two sections that contain cell styles. */
function isXfSection(section: string): boolean {
  return section === 'cellXfs' || section === 'cellStyleXfs';
}
