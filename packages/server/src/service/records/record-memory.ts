import { RecordIndexes } from '@cellwire/engine';
import { MAX_FOUND_ROWS, MAX_INDEXED_RECORDS } from '../../limits/records.ts';
import { PublishedStates } from '../changes/published-states.ts';

/** What this process remembers of records to find them again: nothing that could not be found anew. */
export class RecordMemory {
  readonly indexes = new RecordIndexes(MAX_INDEXED_RECORDS);
  /** Where telling of changed records and cells begins. */
  readonly publishedStates = new PublishedStates();
  /** Rows that queries have found, by commit and query, the ones used last at the end. */
  private readonly found = new Map<string, Uint32Array>();
  private rows = 0;

  /** What a query has found at a commit; null: it is not remembered. */
  foundRows(key: string): Uint32Array | null {
    const rows = this.found.get(key) ?? null;
    if (rows !== null) {
      this.found.delete(key);
      this.found.set(key, rows);
    }
    return rows;
  }

  remember(key: string, rows: Uint32Array): void {
    this.rows += rows.length - (this.found.get(key)?.length ?? 0);
    this.found.delete(key);
    this.found.set(key, rows);
    for (const [oldest, held] of this.found) {
      if (this.rows <= MAX_FOUND_ROWS) return;
      this.found.delete(oldest);
      this.rows -= held.length;
    }
  }
}
