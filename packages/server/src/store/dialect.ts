import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Schema } from './schema.ts';

/**
 * What differs between SQLite and other databases, in one place: how statements are compiled and what column types are
 * called. Everything else in this folder but `sqlite*.ts` is meant to be portable SQL.
 */

/** Builds and compiles statements; it has no connection. The `Database` runs what it compiles. */
export const sql: Kysely<Schema> = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** Names of column types in the migrations. */
export interface ColumnTypes {
  /** An integer key that the database numbers upward and never uses twice. */
  readonly serial: string;
  /** A whole number up to 2^53. */
  readonly long: string;
  readonly bytes: string;
  /** Ends a table that is stored in the order of its primary key; for tables of small rows. */
  readonly clustered: string;
}

export const SQLITE_TYPES: ColumnTypes = {
  serial: 'integer primary key autoincrement',
  long: 'integer',
  bytes: 'blob',
  clustered: ' without rowid',
};
