import { nameKey } from '../formula/index.ts';
import { columnName } from '../grid/a1.ts';
import type { Area, OpenArea } from '../grid/area.ts';
import { MAX_COLUMNS } from '../grid/limits.ts';
import { runToEnd } from '../grid/steps.ts';
import type { Column, Sheet, Snapshot } from '../sheet/snapshot.ts';
import { isError } from '../value/scalar.ts';
import { formatMomentText } from './dates.ts';

/** A column of records. */
export interface RecordColumn {
  /**
   * The header's text. If the header is blank, the letter of the column, preceded by `$` if another header has that
   * text.
   */
  readonly name: string;
  /** Key of the name; equal for all spellings. */
  readonly key: string;
  /** Column of the sheet, zero-based. */
  readonly column: number;
}

/** Rows of a sheet as records: a header that names the columns, and the rows below it. */
export interface Region {
  readonly sheet: number;
  readonly columns: readonly RecordColumn[];
  /** The header's row, zero-based. */
  readonly header: number;
  /** One past the last row that can contain a record. Later rows are empty or outside the range. */
  readonly end: number;
}

/** Two columns with the same header. */
export interface DuplicateColumn {
  readonly kind: 'duplicate';
  readonly name: string;
  /** Letters of the two columns. */
  readonly letters: readonly [string, string];
}

/** Returns the key of a column's name, which is equal for all spellings. Ignores letter case and surrounding blanks. */
export function columnKey(name: string): string {
  return nameKey(name.trim());
}

/**
 * Returns the records of an area whose first row is the header. `named`: names that replace the header's names, by
 * column number.
 */
export function readRegion(
  snapshot: Snapshot,
  sheet: Sheet,
  area: OpenArea,
  named: ReadonlyMap<number, string> = NONE_NAMED,
): Region | DuplicateColumn {
  return runToEnd(readRegionInSteps(snapshot, sheet, area, named));
}

/** Columns between two pauses. */
const COLUMNS_PER_STEP = 256;

/**
 * Reads the region that `readRegion` returns. Pauses regularly. Headers are cached with their columns, so the next call
 * is fast.
 */
export function* readRegionInSteps(
  snapshot: Snapshot,
  sheet: Sheet,
  area: OpenArea,
  named: ReadonlyMap<number, string> = NONE_NAMED,
): Generator<void, Region | DuplicateColumn> {
  const { top, left, bottom, right } = clipToUsed(sheet, area);
  const columnByKey = new Map<string, number>();
  const written: (ColumnHeader | null)[] = [];
  for (let column = left; column <= right; column++) {
    if (column % COLUMNS_PER_STEP === COLUMNS_PER_STEP - 1) yield;
    const given = named.get(column);
    const header = given === undefined ? readHeader(snapshot, sheet, top, column) : createHeader(given);
    written.push(header);
    if (header === null) continue;
    const { name, key } = header;
    const twin = columnByKey.get(key);
    if (twin !== undefined) return { kind: 'duplicate', name, letters: [columnName(twin), columnName(column)] };
    columnByKey.set(key, column);
  }
  const columns: RecordColumn[] = [];
  for (const [at, header] of written.entries()) {
    if (at % COLUMNS_PER_STEP === COLUMNS_PER_STEP - 1) yield;
    const { name, key } = header ?? createHeader(findFreeLetter(left + at, columnByKey));
    columns.push({ name, key, column: left + at });
  }
  return { sheet: sheet.id, columns, header: top, end: Math.max(bottom, top) + 1 };
}

/** The name of a column. */
type ColumnHeader = Pick<RecordColumn, 'name' | 'key'>;

/** The name of a column and its key. */
function createHeader(name: string): ColumnHeader {
  return { name, key: columnKey(name) };
}

/** The last header of each column. A published column never changes. */
const headers = new WeakMap<
  Column,
  { readonly row: number; readonly settings: Snapshot['settings']; readonly header: ColumnHeader | null }
>();

/** Reads the header of a column; null if it is blank. */
function readHeader(snapshot: Snapshot, sheet: Sheet, row: number, index: number): ColumnHeader | null {
  const column = sheet.columns[index];
  if (column === undefined) return null;
  const cached = headers.get(column);
  if (cached?.row === row && cached.settings === snapshot.settings) return cached.header;
  const name = readHeaderText(snapshot, sheet, row, index);
  const header = name === null ? null : createHeader(name);
  headers.set(column, { row, settings: snapshot.settings, header });
  return header;
}

/**
 * Returns the name of a column without a header: its letter, preceded by as many `$` as are needed to make it unique.
 */
function findFreeLetter(column: number, columnByKey: ReadonlyMap<string, number>): string {
  let name = columnName(column);
  while (columnByKey.has(columnKey(name))) name = `$${name}`;
  return name;
}

const NONE_NAMED: ReadonlyMap<number, string> = new Map();

/**
 * Clips an area to the used rows. If it is open on the right or extends to the last column of the grid, also clips it
 * to the used columns, because every record would otherwise have 16,384 fields.
 */
function clipToUsed(sheet: Sheet, { top, left, bottom, right, openColumns }: OpenArea): Area {
  const extent = sheet.extent();
  const isOpen = openColumns || right === MAX_COLUMNS - 1;
  return { top, left, bottom: Math.min(bottom, extent.rows - 1), right: isOpen ? extent.columns - 1 : right };
}

/** The displayed text of a header; null if it is blank. */
function readHeaderText(snapshot: Snapshot, sheet: Sheet, row: number, column: number): string | null {
  const value = sheet.value(row, column);
  if (value === null) return null;
  if (isError(value)) return value.code;
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'string') return value.trim() || null;
  return formatMomentText(snapshot, value, sheet.format(row, column)) ?? String(value);
}

/** True if two regions have the same header at the same position. Data prepared for one is then valid for the other. */
export function isSameHeader(a: Region, b: Region): boolean {
  return (
    a.sheet === b.sheet &&
    a.header === b.header &&
    a.columns.length === b.columns.length &&
    a.columns.every(({ name, column }, i) => b.columns[i]?.name === name && b.columns[i]?.column === column)
  );
}

/** Returns a column of the region by index; undefined if none of its cells was ever written. */
export function findColumn(snapshot: Snapshot, { sheet, columns }: Region, columnIndex: number): Column | undefined {
  return snapshot.sheetById(sheet)?.columns[columns[columnIndex]?.column ?? -1];
}
