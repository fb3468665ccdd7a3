import { type SqlValue, StoreError } from '../database/database.ts';
import { ATTEMPTS, INVITATIONS, SESSIONS } from '../migrations/accounts.ts';
import { LEASES } from '../migrations/leases.ts';
import { DELIVERY_TOTALS } from '../migrations/lists.ts';
import { RATES } from '../migrations/rates.ts';
import type { RecordedMigration } from '../migrations/record.ts';

/**
 * Carrying data from one database to another, or to a file and back. What there is to carry is read from the databases
 * themselves, so that a table or column that a migration adds is carried without anybody's thinking of it.
 */

/** A table as both databases have it. */
export interface TableShape {
  readonly name: string;
  /** By name. */
  readonly columns: readonly ColumnShape[];
  /** Names of the columns of its primary key, in order: rows are carried in the order of it. */
  readonly key: readonly string[];
  /** Whether the database numbers its rows (`id`) and never uses a number twice. */
  readonly serial: boolean;
}

export interface ColumnShape {
  readonly name: string;
  readonly kind: ValueKind;
}

export type ValueKind = 'number' | 'text' | 'bytes';

/** Values in the order of the table's columns. */
export type TransferRow = readonly SqlValue[];

/** A row by the names of its columns. */
export function namedRow(
  { columns }: Pick<TableShape, 'columns'>,
  row: TransferRow,
): Readonly<Record<string, SqlValue>> {
  return Object.fromEntries(columns.map(({ name }, i) => [name, row[i] ?? null]));
}

/** Where rows come from: all of one moment. Tables are read in their order, each once. */
export interface TransferSource {
  /** The migrations that made its tables. */
  readonly migrations: readonly RecordedMigration[];
  readonly tables: readonly TableShape[];
  /** The greatest number that each serial table has given, by its name. */
  readonly serials: Readonly<Record<string, number>>;
  /** Rows of each table, by its name. */
  readonly counts: Readonly<Record<string, number>>;
  /** In the order of the key, some at a time. */
  rows(table: TableShape): AsyncIterable<readonly TransferRow[]>;
  close(): Promise<void>;
}

/** Rows of all tables. */
export function countRows({ counts }: Pick<TransferSource, 'counts'>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** One column as a database's catalogue tells it. */
export interface CatalogueColumn {
  readonly table: string;
  readonly name: string;
  readonly kind: ValueKind;
  /** Its place in the primary key from 1 on; 0: none. */
  readonly place: number;
  readonly serial: boolean;
}

/**
 * The record of migrations is made by migrating; requests of the running second, and who works, are of the place itself.
 * A backup must not bring back sessions that were ended since, or invitations that were used. Totals are kept by
 * triggers, here as there.
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

/** Tables that others refer to come first. */
const FIRST_TABLES = ['workspaces', 'users'];

/** The tables that are carried, in the order in which they can be filled. */
export function tableShapes(found: readonly CatalogueColumn[]): readonly TableShape[] {
  const tables = Map.groupBy(
    found.filter(({ table }) => !EXCLUDED_TABLES.has(table)),
    ({ table }) => table,
  );
  const shapes = [...tables].map(([name, columns]): TableShape => {
    const key = columns.filter(({ place }) => place > 0).toSorted((a, b) => a.place - b.place);
    return {
      name,
      columns: columns.map(({ name: column, kind }) => ({ name: column, kind })).toSorted(byName),
      key: key.map((column) => column.name),
      serial: columns.some(({ serial }) => serial),
    };
  });
  return shapes.toSorted((a, b) => rank(a) - rank(b) || byName(a, b));
}

function rank({ name }: TableShape): number {
  return FIRST_TABLES.includes(name) ? FIRST_TABLES.indexOf(name) : FIRST_TABLES.length;
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

/** Text of a select of all rows in the order of the key. */
export function selectAll({ name, columns, key }: TableShape): string {
  return `select ${columnList(columns)} from "${name}" order by ${key.map((column) => `"${column}"`).join(', ')}`;
}

/** Text of an insert of one row. */
export function insertOne({ name, columns }: TableShape): string {
  return `insert into "${name}" (${columnList(columns)}) values (${columns.map(() => '?').join(', ')})`;
}

function columnList(columns: readonly ColumnShape[]): string {
  return columns.map(({ name }) => `"${name}"`).join(', ');
}

/** Throws `StoreError` (`OTHER_SCHEMA`) where tables are not the same: rows would not fit. */
export function checkShapes(from: readonly TableShape[], to: readonly TableShape[]): void {
  const described = (tables: readonly TableShape[]) =>
    tables.map((table) => `${table.name} (${table.columns.map(({ name, kind }) => `${name} ${kind}`).join(', ')})`);
  const [given, known] = [described(from), described(to)];
  const wrong = given.find((text, i) => text !== known[i]) ?? known[given.length];
  if (wrong !== undefined)
    throw new StoreError(`The data has other tables than this version makes: ${wrong}`, 'OTHER_SCHEMA');
}
