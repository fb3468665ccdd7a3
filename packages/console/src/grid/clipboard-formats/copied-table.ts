import { type DateSystem, type LocaleId, MAX_ROWS } from '@cellwire/engine';
import type { Cell, CellStyle } from '../../data/types.ts';
import type { SlicedWork } from './sliced-work.ts';
import { formatTsvRow } from './tsv.ts';

/** Maximum cells of a copied table: one whole column. */
export const MAX_COPIED_CELLS = MAX_ROWS;
/** Maximum characters of one row of clipboard content, because it is parsed without a pause. */
export const MAX_ROW_CHARACTERS = 4_000_000;
/** Larger tables are copied as HTML without styles. */
const MAX_STYLED_CELLS = 20_000;
/** The application's own clipboard type. Browsers keep this type between tabs; other programs ignore it. */
export const OWN_TYPE = 'application/x-cellwire-cells+json';

/** A cell at the time of copying. */
export interface CopiedCell {
  /** The displayed text of the cell. */
  readonly m: string;
  /** Absent for unconfirmed input, whose text is `m`. */
  readonly v?: number | string | boolean;
  readonly f?: string;
  /** The error code of the cell. */
  readonly error?: string;
  /** The number format; General if absent. */
  readonly format?: string;
}

/** A copied part of a document. */
export interface CopiedTable {
  /** Unique id of this copy. */
  readonly id: string;
  readonly document: string;
  /** Locale of formulas and typed texts. */
  readonly locale: LocaleId | null;
  readonly dateSystem: DateSystem;
  /** Rows and columns of the source cells, sorted. */
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  readonly cells: readonly (readonly (CopiedCell | null)[])[];
}

/** The copy in the formats of the clipboard. */
export interface ClipboardForms {
  readonly text: string;
  readonly html: string;
  readonly own: string;
}

/** `getStyle` returns the style of a copied cell by its indexes in the table. Yields the number of rows written. */
export function* toClipboardForms(
  table: CopiedTable,
  getStyle: (row: number, column: number) => CellStyle | null,
): SlicedWork<ClipboardForms> {
  const { cells, ...about } = table;
  const isBrief = table.rows.length * table.columns.length > MAX_STYLED_CELLS;
  const formatHtmlCell = (cell: CopiedCell | null, i: number, j: number) =>
    isBrief ? formatShortCell(cell) : formatCellHtml(cell, getStyle(i, j));
  const [texts, lines]: [string[], string[]] = [[], []];
  for (const [i, line] of cells.entries()) {
    texts.push(formatTsvRow(line.map((cell) => cell?.m ?? '')));
    lines.push(`<tr>${line.map((cell, j) => formatHtmlCell(cell, i, j)).join('')}</tr>`);
    yield lines.length;
  }
  const page = `<meta charset="utf-8"><table data-cellwire="${escapeHtml(JSON.stringify(about))}"><tbody>${lines.join('')}</tbody></table>`;
  // A large copy is ready only after the event, when the application's own type cannot be set any more.
  return { text: texts.join('\n'), html: page, own: isBrief ? '' : formatOwnContent(about, cells) };
}

/** One line for the table, and one for each row, so that they can be read in slices. */
function formatOwnContent(head: CopiedTableHead, cells: CopiedTable['cells']): string {
  return [head, ...cells].map((line) => JSON.stringify(line)).join('\n');
}

/** Numbers in the notation of JSON. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]\d+)?$/;
/** Texts that HTML does not change. */
const PLAIN_TEXT = /^\S+(?: \S+)*$/;

/** A cell of a large table in short form, without styles. */
function formatShortCell(cell: CopiedCell | null): string {
  if (cell === null) return '<td></td>';
  const { m, ...raw } = cell;
  const isPlain = cell.f === undefined && cell.error === undefined && cell.format === undefined;
  if (isPlain && parsePlainValue(m) === cell.v) return `<td>${escapeHtml(m)}</td>`;
  const attribute =
    isPlain && typeof cell.v === 'number' ? `data-v="${cell.v}"` : `data-cell="${escapeHtml(JSON.stringify(raw))}"`;
  return `<td ${attribute}>${formatContentHtml(m)}</td>`;
}

/** Returns the value of a cell for which the HTML holds only the displayed text; undefined if the text is ambiguous. */
export function parsePlainValue(displayedText: string): string | number | undefined {
  if (PLAIN_NUMBER.test(displayedText))
    return String(Number(displayedText)) === displayedText ? Number(displayedText) : undefined;
  return PLAIN_TEXT.test(displayedText) ? displayedText : undefined;
}

/** Raw values are stored in attributes, because displayed text may be rounded or ambiguous. */
function formatCellHtml(cell: CopiedCell | null, cellStyle: CellStyle | null): string {
  const style = formatCss(cellStyle, cell?.format);
  const styled = style === '' ? '' : ` style="${escapeHtml(style)}"`;
  if (cell === null) return `<td${styled}></td>`;
  const { m, ...raw } = cell;
  return `<td data-cell="${escapeHtml(JSON.stringify(raw))}"${styled}>${formatContentHtml(m)}</td>`;
}

/** Formats a displayed text as the content of a table cell in HTML. */
function formatContentHtml(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>');
}

/** Formats a style and a number format as CSS declarations; empty for a plain cell. */
function formatCss(cellStyle: CellStyle | null, format: string | undefined): string {
  const rules = [
    cellStyle?.bold === true ? 'font-weight:700' : '',
    cellStyle?.italic === true ? 'font-style:italic' : '',
    cellStyle?.underline === true || cellStyle?.strike === true
      ? `text-decoration:${cellStyle.underline === true ? 'underline ' : ''}${cellStyle.strike === true ? 'line-through' : ''}`
      : '',
    cellStyle?.color === undefined ? '' : `color:${cellStyle.color}`,
    cellStyle?.fill === undefined ? '' : `background-color:${cellStyle.fill}`,
    cellStyle?.horizontal === undefined ? '' : `text-align:${cellStyle.horizontal}`,
    format === undefined ? '' : `mso-number-format:'${format.replace(/["'\\;]/g, (mark) => `\\${mark}`)}'`,
  ];
  return rules.filter((rule) => rule !== '').join(';');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/**
 * Reads the application's own clipboard type; null if the text is invalid. The content is untrusted, because every page
 * can write it. Yields the number of characters read.
 */
export function* readOwnFormat(text: string): SlicedWork<CopiedTable | null> {
  let [from, end] = [0, findLineEnd(text, 0)];
  const head = parseTableHead(parseJson(text.slice(0, end)));
  if (head === null) return null;
  const cells: (readonly (CopiedCell | null)[])[] = [];
  while (end < text.length && cells.length < head.rows.length) {
    [from, end] = [end + 1, findLineEnd(text, end + 1)];
    const line = parseCellLine(parseJson(text.slice(from, end)), head);
    if (line === null) return null;
    cells.push(line);
    yield end;
  }
  return cells.length === head.rows.length ? { ...head, cells } : null;
}

/** Returns the position of the next line break, or the end of the text. */
function findLineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

function parseJson(text: string): unknown {
  if (text.length > MAX_ROW_CHARACTERS) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A copied table without its cells. */
type CopiedTableHead = Omit<CopiedTable, 'cells'>;

/** Returns the head of a copied table if it is valid; else null. */
export function parseTableHead(head: unknown): CopiedTableHead | null {
  if (!isRecord(head)) return null;
  const { id, document, locale, dateSystem, rows, columns } = head;
  if (typeof id !== 'string' || typeof document !== 'string') return null;
  if (locale !== null && typeof locale !== 'string') return null;
  if (dateSystem !== 'google' && dateSystem !== '1900' && dateSystem !== '1904') return null;
  const areLines = isIndexList(rows) && isIndexList(columns) && rows.length * columns.length <= MAX_COPIED_CELLS;
  return areLines ? (head as unknown as CopiedTableHead) : null;
}

/** Returns a line of a copied table; null if it is invalid. */
export function parseCellLine(line: unknown, { columns }: CopiedTableHead): readonly (CopiedCell | null)[] | null {
  const isLine = Array.isArray(line) && line.length === columns.length && line.every((cell) => isCopiedCell(cell));
  return isLine ? (line as readonly (CopiedCell | null)[]) : null;
}

/** True for a valid copied cell, or null. */
function isCopiedCell(cell: unknown): boolean {
  if (cell === null) return true;
  if (!isRecord(cell)) return false;
  const { m, v, f, error, format } = cell;
  const areTexts = [f, error, format].every((text) => text === undefined || typeof text === 'string');
  return typeof m === 'string' && areTexts && ['undefined', 'number', 'string', 'boolean'].includes(typeof v);
}

/** True for a list of whole numbers that are not negative. */
function isIndexList(list: unknown): list is readonly number[] {
  return Array.isArray(list) && list.every((item) => Number.isSafeInteger(item) && item >= 0);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Converts a cell to its clipboard form. */
export function toCopiedCell(cell: Cell | null, cellStyle: CellStyle | null): CopiedCell | null {
  const format = cellStyle?.format;
  const ofFormat = format === undefined ? {} : { format };
  if (cell === null) return format === undefined ? null : { m: '', v: '', format };
  const { v, m, f, error } = cell;
  return {
    m,
    v,
    ...(f === undefined ? {} : { f }),
    ...(error === undefined ? {} : { error: error.code }),
    ...ofFormat,
  };
}
