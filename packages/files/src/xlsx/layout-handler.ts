import { type Area, type Band, type LayoutData, MAX_COLUMNS, PLAIN_LAYOUT, parseArea } from '@cellwire/engine';
import { parseXmlBoolean, type XmlAttributes } from '../archive/xml.ts';
import { MAX_BANDS, MAX_CARRIED_LENGTH, MAX_LINKED_LENGTH, MAX_MERGES } from '../limits/limits.ts';
import type { LeftOut, LeftOutKind } from '../outcome/left-out.ts';
import { PART_ELEMENTS } from './parts/collect-parts.ts';
import { readStandardWidth } from './standard-width.ts';
import { SHEET_PROPERTIES } from './workbook-xml.ts';
import { formatAttributes, XmlCopy } from './xml-copy.ts';

/**
 * Elements of a worksheet that are preserved as a whole. They reference no parts. If they reference cells, it is only
 * for scrolling.
 */
const PRESERVED_ELEMENTS = new Set([
  'outlinePr',
  'pageSetUpPr',
  'sheetViews',
  'sheetFormatPr',
  'sheetCalcPr',
  'sheetProtection',
  'dataConsolidate',
  'phoneticPr',
  'printOptions',
  'pageMargins',
  'pageSetup',
  'headerFooter',
]);

/** Attributes of the sheet's properties that the export writes itself, or that reference a cell. */
const OWN_PROPERTIES = new Set(['filterMode', 'syncHorizontal', 'syncVertical', 'syncRef']);

/** Options for elements that reference parts: their relationship ids are also copied. */
const PART_REFERENCE_OPTIONS = { extensions: true, prefixes: ['r'] };

/** Number format and style by cell style id. */
type StyleLookup = (style: string | undefined) => Pick<Band, 'format' | 'style'>;

/** Reads the layout of a worksheet: sizes and groups of rows and columns, merged ranges, view and page set-up. */
export class LayoutHandler {
  private readonly leftOut: LeftOut;
  private readonly findStyles: StyleLookup;
  private readonly columns: Band[] = [];
  private readonly rows: Band[] = [];
  private readonly merges: Area[] = [];
  private readonly carried: Record<string, string> = {};
  private copy: XmlCopy | null = null;
  private copied = '';

  constructor(leftOut: LeftOut, findStyles: StyleLookup) {
    this.leftOut = leftOut;
    this.findStyles = findStyles;
  }

  openElement(name: string, attributes: XmlAttributes): void {
    if (this.copy === null && (PRESERVED_ELEMENTS.has(name) || PART_ELEMENTS.has(name))) {
      const isLinked = PART_ELEMENTS.has(name);
      this.copy = isLinked ? new XmlCopy(MAX_LINKED_LENGTH, PART_REFERENCE_OPTIONS) : new XmlCopy(MAX_CARRIED_LENGTH);
      this.copied = name;
    }
    if (this.copy !== null) this.copy.openElement(name, attributes);
    else if (name === 'sheetPr') this.addProperties(attributes);
    else if (name === 'col') this.addColumns(attributes);
    else if (name === 'mergeCell') this.addMerge(attributes);
  }

  addText(text: string): void {
    this.copy?.addCharacters(text);
  }

  closeElement(name: string): void {
    if (this.copy?.closeElement(name) !== true) return;
    const { text, isTooLong } = this.copy;
    this.copy = null;
    if (isTooLong || !concernsOwnSheet(this.copied, text))
      this.leftOut.addItem(LEFT_OUT_KINDS[this.copied] ?? 'pageSetups');
    else this.carried[this.copied] = text.replaceAll(SELECTED, '');
  }

  addRow(row: number, attributes: XmlAttributes): void {
    const { ht, customHeight, outlineLevel, collapsed, customFormat, s } = attributes;
    if (ht === undefined && outlineLevel === undefined && collapsed === undefined && customFormat === undefined) return;
    const styles = parseXmlBoolean(customFormat) ? this.findStyles(s) : {};
    const shown = parseBandProperties(ht, customHeight, attributes);
    if (Object.keys(shown).length + Object.keys(styles).length === 0) return;
    if (!addBand(this.rows, { first: row, last: row, ...shown, ...styles })) this.leftOut.addItem('rowHeights');
  }

  buildLayout(): LayoutData {
    const { columns, rows, merges, carried } = this;
    const isPlain = columns.length + rows.length + merges.length + Object.keys(carried).length === 0;
    return isPlain ? PLAIN_LAYOUT : { columns, rows, merges, carried };
  }

  /** Keeps the attributes of `sheetPr` for the export. */
  private addProperties(attributes: XmlAttributes): void {
    const text = formatAttributes(attributes, OWN_PROPERTIES);
    if (text !== '' && text.length <= MAX_CARRIED_LENGTH) this.carried[SHEET_PROPERTIES] = text;
  }

  private addColumns(attributes: XmlAttributes): void {
    const first = Number(attributes['min']) - 1;
    const last = Math.min(Number(attributes['max']), MAX_COLUMNS) - 1;
    if (!(Number.isInteger(first) && Number.isInteger(last) && first >= 0 && first <= last)) return;
    const { width, customWidth } = attributes;
    const isStandard = !parseXmlBoolean(customWidth) && Number(width) === readStandardWidth(this.carried);
    const shown = parseBandProperties(isStandard ? undefined : width, customWidth, attributes);
    const band: Band = { first, last, ...shown, ...(parseXmlBoolean(attributes['hidden']) && { hidden: true }) };
    if (Object.keys(band).length > 2 && !addBand(this.columns, band)) this.leftOut.addItem('columnWidths');
  }

  private addMerge(attributes: XmlAttributes): void {
    const merged = parseArea(attributes['ref'] ?? '');
    if (merged === null || this.merges.length >= MAX_MERGES) this.leftOut.addItem('mergedRanges');
    else this.merges.push({ top: merged.top, left: merged.left, bottom: merged.bottom, right: merged.right });
  }
}

/** The export decides which sheet is selected. If two were selected, edits would change both. */
const SELECTED = / tabSelected="[^"]*"/g;

/** Kinds of elements in the report if they are left out; all others are page set-ups. */
const LEFT_OUT_KINDS: Readonly<Record<string, LeftOutKind>> = {
  sheetViews: 'views',
  dataConsolidate: 'consolidations',
};

/**
 * True if an element concerns only its own sheet: the view in the workbook's first window if it shows nothing that is
 * left out, or a consolidation without references to cells, which may be in other workbooks.
 */
function concernsOwnSheet(name: string, text: string): boolean {
  if (name === 'sheetViews') return !/ workbookViewId="(?!0")|<pivotSelection/.test(text);
  return name !== 'dataConsolidate' || !text.includes('<dataRef ');
}

/** The size and outline level of rows or columns. Ignores invalid ones. */
function parseBandProperties(
  size: string | undefined,
  custom: string | undefined,
  attributes: XmlAttributes,
): Partial<Band> {
  const number = Number(size);
  const level = Number(attributes['outlineLevel'] ?? 0);
  return {
    ...(size !== undefined && number >= 0 && number < 1e6 && { size: number }),
    ...(parseXmlBoolean(custom) && { custom: true as const }),
    ...(Number.isInteger(level) && level > 0 && level < 8 && { level }),
    ...(parseXmlBoolean(attributes['collapsed']) && { collapsed: true as const }),
  };
}

/** Appends a band, or extends the last one. Returns false if it is out of order or a limit is reached. */
function addBand(bands: Band[], band: Band): boolean {
  const last = bands.at(-1);
  if (last !== undefined && last.last >= band.first) return false;
  if (last !== undefined && last.last === band.first - 1 && haveEqualProperties(last, band)) {
    bands[bands.length - 1] = { ...last, last: band.last };
    return true;
  }
  if (bands.length >= MAX_BANDS) return false;
  bands.push(band);
  return true;
}

function haveEqualProperties(a: Band, b: Band): boolean {
  return (
    a.size === b.size &&
    a.custom === b.custom &&
    a.hidden === b.hidden &&
    a.level === b.level &&
    a.collapsed === b.collapsed &&
    a.format === b.format &&
    a.style === b.style
  );
}
