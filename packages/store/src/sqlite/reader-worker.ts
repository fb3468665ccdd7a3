import { parentPort, workerData } from 'node:worker_threads';
import type { Query } from '../database/database.ts';
import { SQLITE_READER_CACHE_KIB } from '../database/limits.ts';
import { SqliteConnection } from './connection.ts';
import { readSnapshot } from './snapshot.ts';

/** Requests to the thread of long reads. */
export type ReaderRequest =
  | { readonly kind: 'rows'; readonly queries: readonly Query<unknown>[] }
  /** Runs a query and keeps its rows as a numbered list. */
  | { readonly kind: 'begin'; readonly list: number; readonly query: Query<unknown> }
  /** Requests the next `size` rows of a list. */
  | { readonly kind: 'next'; readonly list: number; readonly size: number }
  | { readonly kind: 'end'; readonly list: number };

export type ReaderAnswer = { readonly rows: readonly unknown[] } | { readonly error: string; readonly code: string };

/** Rows that have not been fetched yet, by list number, in reverse order. */
const lists = new Map<number, unknown[]>();
const connection = new SqliteConnection((workerData as { readonly file: string }).file, SQLITE_READER_CACHE_KIB);
connection.db.pragma('query_only = ON');

parentPort?.on('message', (request: ReaderRequest | null) => {
  if (request === null) {
    connection.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(answerRequest(request));
});

function answerRequest(request: ReaderRequest): ReaderAnswer {
  try {
    return { rows: readRequestedRows(request) };
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    return { error: message, code: code ?? 'READ_FAILED' };
  }
}

/**
 * The rows for a request: of queries, or the next batch of a list that stays open between requests. Empty for requests
 * that begin or end a list.
 */
function readRequestedRows(request: ReaderRequest): readonly unknown[] {
  if (request.kind === 'rows') return readSnapshot(connection, request.queries);
  if (request.kind === 'begin') {
    lists.set(request.list, connection.readRows(request.query.sql, request.query.parameters).toReversed());
    return [];
  }
  if (request.kind === 'end') {
    lists.delete(request.list);
    return [];
  }
  const queuedRows = lists.get(request.list) ?? [];
  return queuedRows.splice(Math.max(0, queuedRows.length - request.size)).toReversed();
}
