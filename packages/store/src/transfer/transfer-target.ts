import type { Database, Query, Statement } from '../database/database.ts';
import type { RecordedMigration } from '../migrations/migration-record.ts';
import type { RowSink } from './copy.ts';
import type { TableShape, TransferRow } from './table-shape.ts';

/** An empty location that is being filled. Its content becomes visible by `finish`. */
export interface TransferTarget extends RowSink {
  /**
   * Creates the tables of the given migrations, without rows. Rejects with `StoreError`: `NEWER_SCHEMA` or
   * `FOREIGN_SCHEMA` if this version does not know a migration.
   */
  prepare(migrations: readonly RecordedMigration[]): Promise<readonly TableShape[]>;
  /** Migrates the tables to this version. */
  update(): Promise<void>;
  /** Reads the current content. */
  readonly reader: Pick<Database, 'readAll'>;
  write(statement: Statement): Promise<void>;
  /** Moves everything into place and syncs it to disk. */
  finish(): Promise<void>;
  /** Discards everything. */
  abandon(): Promise<void>;
}

/** A snapshot of the database. */
export interface TransferSnapshot {
  /** Rows of a query that returns the columns of `table`, in batches. */
  rows(table: Pick<TableShape, 'columns'>, query: Query<unknown>): AsyncIterable<readonly TransferRow[]>;
  close(): Promise<void>;
}
