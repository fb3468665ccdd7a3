import { areaText, type Band, PLAIN_LAYOUT, type SheetData } from '@cellwire/engine';
import {
  formatAttachmentsXml,
  formatBreaksXml,
  formatListXml,
  hasConditions,
  listAttachmentsOfKind,
} from './attachments-xml.ts';
import { readStandardWidth } from './standard-width.ts';
import type { Styles } from './styles/styles-xml.ts';

/** Properties that a sheet has as part of its workbook. */
interface SheetDisplay {
  /** True if the sheet is shown first. */
  readonly isActive: boolean;
  /** Attributes of the sheet's properties element. */
  readonly properties: string;
}

/** Writes the elements before the cells of a worksheet. */
export function formatBeforeCells(sheet: SheetData, styles: Styles, { isActive, properties }: SheetDisplay): string {
  const { carried } = sheet.layout ?? PLAIN_LAYOUT;
  const color = sheet.color === null ? '' : `<tabColor rgb="FF${sheet.color.slice(1)}"/>`;
  const content = color + (carried['outlinePr'] ?? '') + (carried['pageSetUpPr'] ?? '');
  return (
    formatPropertiesXml(content, sheet, properties) +
    formatViewsXml(carried['sheetViews'], isActive) +
    (carried['sheetFormatPr'] ?? '') +
    formatColumnsXml(sheet, styles)
  );
}

/** The XML of the sheet's properties; empty if there are none. */
function formatPropertiesXml(content: string, sheet: SheetData, attributes: string): string {
  const isFiltered = listAttachmentsOfKind(sheet, 'autoFilter')
    .slice(0, 1)
    .some(({ texts }) => texts.some(hasConditions));
  const all = attributes + (isFiltered ? ' filterMode="1"' : '');
  return content + all === '' ? '' : `<sheetPr${all}>${content}</sheetPr>`;
}

/** The `sheetViews` element. Only the sheet that is shown first is selected. */
function formatViewsXml(views: string | undefined, isActive: boolean): string {
  return isActive ? (views ?? '').replace(/<sheetView(?=[ />])/, '<sheetView tabSelected="1"') : (views ?? '');
}

/** Writes the elements between the cells and the references to parts. `hyperlinks`: elements of links. */
export function formatAfterCells(sheet: SheetData, hyperlinks: readonly string[]): string {
  const { merges, carried } = sheet.layout ?? PLAIN_LAYOUT;
  const mergeCells = merges.map((area) => `<mergeCell ref="${areaText(area)}"/>`);
  const formatElements = (kind: string) => formatAttachmentsXml(sheet, kind);
  // The elements are in the order of the file format.
  return [
    carried['sheetCalcPr'],
    carried['sheetProtection'],
    formatListXml('protectedRanges', formatElements('protectedRange'), false),
    ...formatElements('scenarios'),
    ...formatElements('autoFilter').slice(0, 1),
    ...formatElements('sortState').slice(0, 1),
    carried['dataConsolidate'],
    formatListXml('mergeCells', mergeCells),
    usePlainPhoneticFont(carried['phoneticPr'] ?? ''),
    ...formatElements('conditionalFormatting'),
    formatListXml('dataValidations', formatElements('dataValidation')),
    formatListXml('hyperlinks', hyperlinks, false),
    ...['printOptions', 'pageMargins', 'pageSetup', 'headerFooter'].map((name) => carried[name]),
    formatBreaksXml(sheet, 'rowBreaks'),
    formatBreaksXml(sheet, 'colBreaks'),
    formatListXml('ignoredErrors', formatElements('ignoredError'), false),
  ].join('');
}

/** Gives phonetic readings the font of plain cells, because font ids of the imported file are not preserved. */
export function usePlainPhoneticFont(xml: string): string {
  return xml.replace(/(?<=<phoneticPr [^<>]*fontId=")[^"]*/g, '0');
}

/** Adjacent columns with equal properties. */
interface ColumnRange {
  readonly first: number;
  last: number;
  readonly band: Band | undefined;
  readonly style: number;
}

function formatColumnsXml(sheet: SheetData, styles: Styles): string {
  // Excel treats an element without a width as zero width.
  const standard = readStandardWidth((sheet.layout ?? PLAIN_LAYOUT).carried);
  const xml = listColumnRanges(sheet, styles).map(({ first, last, band, style }) => {
    const width = ` width="${band?.size ?? standard}"${band?.custom ? ' customWidth="1"' : ''}`;
    const styleAttribute = style === 0 ? '' : ` style="${style}"`;
    return `<col min="${first + 1}" max="${last + 1}"${width}${styleAttribute}${formatGroupAttributes(band)}/>`;
  });
  return xml.length === 0 ? '' : `<cols>${xml.join('')}</cols>`;
}

/** Ranges of columns with equal properties. They are merged because a sheet may have 16,384 styled columns. */
function listColumnRanges({ columnFormats, columnStyles, layout }: SheetData, styles: Styles): readonly ColumnRange[] {
  const bands = new Map<number, Band>();
  for (const band of (layout ?? PLAIN_LAYOUT).columns) {
    for (let column = band.first; column <= band.last; column++) bands.set(column, band);
  }
  const places = new Set([...bands.keys(), ...columnFormats.keys(), ...(columnStyles?.keys() ?? [])]);
  const ranges: ColumnRange[] = [];
  for (const column of [...places].sort((a, b) => a - b)) {
    const band = bands.get(column);
    const style = styles.findOrAddStyle(columnFormats.get(column), columnStyles?.get(column));
    const range = ranges.at(-1);
    if (range?.last === column - 1 && range.style === style && haveEqualColumns(range.band, band)) range.last = column;
    else ranges.push({ first: column, last: column, band, style });
  }
  return ranges;
}

function haveEqualColumns(a: Band | undefined, b: Band | undefined): boolean {
  if (a === b) return true;
  return a?.size === b?.size && a?.custom === b?.custom && formatGroupAttributes(a) === formatGroupAttributes(b);
}

/** The attributes of hidden and grouped lines. */
function formatGroupAttributes(band: Band | undefined): string {
  if (band === undefined) return '';
  const hidden = band.hidden ? ' hidden="1"' : '';
  const level = band.level === undefined ? '' : ` outlineLevel="${band.level}"`;
  return hidden + level + (band.collapsed ? ' collapsed="1"' : '');
}

/** Rows with attributes of their own, in order. */
export function* iterateRowsWithAttributes(
  { hiddenRows, layout = PLAIN_LAYOUT }: SheetData,
  styles: Styles,
): Generator<readonly [row: number, attributes: string]> {
  const hidden = [...hiddenRows].sort((a, b) => a - b);
  let next = 0;
  for (const band of layout.rows) {
    const attributes = formatRowAttributes(band, styles);
    for (let row = band.first; row <= band.last; row++) {
      for (; next < hidden.length && (hidden[next] as number) < row; next++) yield [hidden[next] as number, HIDDEN];
      const isHidden = hidden[next] === row;
      if (isHidden) next++;
      yield [row, isHidden ? attributes + HIDDEN : attributes];
    }
  }
  for (; next < hidden.length; next++) yield [hidden[next] as number, HIDDEN];
}

const HIDDEN = ' hidden="1"';

function formatRowAttributes(band: Band, styles: Styles): string {
  const style = styles.findOrAddStyle(band.format, band.style);
  const styleAttribute = style === 0 ? '' : ` s="${style}" customFormat="1"`;
  const size = band.size === undefined ? '' : ` ht="${band.size}"${band.custom ? ' customHeight="1"' : ''}`;
  return styleAttribute + size + formatGroupAttributes(band);
}
