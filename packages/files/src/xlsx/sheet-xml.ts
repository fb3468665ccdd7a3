import { areaText, type CellData, cellText, type SheetData, type TableData, TextMap } from '@cellwire/engine';
import { FileCellStore } from '../cells/cell-store.ts';
import { CHUNK_BYTES, MAX_SHARED_CHARACTERS, MAX_SHARED_TEXTS } from '../limits/limits.ts';
import { formatExtensionsXml, formatListXml, listAttachmentsOfKind } from './attachments-xml.ts';
import type { CellConversion } from './cell-conversion.ts';
import { formatAfterCells, formatBeforeCells, iterateRowsWithAttributes, usePlainPhoneticFont } from './layout-xml.ts';
import type { Styles } from './styles/styles-xml.ts';
import { escapeText, formatTextElement, toWritableError } from './text.ts';
import { SHEET_START, STRINGS_START } from './workbook-xml.ts';

/**
 * Ids of shared strings. They are kept in memory, because their part is written last; therefore their number is
 * limited. Frequent texts usually occur early.
 */
export class SharedStrings {
  private readonly ids = new TextMap<number>();
  private readonly richIds = new TextMap<number>();
  private readonly items: string[] = [];
  private characters = 0;

  /** Returns the id of a text; undefined if a limit is reached. */
  findOrAddText(text: string): number | undefined {
    const existingId = this.ids.get(text);
    if (existingId !== undefined || !this.canAdd(text)) return existingId;
    this.characters += text.length;
    return this.addString(this.ids, text, formatTextElement(text));
  }

  /** Returns the id of a rich text, given as elements. */
  findOrAddRichText(runs: string): number {
    return this.richIds.get(runs) ?? this.addString(this.richIds, runs, usePlainPhoneticFont(runs));
  }

  /** True if the list has room for one more text of this length. */
  private canAdd({ length }: string): boolean {
    return this.ids.size < MAX_SHARED_TEXTS && this.characters + length <= MAX_SHARED_CHARACTERS;
  }

  /** Adds an item of XML under a key. Returns its number in the list. */
  private addString(ids: TextMap<number>, key: string, item: string): number {
    const id = this.items.push(item) - 1;
    ids.set(key, id);
    return id;
  }

  *formatXml(): Generator<string> {
    yield STRINGS_START;
    for (const item of this.items) yield `<si>${item}</si>`;
    yield '</sst>';
  }
}

interface HeaderCell {
  readonly row: number;
  readonly column: number;
  readonly text: string;
}

/** The cells of a sheet in the order of writing, row by row. */
export function* listCellsToWrite(
  sheet: SheetData,
  tables: readonly TableData[],
  writer: CellConversion,
): Generator<CellData, void, undefined> {
  const headers = listHeaderCells(tables);
  let next = 0;
  for (const cell of listCellsByRow(sheet)) {
    for (let header = headers[next]; header && isBefore(header, cell); header = headers[++next]) {
      yield { row: header.row, column: header.column, value: header.text };
    }
    const header = headers[next];
    if (header?.row !== cell.row || header.column !== cell.column) yield writer.convertCell(cell);
    else {
      const { row, column, format, style } = cell;
      yield { row, column, value: header.text, ...(format && { format }), ...(style && { style }) };
      next++;
    }
  }
  for (const { row, column, text } of headers.slice(next)) yield { row, column, value: text };
}

/** Returns the cells row by row. Cells in another order are collected in memory. */
function listCellsByRow({ byRow, cells }: SheetData): Iterable<CellData> {
  if (byRow) return cells;
  const store = new FileCellStore();
  for (const cell of cells) store.addCell(cell);
  return store.listCellsByRow();
}

/**
 * Returns the header cells of tables. Excel reads a table only if its header cells are texts that equal the names of
 * its columns.
 */
function listHeaderCells(tables: readonly TableData[]): readonly HeaderCell[] {
  const cells = new Map<string, HeaderCell>();
  for (const { headerRow, area, columns } of tables) {
    if (!headerRow) continue;
    for (const [i, text] of columns.entries()) {
      const column = area.left + i;
      cells.set(cellText(area.top, column), { row: area.top, column, text });
    }
  }
  return [...cells.values()].sort((a, b) => a.row - b.row || a.column - b.column);
}

/** True if the first cell comes before the second one, row by row. */
function isBefore(a: HeaderCell, b: CellData): boolean {
  return a.row < b.row || (a.row === b.row && a.column < b.column);
}

export interface SheetXmlOptions {
  /** Whether the sheet is shown first. */
  readonly isActive: boolean;
  /** Attributes of its properties element. */
  readonly properties: string;
  /** Elements of the sheet's hyperlinks. */
  readonly hyperlinks: readonly string[];
  /** Elements that reference the sheet's drawings, controls and similar parts, in the order of the file format. */
  readonly linked: string;
  /** Relationship ids of the sheet's tables. */
  readonly tableParts: readonly string[];
}

/** Writes the part of a sheet, in chunks. */
export function* formatSheetXml(
  sheet: SheetData,
  cells: Iterable<CellData>,
  styles: Styles,
  strings: SharedStrings,
  options: SheetXmlOptions,
): Generator<string> {
  const { hyperlinks, linked, tableParts } = options;
  yield `${SHEET_START}${formatBeforeCells(sheet, styles, options)}<sheetData>`;
  yield* formatRowsXml(cells, iterateRowsWithAttributes(sheet, styles), styles, new SheetTexts(sheet, strings));
  yield `</sheetData>${formatAfterCells(sheet, hyperlinks)}${linked}`;
  const tables = tableParts.map((id) => `<tablePart r:id="${id}"/>`);
  yield `${formatListXml('tableParts', tables)}${formatExtensionsXml(sheet)}</worksheet>`;
}

/** Assigns ids to the texts of a sheet's cells. */
class SheetTexts {
  private readonly strings: SharedStrings;
  /** Rich texts by cell. A rich text is used if the cell still has the same text. */
  private readonly rich = new Map<string, readonly string[]>();

  constructor(sheet: SheetData, strings: SharedStrings) {
    this.strings = strings;
    for (const { areas, texts } of listAttachmentsOfKind(sheet, 'richText'))
      for (const area of areas) this.rich.set(areaText(area), texts);
  }

  /**
   * The number of the cell's text in the shared list, as rich text if the cell has one with the same characters.
   * Undefined if the list is full.
   */
  findOrAddCellText(text: string, row: number, column: number): number | undefined {
    if (this.rich.size === 0) return this.strings.findOrAddText(text);
    const [plain, runs] = this.rich.get(cellText(row, column)) ?? [];
    return plain === text && runs !== undefined
      ? this.strings.findOrAddRichText(runs)
      : this.strings.findOrAddText(text);
  }
}

function* formatRowsXml(
  cells: Iterable<CellData>,
  describedRows: Iterator<readonly [row: number, attributes: string]>,
  styles: Styles,
  texts: SheetTexts,
): Generator<string> {
  let next = describedRows.next();
  let row = -1;
  for (const cell of cells) {
    let xml = '';
    if (cell.row !== row) {
      if (row >= 0) yield '</row>';
      for (; !next.done && next.value[0] < cell.row; next = describedRows.next()) yield formatEmptyRow(next.value);
      row = cell.row;
      const attributes = !next.done && next.value[0] === row ? next.value[1] : '';
      if (!next.done && next.value[0] === row) next = describedRows.next();
      xml += `<row r="${row + 1}"${attributes}>`;
    }
    yield xml + formatCellXml(cell, styles, texts);
  }
  if (row >= 0) yield '</row>';
  for (; !next.done; next = describedRows.next()) yield formatEmptyRow(next.value);
}

function formatEmptyRow([row, attributes]: readonly [row: number, attributes: string]): string {
  return `<row r="${row + 1}"${attributes}/>`;
}

function formatCellXml(cell: CellData, styles: Styles, texts: SheetTexts): string {
  const style = styles.findOrAddStyle(cell.format, cell.style);
  const start = `<c r="${cellText(cell.row, cell.column)}"${style === 0 ? '' : ` s="${style}"`}`;
  if (cell.spilled) return start + formatResultXml(cell, '');
  if (cell.formula === undefined) return start + formatConstantXml(cell, texts);
  return `${start}${cell.dynamic ? ' cm="1"' : ''}${formatResultXml(cell, formatFormulaXml(cell, cell.formula))}`;
}

function formatConstantXml({ value, row, column }: CellData, texts: SheetTexts): string {
  if (typeof value === 'number') return `><v>${value}</v></c>`;
  if (typeof value === 'string') return formatTextXml(value, texts.findOrAddCellText(value, row, column));
  if (typeof value === 'boolean') return ` t="b"><v>${value ? 1 : 0}</v></c>`;
  return value === null ? '/>' : ` t="e"><v>${toWritableError(value)}</v></c>`;
}

/** Writes a text as a shared string, or (without an id) in the cell itself. */
function formatTextXml(text: string, id: number | undefined): string {
  return id === undefined ? ` t="inlineStr"><is>${formatTextElement(text)}</is></c>` : ` t="s"><v>${id}</v></c>`;
}

/** Writes the formula and its last result; for a cell that another formula fills, only the result. */
function formatResultXml({ value }: CellData, formula: string): string {
  if (typeof value === 'number') return `>${formula}<v>${value}</v></c>`;
  if (typeof value === 'string') return ` t="str">${formula}<v>${escapeText(value)}</v></c>`;
  if (typeof value === 'boolean') return ` t="b">${formula}<v>${value ? 1 : 0}</v></c>`;
  return value === null ? `>${formula}</c>` : ` t="e">${formula}<v>${toWritableError(value)}</v></c>`;
}

/**
 * Writes a formula. Dynamic arrays are array formulas whose cell is marked; their range consists of only their own
 * cell.
 */
function formatFormulaXml({ row, column, array, dynamic }: CellData, formula: string): string {
  const text = escapeText(formula);
  if (!array && !dynamic) return `<f>${text}</f>`;
  return `<f t="array" ref="${array ? areaText(array) : cellText(row, column)}">${text}</f>`;
}

/** Joins strings into chunks of a useful size. */
export function* joinIntoChunks(pieces: Iterable<string>): Generator<Buffer> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < CHUNK_BYTES) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
