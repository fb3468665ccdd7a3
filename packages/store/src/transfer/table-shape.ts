import { type SqlValue, StoreError } from '../database/database.ts';
import { ATTEMPTS, INVITATIONS, SESSIONS } from '../migrations/accounts.ts';
import { LEASES } from '../migrations/leases.ts';
import type { RecordedMigration } from '../migrations/migration-record.ts';
import { DELIVERY_TOTALS } from '../migrations/paged-lists.ts';
import { RATES } from '../migrations/request-rates.ts';

/**
 * Transfer of data between databases and files. The tables and columns are read from the database's catalogue, so that
 * tables of new migrations are included automatically.
 */

/** A table, described in the same form for both databases. */
export interface TableShape {
  readonly name: string;
  /** Columns ordered by name. */
  readonly columns: readonly ColumnShape[];
  /** Names of the primary key columns, in order. Rows are transferred in this order. */
  readonly key: readonly string[];
  /** True if the database numbers the rows (`id`) and never reuses a number. */
  readonly serial: boolean;
}

export interface ColumnShape {
  readonly name: string;
  readonly kind: ValueKind;
}

export type ValueKind = 'number' | 'text' | 'bytes';

/** Values in the order of the table's columns. */
export type TransferRow = readonly SqlValue[];

/** A row by column names. */
export type NamedRow = Readonly<Record<string, SqlValue>>;

/** Converts a row to an object by column names. */
export function toNamedRow({ columns }: Pick<TableShape, 'columns'>, row: TransferRow): NamedRow {
  return Object.fromEntries(columns.map(({ name }, i) => [name, row[i] ?? null]));
}

/** A source of rows; all rows are from one snapshot. Tables are read in order, each once. */
export interface TransferSource {
  /** The migrations that created its tables. */
  readonly migrations: readonly RecordedMigration[];
  readonly tables: readonly TableShape[];
  /** Greatest number of each serial table, by table name. */
  readonly serials: Readonly<Record<string, number>>;
  /** Number of rows of each table, by table name. */
  readonly counts: Readonly<Record<string, number>>;
  /** Returns all rows in batches, in key order. */
  rows(table: TableShape): AsyncIterable<readonly TransferRow[]>;
  close(): Promise<void>;
}

/** Number of rows of all tables. */
export function countRows({ counts }: Pick<TransferSource, 'counts'>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** A column from a database's catalogue. */
export interface CatalogueColumn {
  readonly table: string;
  readonly name: string;
  readonly kind: ValueKind;
  /** Position in the primary key, from 1; 0 if it is not part of it. */
  readonly place: number;
  readonly serial: boolean;
}

/**
 * Tables that are not transferred. The record of migrations is created by migrating. Request counts and leases belong
 * to one installation. Ended sessions and used invitations must not be restored by a backup. Totals are maintained by
 * triggers in the target.
 */
const EXCLUDED_TABLES: ReadonlySet<string> = new Set([
  'schema_migrations',
  RATES,
  LEASES,
  SESSIONS,
  INVITATIONS,
  ATTEMPTS,
  DELIVERY_TOTALS,
]);

/** Tables that other tables reference. They come first. */
const FIRST_TABLES = ['workspaces', 'users'];

/** Returns the transferred tables in an order in which they can be filled. */
export function toTableShapes(catalogue: readonly CatalogueColumn[]): readonly TableShape[] {
  const tables = Map.groupBy(
    catalogue.filter(({ table }) => !EXCLUDED_TABLES.has(table)),
    ({ table }) => table,
  );
  const shapes = [...tables].map(([name, columns]): TableShape => {
    const key = columns.filter(({ place }) => place > 0).toSorted((a, b) => a.place - b.place);
    return {
      name,
      columns: columns.map(({ name: column, kind }) => ({ name: column, kind })).toSorted(compareNames),
      key: key.map((column) => column.name),
      serial: columns.some(({ serial }) => serial),
    };
  });
  return shapes.toSorted((a, b) => rankTable(a) - rankTable(b) || compareNames(a, b));
}

/** The position of a table in the order of copying: tables that others refer to come first. */
function rankTable({ name }: TableShape): number {
  return FIRST_TABLES.includes(name) ? FIRST_TABLES.indexOf(name) : FIRST_TABLES.length;
}

function compareNames(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

/** Returns the SQL of a select of all rows in key order. */
export function buildSelectAllSql({ name, columns, key }: TableShape): string {
  return `select ${formatColumns(columns)} from "${name}" order by ${key.map((column) => `"${column}"`).join(', ')}`;
}

/** Returns the SQL of an insert of one row. */
export function buildInsertSql({ name, columns }: TableShape): string {
  return `insert into "${name}" (${formatColumns(columns)}) values (${columns.map(() => '?').join(', ')})`;
}

/** The quoted names of columns as an SQL list. */
function formatColumns(columns: readonly ColumnShape[]): string {
  return columns.map(({ name }) => `"${name}"`).join(', ');
}

/** Throws `StoreError` (`OTHER_SCHEMA`) if the tables differ, because the rows would not fit. */
export function checkShapes(sourceShapes: readonly TableShape[], targetShapes: readonly TableShape[]): void {
  const describeShapes = (tables: readonly TableShape[]) =>
    tables.map((table) => `${table.name} (${table.columns.map(({ name, kind }) => `${name} ${kind}`).join(', ')})`);
  const [source, target] = [describeShapes(sourceShapes), describeShapes(targetShapes)];
  const wrong = source.find((text, i) => text !== target[i]) ?? target[source.length];
  if (wrong !== undefined)
    throw new StoreError(`The data has other tables than this version creates: ${wrong}`, 'OTHER_SCHEMA');
}
