import { finishRows, type Query, type RowsOf } from '../database/database.ts';
import type { SqliteConnection } from './connection.ts';

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
