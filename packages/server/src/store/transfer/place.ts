import type { Database, Query, Statement } from '../database.ts';
import type { StoreLocation } from '../location.ts';
import type { Recorded } from '../migration-record.ts';
import type { Filling } from './copy.ts';
import type { Row, Source, TableShape } from './shape.ts';

/** An empty place that is being filled: nobody sees what is in it before `finish`. */
export interface Target extends Filling {
  /**
   * Makes the tables of the given migrations, without a row. Rejects with `StoreError`: `NEWER_SCHEMA` or
   * `FOREIGN_SCHEMA` where these are not known here.
   */
  prepare(migrations: readonly Recorded[]): Promise<readonly TableShape[]>;
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

/**
 * Opens what there is for reading, as it is at this moment. `alone`: nobody else uses it, and nobody may until it is
 * closed. Rejects with `StoreError`: `NO_DATA`; `IN_USE` where somebody does.
 */
export async function openSource(location: StoreLocation, alone: boolean): Promise<Source> {
  if (location.kind === 'sqlite') return (await import('./sqlite-place.ts')).sqliteSource(location.folder, alone);
  return (await import('./postgres-place.ts')).postgresSource(location.url, alone);
}

/** The database as it is at one moment, for as long as it is read. */
export interface Moment {
  /** Rows of a query that gives the columns of `table`, some at a time. */
  rows(table: Pick<TableShape, 'columns'>, query: Query<unknown>): AsyncIterable<readonly Row[]>;
  close(): Promise<void>;
}

/** Opens what there is for reading some of it, beside whoever uses it. Rejects with `StoreError` (`NO_DATA`). */
export async function openMoment(location: StoreLocation): Promise<Moment> {
  if (location.kind === 'sqlite') return (await import('./sqlite-place.ts')).sqliteMoment(location.folder);
  return (await import('./postgres-place.ts')).postgresMoment(location.url);
}

/** Opens an empty place. Rejects with `StoreError`: `NOT_EMPTY`; `IN_USE` where somebody uses it. */
export async function openTarget(location: StoreLocation): Promise<Target> {
  if (location.kind === 'sqlite') return (await import('./sqlite-place.ts')).sqliteTarget(location.folder);
  return (await import('./postgres-place.ts')).postgresTarget(location.url);
}
