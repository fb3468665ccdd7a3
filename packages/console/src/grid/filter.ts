import { cellText, columnName, quoteSheetName } from '@cellwire/engine';
import { API, type Failure } from '../data/http.ts';
import { t } from '../text/index.ts';
import type { Desk } from './desk.ts';
import { askValues, type Conditions, testOfAll } from './filter-conditions.ts';

/** What a column has to show in the rows that a filter leaves. */
interface FilteredColumn {
  readonly column: number;
  /** One of these texts, or what fits conditions. */
  readonly wanted: ReadonlySet<string> | Conditions;
  /** Rows with such a cell, sorted. */
  readonly rows: readonly number[];
}

/** Rows of a sheet that one person looks at, for now: nothing of the document is changed. */
export interface Filter {
  readonly sheet: string;
  readonly columns: readonly FilteredColumn[];
  /** Rows that fit all columns, sorted; the first row is a heading, and always shown. */
  readonly rows: readonly number[];
  /** Rows that were in use when it was made: what is below them is shown. */
  readonly count: number;
}

/** What a column's cells show below its heading, from the second row on. */
export async function columnTexts(desk: Desk, column: number): Promise<readonly string[] | Failure> {
  const cells = await columnCells(desk, column, 'display');
  return 'ok' in cells ? cells : cells.map((text) => String(text ?? ''));
}

async function columnCells(
  desk: Desk,
  column: number,
  render: 'display' | 'plain',
): Promise<readonly unknown[] | Failure> {
  const { rows } = desk.sheet.shape;
  if (rows < 2) return [];
  const name = columnName(column);
  const range = `${quoteSheetName(desk.state.sheet)}!${name}2:${cellText(rows - 1, column)}`;
  const path = `${API}/documents/${desk.book.id}/values/${encodeURIComponent(range)}?render=${render}`;
  const response = await fetch(path, { headers: { accept: 'application/x-ndjson' } }).catch(() => null);
  if (response?.ok !== true) return { ok: false, status: response?.status ?? 0, message: '', errors: {}, body: {} };
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const cells: unknown = JSON.parse(line);
    return Array.isArray(cells) ? cells[0] : null;
  });
}

/** Leaves rows whose cell of a column shows one of some texts, beside what other columns' filters ask. */
export function filterColumn(desk: Desk, column: number, shown: readonly string[], texts: ReadonlySet<string>): void {
  showBeside(desk, { column, wanted: texts, rows: rowsWhere(shown, (text) => texts.has(text)) });
}

/** The same of rows whose cell fits conditions. A text says what is wrong with them. */
export async function filterByConditions(
  desk: Desk,
  column: number,
  shown: readonly string[],
  conditions: Conditions,
): Promise<Failure | string | null> {
  const { locale, dateSystem } = desk.book;
  const fits = testOfAll(conditions, locale ?? 'en-US', dateSystem);
  if (fits === null) return t.filter.incomplete;
  const values = askValues(conditions) ? await columnCells(desk, column, 'plain') : shown;
  if ('ok' in values) return values;
  const rows = rowsWhere(shown, (text, i) => fits({ text, value: values[i] }));
  showBeside(desk, { column, wanted: conditions, rows });
  return null;
}

/** Asks nothing of a column any more. */
export function endColumnFilter(desk: Desk, column: number): void {
  const others = otherColumns(desk, column);
  if (others.length === 0) endFilter(desk);
  else showColumns(desk, others);
}

function rowsWhere(shown: readonly string[], fits: (text: string, i: number) => boolean): readonly number[] {
  return shown.flatMap((text, i) => (fits(text, i) ? [i + 1] : []));
}

function otherColumns({ state: { sheet, filter } }: Desk, column: number): readonly FilteredColumn[] {
  return filter?.sheet === sheet ? filter.columns.filter((one) => one.column !== column) : [];
}

function showBeside(desk: Desk, column: FilteredColumn): void {
  showColumns(desk, [...otherColumns(desk, column.column), column]);
}

function showColumns(desk: Desk, columns: readonly FilteredColumn[]): void {
  const rows = columns.map((one) => one.rows).reduce(inBoth);
  show(desk, { sheet: desk.state.sheet, columns, rows, count: desk.sheet.shape.rows });
}

export function endFilter(desk: Desk): void {
  show(desk, null);
}

/** Leaves the rows that show what the active cell does. */
export async function filterBySelection(desk: Desk): Promise<Failure | null> {
  const { sheet, selection } = desk.state;
  const { row, column } = selection.active;
  const shown = await columnTexts(desk, column);
  if ('ok' in shown) return shown;
  // Who has gone to another sheet meanwhile filters nothing there.
  if (desk.state.sheet !== sheet) return null;
  filterColumn(desk, column, shown, new Set([shown[row - 1] ?? desk.cell(selection.active)?.m ?? '']));
  return null;
}

/** How often each text stands there, in the order of people's lists. */
export function counted(texts: readonly string[]): readonly (readonly [text: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const order = new Intl.Collator(undefined, { numeric: true });
  return [...counts].sort(([a], [b]) => order.compare(a, b));
}

function show(desk: Desk, filter: Filter | null): void {
  desk.become({ filter, statistics: null });
  desk.view?.setShape(desk.shape);
  desk.leaveHiddenRow();
}

function inBoth(a: readonly number[], b: readonly number[]): readonly number[] {
  const among = new Set(b);
  return a.filter((row) => among.has(row));
}
