import type { LocaleId } from '../locale/locales.ts';
import { CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Column } from '../sheet/snapshot.ts';
import { ColumnHashes } from './column-hashes.ts';
import { ColumnOrder } from './column-order.ts';
import { TextCodes } from './text-codes.ts';

/** Number of requests for a column before it gets an index. Building an index takes as long as a few searches. */
const REQUESTS_BEFORE_INDEX = 3;
/** Maximum number of columns whose requests are counted. */
const MAX_COLUMNS_COUNTED = 10_000;

/** Number of requests after which an index is tried again for a column that had too many values. */
const REQUESTS_BEFORE_RETRY = 1_000;

/** An index of a column that can be updated after edits. */
interface RecordIndex {
  /** Number of rows in the index, or its memory converted to a number of rows. */
  readonly size: number;
}

interface RecordIndexSlot {
  index: RecordIndex | null;
  requests: number;
}

/** The indexes of all documents, for looking up and sorting records. The least recently used ones are dropped. */
export class RecordIndexes {
  private readonly slots = new Map<string, RecordIndexSlot>();
  private readonly mostRows: number;
  private rows = 0;

  /** `mostRows`: maximum number of rows of all indexed columns together. A row takes about 20 bytes. */
  constructor(mostRows: number) {
    this.mostRows = mostRows;
  }

  /** The indexes of one document's columns. */
  getDocumentIndexes(document: string): DocumentIndexes {
    return new DocumentIndexes(this, document);
  }

  /**
   * Returns the index of a column, and creates it if there were enough requests; else null. The caller must update it.
   */
  requestIndex(key: string, rows: number, requests: number, create: () => RecordIndex): RecordIndex | null {
    const slot = this.slots.get(key) ?? { index: null, requests: 0 };
    this.slots.delete(key);
    this.slots.set(key, slot);
    slot.requests += requests;
    if (slot.index === null) {
      if (slot.requests < REQUESTS_BEFORE_INDEX || rows > this.mostRows) return null;
      slot.index = create();
    }
    return slot.index;
  }

  /** Drops an index that cannot be used. It is created again after `REQUESTS_BEFORE_RETRY` requests. */
  postponeIndex(key: string): void {
    this.slots.set(key, { index: null, requests: -REQUESTS_BEFORE_RETRY });
  }

  /** Drops the least recently used indexes until the others and `keptKey` fit into the limit. */
  makeRoom(keptKey: string): void {
    this.rows = 0;
    for (const { index } of this.slots.values()) this.rows += index?.size ?? 0;
    for (const [key, { index }] of this.slots) {
      if (this.rows <= this.mostRows && this.slots.size <= MAX_COLUMNS_COUNTED) return;
      if (key === keptKey) continue;
      this.rows -= index?.size ?? 0;
      this.slots.delete(key);
    }
  }
}

/** Indexes of the columns of one document, see `RecordIndexes`. */
export class DocumentIndexes {
  private readonly all: RecordIndexes;
  private readonly document: string;

  constructor(all: RecordIndexes, document: string) {
    this.all = all;
    this.document = document;
  }

  /**
   * Returns the index of a published column after updating it in steps; null if there were too few requests or the
   * column is too long. Other callers may use it between the steps. The result is valid until another caller gets it.
   */
  *requestColumnHashes(
    sheet: number,
    columnNumber: number,
    column: Column,
    requests: number,
  ): Generator<void, ColumnHashes | null> {
    const key = `${this.document}:${sheet}:${columnNumber}`;
    const rows = column.chunks.length << CHUNK_SHIFT;
    const index = this.all.requestIndex(key, rows, requests, () => new ColumnHashes());
    if (!(index instanceof ColumnHashes)) return null;
    const before = index.size;
    yield* index.updateInSteps(column);
    // During the pauses, the index may have been updated to another state of the document.
    for (const _ of index.updateInSteps(column));
    if (index.size !== before) this.all.makeRoom(key);
    return index;
  }

  /**
   * Returns the numbers of the texts of a published column after updating them in steps. Null if the column has too many
   * texts or is too long, or if the numbers were updated to another state meanwhile. The result is valid until another
   * caller gets it; `TextCodes.hasChunk` tells whether it is.
   */
  *requestTextCodes(sheet: number, columnNumber: number, column: Column): Generator<void, TextCodes | null> {
    const key = this.formatTextsKey(sheet, columnNumber);
    const rows = column.chunks.length << CHUNK_SHIFT;
    const codes = this.all.requestIndex(key, rows, REQUESTS_BEFORE_INDEX, () => new TextCodes());
    if (!(codes instanceof TextCodes)) return null;
    const before = codes.size;
    yield* codes.updateInSteps(column);
    if (!codes.isUsable) {
      this.all.postponeIndex(key);
      return null;
    }
    if (codes.size !== before) this.all.makeRoom(key);
    return codes.isSyncedWith(column) ? codes : null;
  }

  /** Like `requestTextCodes`, with the rank of each code in the order of a locale. */
  *requestTextRanks(
    sheet: number,
    columnNumber: number,
    column: Column,
    locale: LocaleId,
  ): Generator<void, { readonly codes: TextCodes; readonly ranks: Uint16Array } | null> {
    const codes = yield* this.requestTextCodes(sheet, columnNumber, column);
    if (codes === null) return null;
    const before = codes.size;
    const ranks = yield* codes.rankInSteps(locale);
    if (codes.size !== before) this.all.makeRoom(this.formatTextsKey(sheet, columnNumber));
    return ranks !== null && codes.isSyncedWith(column) ? { codes, ranks } : null;
  }

  private formatTextsKey(sheet: number, columnNumber: number): string {
    return `${this.document}:${sheet}:${columnNumber} texts`;
  }

  /**
   * Returns the order of a published column's rows after updating it in steps. Null if there were too few requests, if
   * the column is too long or cannot be ordered, or if the order was updated to another state meanwhile. The result is
   * valid until another caller gets it. `first`: earlier rows are ignored.
   */
  *requestColumnOrder(
    { sheet, at, first, locale }: OrderedColumn,
    column: Column,
  ): Generator<void, ColumnOrder | null> {
    const key = `${this.document}:${sheet}:${at} order ${first} ${locale}`;
    const rows = column.chunks.length << CHUNK_SHIFT;
    const order = this.all.requestIndex(key, rows, 1, () => new ColumnOrder(first, locale));
    if (!(order instanceof ColumnOrder)) return null;
    const before = order.size;
    yield* order.updateInSteps(column);
    if (!order.isUsable) {
      this.all.postponeIndex(key);
      return null;
    }
    if (order.size !== before) this.all.makeRoom(key);
    // During the pauses, the index may have been updated to another state of the document.
    return order.isSyncedWith(column) ? order : null;
  }
}

/** A column whose rows are ordered. */
interface OrderedColumn {
  readonly sheet: number;
  /** Column of the sheet, zero-based. */
  readonly at: number;
  readonly first: number;
  readonly locale: LocaleId;
}
