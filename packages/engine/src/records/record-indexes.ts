import { CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Column } from '../sheet/snapshot.ts';
import { ColumnHashes } from './column-hashes.ts';

/** Requests for a column before it gets an index. Building one takes as long as a few searches. */
const REQUESTS_BEFORE_INDEX = 3;
/** Maximum number of columns whose requests are counted. */
const MAX_COLUMNS_COUNTED = 10_000;

interface IndexSlot {
  index: ColumnHashes | null;
  requests: number;
}

/** Indexes for looking up records, of all documents. The least recently used ones are dropped. */
export class RecordIndexes {
  private readonly held = new Map<string, IndexSlot>();
  private readonly mostRows: number;
  private rows = 0;

  /** `mostRows`: maximum rows of all indexed columns together. A row takes about 20 bytes. */
  constructor(mostRows: number) {
    this.mostRows = mostRows;
  }

  /** The indexes of one document's columns. */
  of(document: string): DocumentIndexes {
    return new DocumentIndexes(this, document);
  }

  /** A column's index, created if it pays for the requests; null for none. It is not updated yet. */
  ask(key: string, rows: number, requests: number): ColumnHashes | null {
    const held = this.held.get(key) ?? { index: null, requests: 0 };
    this.held.delete(key);
    this.held.set(key, held);
    held.requests += requests;
    if (held.index === null) {
      if (held.requests < REQUESTS_BEFORE_INDEX || rows > this.mostRows) return null;
      held.index = new ColumnHashes();
    }
    return held.index;
  }

  /** Drops the least recently used indexes until `kept` and the others fit. */
  makeRoom(kept: string): void {
    this.rows = 0;
    for (const { index } of this.held.values()) this.rows += index?.size ?? 0;
    for (const [key, { index }] of this.held) {
      if (this.rows <= this.mostRows && this.held.size <= MAX_COLUMNS_COUNTED) return;
      if (key === kept) continue;
      this.rows -= index?.size ?? 0;
      this.held.delete(key);
    }
  }
}

/** See `RecordIndexes`. */
export class DocumentIndexes {
  private readonly all: RecordIndexes;
  private readonly document: string;

  constructor(all: RecordIndexes, document: string) {
    this.all = all;
    this.document = document;
  }

  /**
   * The index of a published column, updated in steps; null if it does not pay yet. Others may use it between the
   * steps. It is valid at the end, until another caller gets it.
   */
  *index(sheet: number, at: number, column: Column, requests: number): Generator<void, ColumnHashes | null> {
    const key = `${this.document}:${sheet}:${at}`;
    const index = this.all.ask(key, column.chunks.length << CHUNK_SHIFT, requests);
    if (index === null) return null;
    const before = index.size;
    yield* index.steps(column);
    // Another state may have used it in the meantime.
    for (const _ of index.steps(column));
    if (index.size !== before) this.all.makeRoom(key);
    return index;
  }
}
