import type { Area, DateSystem, LocaleId } from '@cellwire/engine';
import type { Look } from '../data/types.ts';
import { t } from '../text/index.ts';
import type { Desk } from './desk.ts';
import { countOf, selectedAreas, shownRows, usedSelection } from './selected-areas.ts';
import { rowsIn } from './shown-rows.ts';
import { tsvOf } from './tsv.ts';

/** Cells that copy takes or a paste fills. */
export const MAX_CELLS = 200_000;
/** The clipboard's own type: browsers keep it between tabs, and no other program reads it. */
export const OWN_TYPE = 'application/x-cellwire-cells+json';

/** A cell as it was when it was copied. */
export interface CopiedCell {
  /** As people see it. */
  readonly m: string;
  /** Absent: what was typed is not confirmed yet, and is `m`. */
  readonly v?: number | string | boolean;
  readonly f?: string;
  /** The code of an error. */
  readonly error?: string;
  /** The number format; absent: General. */
  readonly format?: string;
}

/** What the clipboard holds of a document. */
export interface CopiedTable {
  /** Tells this copy from others. */
  readonly id: string;
  readonly document: string;
  /** How formulas and what was typed are written. */
  readonly locale: LocaleId | null;
  readonly dateSystem: DateSystem;
  /** The rows and columns of the sheet that the cells were in, in order. */
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  readonly cells: readonly (readonly (CopiedCell | null)[])[];
}

/** What copy takes, by rows and columns: some of them may lie between others that are not taken. */
export interface CopiedPlaces {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  /** The part of the sheet around all of them. */
  readonly area: Area;
}

/** A text: why what is selected cannot be copied as one table. */
export function placesToCopy(desk: Desk): CopiedPlaces | string {
  const { others } = desk.state;
  const areas = others.length === 0 ? [usedSelection(desk)] : selectedAreas(desk);
  if (countOf(areas) > MAX_CELLS) return t.grid.tooManyToCopy(MAX_CELLS);
  const rows = new Set<number>();
  const columns = new Set<number>();
  for (const area of areas) {
    for (const row of rowsIn(shownRows(desk, area))) rows.add(row);
    for (let column = area.left; column <= area.right; column++) columns.add(column);
  }
  const taken = countOf(others.length === 0 ? [] : areas);
  // Every row has to be taken in every column: else the cells are no table.
  if (others.length > 0 && taken !== rows.size * columns.size) return t.grid.noTable;
  const [sortedRows, sortedColumns] = [sorted(rows), sorted(columns)];
  const [top, left] = [sortedRows[0] ?? 0, sortedColumns[0] ?? 0];
  const area = { top, left, bottom: sortedRows.at(-1) ?? top, right: sortedColumns.at(-1) ?? left };
  return { rows: sortedRows, columns: sortedColumns, area };
}

function sorted(numbers: ReadonlySet<number>): readonly number[] {
  return [...numbers].sort((a, b) => a - b);
}

/** The cells at those places; null: not all of them are known. */
export function copiedTable(desk: Desk, { rows, columns }: CopiedPlaces): CopiedTable | null {
  const { cells } = desk.sheet;
  const { locale, dateSystem } = desk.book;
  const copied: (CopiedCell | null)[][] = [];
  for (const row of rows) {
    const line: (CopiedCell | null)[] = [];
    for (const column of columns) {
      const pending = cells.pendingText(row, column);
      const cell = cells.cell(row, column);
      if (cell === undefined && pending === undefined) return null;
      const format = cells.look(row, column)?.format;
      const ofFormat = format === undefined ? {} : { format };
      if (pending !== undefined) line.push(pending === '' ? null : { m: pending, ...ofFormat });
      else if (cell === null || cell === undefined) line.push(format === undefined ? null : { m: '', v: '', format });
      else {
        const { v, m, f, error } = cell;
        const isError = error !== undefined;
        line.push({ m, v, ...(f === undefined ? {} : { f }), ...(isError ? { error: error.code } : {}), ...ofFormat });
      }
    }
    copied.push(line);
  }
  return {
    id: crypto.getRandomValues(new Uint32Array(2)).join('-'),
    document: desk.book.id,
    locale,
    dateSystem,
    rows,
    columns,
    cells: copied,
  };
}

/** The same cells in the forms that programs read. */
export interface ClipboardForms {
  readonly text: string;
  readonly html: string;
  readonly own: string;
}

/** `lookAt`: how a copied cell looks, by its place in the table. */
export function formsOf(table: CopiedTable, lookAt: (row: number, column: number) => Look | null): ClipboardForms {
  const text = tsvOf(table.cells.map((line) => line.map((cell) => cell?.m ?? '')));
  const { cells, ...about } = table;
  const lines = cells.map((line, i) => `<tr>${line.map((cell, j) => cellHtml(cell, lookAt(i, j))).join('')}</tr>`);
  const html = `<meta charset="utf-8"><table data-cellwire="${escaped(JSON.stringify(about))}"><tbody>${lines.join('')}</tbody></table>`;
  return { text, html, own: JSON.stringify(table) };
}

/** Raw values stand in attributes: what people see may be rounded, or read as something else. */
function cellHtml(cell: CopiedCell | null, look: Look | null): string {
  const style = styleOf(look, cell?.format);
  const styled = style === '' ? '' : ` style="${escaped(style)}"`;
  if (cell === null) return `<td${styled}></td>`;
  const { m, ...raw } = cell;
  return `<td data-cell="${escaped(JSON.stringify(raw))}"${styled}>${escaped(m).replaceAll('\n', '<br>')}</td>`;
}

function styleOf(look: Look | null, format: string | undefined): string {
  const rules = [
    look?.bold === true ? 'font-weight:700' : '',
    look?.italic === true ? 'font-style:italic' : '',
    look?.underline === true || look?.strike === true
      ? `text-decoration:${look.underline === true ? 'underline ' : ''}${look.strike === true ? 'line-through' : ''}`
      : '',
    look?.color === undefined ? '' : `color:${look.color}`,
    look?.fill === undefined ? '' : `background-color:${look.fill}`,
    look?.horizontal === undefined ? '' : `text-align:${look.horizontal}`,
    format === undefined ? '' : `mso-number-format:'${format.replace(/["'\\;]/g, (mark) => `\\${mark}`)}'`,
  ];
  return rules.filter((rule) => rule !== '').join(';');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Reads the own type; null: it is none. Another tab, or anybody's page, may have written it. */
export function readOwn(text: string): CopiedTable | null {
  try {
    return checkedTable(JSON.parse(text));
  } catch {
    return null;
  }
}

export function checkedTable(table: unknown): CopiedTable | null {
  if (!isRecord(table)) return null;
  const { id, document, locale, dateSystem, rows, columns, cells } = table;
  if (typeof id !== 'string' || typeof document !== 'string') return null;
  if (locale !== null && typeof locale !== 'string') return null;
  if (dateSystem !== 'google' && dateSystem !== '1900' && dateSystem !== '1904') return null;
  if (!areNumbers(rows) || !areNumbers(columns) || !Array.isArray(cells) || cells.length !== rows.length) return null;
  const isTable = cells.every(
    (line) => Array.isArray(line) && line.length === columns.length && line.every((cell) => isCopied(cell)),
  );
  return isTable ? (table as unknown as CopiedTable) : null;
}

function isCopied(cell: unknown): boolean {
  if (cell === null) return true;
  if (!isRecord(cell)) return false;
  const { m, v, f, error, format } = cell;
  const areTexts = [f, error, format].every((text) => text === undefined || typeof text === 'string');
  return typeof m === 'string' && areTexts && ['undefined', 'number', 'string', 'boolean'].includes(typeof v);
}

function areNumbers(list: unknown): list is readonly number[] {
  return Array.isArray(list) && list.every((item) => Number.isSafeInteger(item) && item >= 0);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
