import { nameKey } from '../formula/index.ts';
import { columnName } from '../grid/a1.ts';
import type { Area, OpenArea } from '../grid/area.ts';
import { runToEnd } from '../grid/steps.ts';
import type { Column, Sheet, Snapshot } from '../sheet/snapshot.ts';
import { isError } from '../value/scalar.ts';
import { momentText } from './dates.ts';

/** A column of records. */
export interface RecordColumn {
  /** The header's text; where that is blank the column's letter, after `$` where a header reads so. */
  readonly name: string;
  /** What all spellings of the name share. */
  readonly key: string;
  /** Of the sheet, from 0. */
  readonly column: number;
}

/** Rows of a sheet as records: a header that names the columns, and the rows below it. */
export interface Region {
  readonly sheet: number;
  readonly columns: readonly RecordColumn[];
  /** The header's row, from 0. */
  readonly header: number;
  /** One past the last row that can hold a record: rows beyond it are empty, or not of the range. */
  readonly end: number;
}

/** Two columns with headers of one name. */
export interface DuplicateColumn {
  readonly kind: 'duplicate';
  readonly name: string;
  /** Their letters. */
  readonly letters: readonly [string, string];
}

/** What all spellings of a column's name share: neither letter case nor blanks around it tell names apart. */
export function columnKey(name: string): string {
  return nameKey(name.trim());
}

/** The records of an area, whose first row is the header. `named`: names of columns, by their number, that count in place of the header's. */
export function readRegion(
  snapshot: Snapshot,
  sheet: Sheet,
  area: OpenArea,
  named: ReadonlyMap<number, string> = NONE_NAMED,
): Region | DuplicateColumn {
  return runToEnd(regionSteps(snapshot, sheet, area, named));
}

/** Columns between two pauses. */
const COLUMNS_PER_STEP = 256;

/** The same with pauses now and then. What a column's header says is kept with the column, so the next time is quick. */
export function* regionSteps(
  snapshot: Snapshot,
  sheet: Sheet,
  area: OpenArea,
  named: ReadonlyMap<number, string> = NONE_NAMED,
): Generator<void, Region | DuplicateColumn> {
  const { top, left, bottom, right } = clipToUsed(sheet, area);
  const known = new Map<string, number>();
  const written: (Header | null)[] = [];
  for (let column = left; column <= right; column++) {
    if (column % COLUMNS_PER_STEP === COLUMNS_PER_STEP - 1) yield;
    const given = named.get(column);
    const header = given === undefined ? readHeader(snapshot, sheet, top, column) : headerFromName(given);
    written.push(header);
    if (header === null) continue;
    const { name, key } = header;
    const twin = known.get(key);
    if (twin !== undefined) return { kind: 'duplicate', name, letters: [columnName(twin), columnName(column)] };
    known.set(key, column);
  }
  const columns: RecordColumn[] = [];
  for (const [at, own] of written.entries()) {
    if (at % COLUMNS_PER_STEP === COLUMNS_PER_STEP - 1) yield;
    const { name, key } = own ?? headerFromName(freeLetter(left + at, known));
    columns.push({ name, key, column: left + at });
  }
  return { sheet: sheet.id, columns, header: top, end: Math.max(bottom, top) + 1 };
}

/** What a column is called. */
type Header = Pick<RecordColumn, 'name' | 'key'>;

function headerFromName(name: string): Header {
  return { name, key: columnKey(name) };
}

/** The headers of columns that were asked for last: a published column never changes its answers. */
const headers = new WeakMap<
  Column,
  { readonly row: number; readonly of: Snapshot['settings']; readonly header: Header | null }
>();

/** Null for a blank one. */
function readHeader(snapshot: Snapshot, sheet: Sheet, row: number, index: number): Header | null {
  const column = sheet.columns[index];
  if (column === undefined) return null;
  const known = headers.get(column);
  if (known?.row === row && known.of === snapshot.settings) return known.header;
  const name = headerText(snapshot, sheet, row, index);
  const header = name === null ? null : headerFromName(name);
  headers.set(column, { row, of: snapshot.settings, header });
  return header;
}

/** What a column without a header is called: its letter, with `$` before it for as long as another one is called so. */
function freeLetter(column: number, known: ReadonlyMap<string, number>): string {
  let name = columnName(column);
  while (known.has(columnKey(name))) name = `$${name}`;
  return name;
}

const NONE_NAMED: ReadonlyMap<number, string> = new Map();

/** Without the rows and columns beyond what the sheet holds, as far as the area's sides are open; no row beyond in any case. */
function clipToUsed(sheet: Sheet, { top, left, bottom, right, openColumns }: OpenArea): Area {
  const used = sheet.extent();
  return { top, left, bottom: Math.min(bottom, used.rows - 1), right: openColumns ? used.columns - 1 : right };
}

/** Null for a blank one. */
function headerText(snapshot: Snapshot, sheet: Sheet, row: number, column: number): string | null {
  const value = sheet.value(row, column);
  if (value === null) return null;
  if (isError(value)) return value.code;
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'string') return value.trim() || null;
  return momentText(snapshot, value, sheet.format(row, column)) ?? String(value);
}

/** Whether two regions have the same header at the same place: what was made for one then holds for the other. */
export function isSameHeader(a: Region, b: Region): boolean {
  return (
    a.sheet === b.sheet &&
    a.header === b.header &&
    a.columns.length === b.columns.length &&
    a.columns.every(({ name, column }, i) => b.columns[i]?.name === name && b.columns[i]?.column === column)
  );
}

/** A column of the region by its place; undefined where nothing was ever written to it. */
export function columnOf(snapshot: Snapshot, { sheet, columns }: Region, at: number): Column | undefined {
  return snapshot.sheetById(sheet)?.columns[columns[at]?.column ?? -1];
}
