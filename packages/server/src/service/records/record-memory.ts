import { RecordIndexes } from '@cellwire/engine';
import { FOUND_ROWS_OVERHEAD_BYTES, MAX_FOUND_ROWS_BYTES, MAX_INDEXED_RECORDS } from '../../limits/records.ts';
import { PublishedStates } from '../changes/published-states.ts';

/** Caches of this process for repeated searches of records. Everything in them can be computed again. */
export class RecordMemory {
  readonly indexes = new RecordIndexes(MAX_INDEXED_RECORDS);
  /** The states at which the next publication of changed records and cells starts. */
  readonly publishedStates = new PublishedStates();
  /** Rows that queries found, by commit and query, in least-recently-used order. */
  private readonly rowsByQuery = new Map<string, Uint32Array>();
  private bytes = 0;

  /** The rows that a query found at a commit; null: not cached. */
  findRows(key: string): Uint32Array | null {
    const rows = this.rowsByQuery.get(key) ?? null;
    if (rows !== null) {
      this.rowsByQuery.delete(key);
      this.rowsByQuery.set(key, rows);
    }
    return rows;
  }

  /** Keeps the rows that a query found. Evicts the oldest entries above the limit of bytes. */
  cacheRows(key: string, rows: Uint32Array): void {
    this.evictRows(key);
    this.rowsByQuery.set(key, rows);
    this.bytes += estimateEntryBytes(key, rows);
    for (const oldest of this.rowsByQuery.keys()) {
      if (this.bytes <= MAX_FOUND_ROWS_BYTES) return;
      this.evictRows(oldest);
    }
  }

  private evictRows(key: string): void {
    const rows = this.rowsByQuery.get(key);
    if (rows === undefined) return;
    this.rowsByQuery.delete(key);
    this.bytes -= estimateEntryBytes(key, rows);
  }
}

/** Approximate memory of a cached result. A query that finds no rows also takes memory, for its key. */
function estimateEntryBytes(key: string, rows: Uint32Array): number {
  return key.length * 2 + rows.byteLength + FOUND_ROWS_OVERHEAD_BYTES;
}
