import { finishRows, type Query, type RowsOf, type StoreSnapshot } from '../database/database.ts';
import { SQLITE_READER_CACHE_KIB } from '../database/limits.ts';
import { SqliteConnection } from './connection.ts';

/** Runs several queries on one snapshot of the database. */
export function readSnapshot<const Queries extends readonly Query<unknown>[]>(
  connection: SqliteConnection,
  queries: Queries,
): RowsOf<Queries> {
  connection.runStatement('begin');
  try {
    return queries.map((query) =>
      finishRows(query, connection.readRows(query.sql, query.parameters)),
    ) as unknown as RowsOf<Queries>;
  } finally {
    connection.runStatement('commit');
  }
}

/** Opens the present moment of a database file with a connection of its own. */
export function openSnapshot(file: string): StoreSnapshot {
  const connection = new SqliteConnection(file, SQLITE_READER_CACHE_KIB);
  try {
    connection.db.pragma('query_only = ON');
    connection.runStatement('begin');
    // The transaction begins to see one moment at its first read.
    connection.readRows('select count(*) from sqlite_schema');
  } catch (error) {
    connection.close();
    throw error;
  }
  return {
    read: (query) => finishRows(query, connection.readRows(query.sql, query.parameters)),
    close: () => connection.close(),
  };
}
