import { RecordIndexes } from '@cellwire/engine';
import { MAX_FOUND_ROWS, MAX_INDEXED_RECORDS } from '../../limits/records.ts';
import { PublishedStates } from '../changes/published-states.ts';

/** Caches of this process that find records again. Everything in them can be computed again. */
export class RecordMemory {
  readonly indexes = new RecordIndexes(MAX_INDEXED_RECORDS);
  /** The states at which the next publication of changed records and cells starts. */
  readonly publishedStates = new PublishedStates();
  /** Rows that queries found, by commit and query, in least-recently-used order. */
  private readonly rowsByQuery = new Map<string, Uint32Array>();
  private rows = 0;

  /** The rows that a query found at a commit; null: not cached. */
  foundRows(key: string): Uint32Array | null {
    const rows = this.rowsByQuery.get(key) ?? null;
    if (rows !== null) {
      this.rowsByQuery.delete(key);
      this.rowsByQuery.set(key, rows);
    }
    return rows;
  }

  remember(key: string, rows: Uint32Array): void {
    this.rows += rows.length - (this.rowsByQuery.get(key)?.length ?? 0);
    this.rowsByQuery.delete(key);
    this.rowsByQuery.set(key, rows);
    for (const [oldest, oldestRows] of this.rowsByQuery) {
      if (this.rows <= MAX_FOUND_ROWS) return;
      this.rowsByQuery.delete(oldest);
      this.rows -= oldestRows.length;
    }
  }
}
