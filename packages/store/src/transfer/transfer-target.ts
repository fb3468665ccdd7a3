import type { Database, Query, Statement } from '../database/database.ts';
import type { RecordedMigration } from '../migrations/record.ts';
import type { RowSink } from './copy.ts';
import type { TableShape, TransferRow } from './table-shape.ts';

/** An empty place that is being filled: nobody sees what is in it before `finish`. */
export interface TransferTarget extends RowSink {
  /**
   * Makes the tables of the given migrations, without a row. Rejects with `StoreError`: `NEWER_SCHEMA` or
   * `FOREIGN_SCHEMA` where these are not known here.
   */
  prepare(migrations: readonly RecordedMigration[]): Promise<readonly TableShape[]>;
  /** Brings the tables up to this version. */
  update(): Promise<void>;
  /** Reads what is in it by now. */
  readonly reader: Pick<Database, 'readAll'>;
  write(statement: Statement): Promise<void>;
  /** Puts everything in its place, on the disk. */
  finish(): Promise<void>;
  /** Leaves the place as it was. */
  abandon(): Promise<void>;
}

/** The database as it is at one moment, for as long as it is read. */
export interface TransferSnapshot {
  /** Rows of a query that gives the columns of `table`, some at a time. */
  rows(table: Pick<TableShape, 'columns'>, query: Query<unknown>): AsyncIterable<readonly TransferRow[]>;
  close(): Promise<void>;
}
