import { nameKey } from '../formula/index.ts';
import { columnName } from '../grid/a1.ts';
import type { Area, OpenArea } from '../grid/area.ts';
import type { Column, Sheet, Snapshot } from '../sheet/snapshot.ts';
import { isError } from '../value/scalar.ts';
import { dateText } from './dates.ts';

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
  const { top, left, bottom, right } = withinUsed(sheet, area);
  const known = new Map<string, number>();
  const written: (string | null)[] = [];
  for (let column = left; column <= right; column++) {
    const name = named.get(column) ?? headerText(snapshot, sheet, top, column);
    written.push(name);
    if (name === null) continue;
    const key = columnKey(name);
    const twin = known.get(key);
    if (twin !== undefined) return { kind: 'duplicate', name, letters: [columnName(twin), columnName(column)] };
    known.set(key, column);
  }
  const columns = written.map((own, at): RecordColumn => {
    const name = own ?? freeLetter(left + at, known);
    return { name, key: columnKey(name), column: left + at };
  });
  return { sheet: sheet.id, columns, header: top, end: Math.max(bottom, top) + 1 };
}

/** What a column without a header is called: its letter, with `$` before it for as long as another one is called so. */
function freeLetter(column: number, known: ReadonlyMap<string, number>): string {
  let name = columnName(column);
  while (known.has(columnKey(name))) name = `$${name}`;
  return name;
}

const NONE_NAMED: ReadonlyMap<number, string> = new Map();

/** Without the rows and columns beyond what the sheet holds, as far as the area's sides are open; no row beyond in any case. */
function withinUsed(sheet: Sheet, { top, left, bottom, right, openColumns }: OpenArea): Area {
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
  return dateText(snapshot, value, sheet.format(row, column)) ?? String(value);
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
