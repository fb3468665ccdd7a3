import type { MaybePromise } from '@cellwire/event-loop';

/** Bounds for all open documents together. */
export interface MemoryBounds {
  readonly documents: number;
  /** Number of documents that keep their formula graph for the next write. */
  readonly workbooks: number;
  /** Memory of all documents in bytes; formulas and graphs are estimated. */
  readonly bytes: number;
}

/** What the set requires of an open document. */
export interface MeasuredDocument {
  readonly id: string;
  /** Memory in bytes, as last found by `measure`. */
  readonly bytes: number;
  /** Whether no work is in progress. */
  readonly isIdle: boolean;
  measure(): MaybePromise<void>;
  /** Frees what only writers need. */
  freeWriterState(): void;
}

/**
 * The documents that are open in this process, the least recently used first. Maintains the sum of their memory, so
 * that opening a document costs the same however many are open.
 */
export class OpenSet<D extends MeasuredDocument> {
  private readonly bounds: MemoryBounds;
  private readonly documents = new Map<string, D>();
  /** Each document's share of `total`, in bytes. */
  private readonly sizes = new Map<D, number>();
  private total = 0;
  /** Documents that may hold memory for writers, the least recently written first. */
  private readonly writers = new Set<D>();
  /** The document written last, which is the last of `writers`; null if it was removed from them. */
  private lastWriter: D | null = null;
  /** Documents whose size may have changed. */
  private changed = new Set<D>();
  /** The document used last, which is at the end of `documents` already; null if it was dropped. */
  private newest: D | null = null;

  constructor(bounds: MemoryBounds) {
    this.bounds = bounds;
  }

  get size(): number {
    return this.documents.size;
  }

  /** Memory of all documents in bytes, as last measured. */
  get bytes(): number {
    return this.total;
  }

  listDocuments(): Iterable<D> {
    return this.documents.values();
  }

  has(id: string): boolean {
    return this.documents.has(id);
  }

  /** Returns the open document and marks it as used last. */
  findAndMarkUsed(id: string): D | undefined {
    const document = this.documents.get(id);
    if (document === undefined || document === this.newest) return document;
    this.newest = document;
    this.documents.delete(id);
    this.documents.set(id, document);
    return document;
  }

  addDocument(document: D): void {
    this.documents.set(document.id, document);
    this.newest = document;
    this.updateMemory(document);
  }

  /** Removes a document from the set. */
  removeDocument(document: D): void {
    if (this.documents.get(document.id) !== document) return;
    if (this.newest === document) this.newest = null;
    this.documents.delete(document.id);
    this.forgetWriter(document);
    this.changed.delete(document);
    this.total -= this.sizes.get(document) ?? 0;
    this.sizes.delete(document);
  }

  dropById(id: string): void {
    const document = this.documents.get(id);
    if (document !== undefined) this.removeDocument(document);
  }

  clear(): void {
    for (const document of [...this.documents.values()]) this.removeDocument(document);
  }

  /** The document has a new state, or holds more for writers. */
  recordChange(document: D): void {
    if (this.documents.get(document.id) !== document) return;
    this.changed.add(document);
  }

  /** Marks the document as the most recently written. */
  recordWrite(document: D): void {
    if (this.documents.get(document.id) !== document) return;
    this.changed.add(document);
    if (document === this.lastWriter) return;
    this.lastWriter = document;
    this.writers.delete(document);
    this.writers.add(document);
  }

  /** Measures the documents that changed since the last measurement. */
  async measureChanged(): Promise<void> {
    const { changed } = this;
    this.changed = new Set();
    for (const document of changed) await this.measure(document);
  }

  /** Measures the memory of the document and adds the difference to the total. */
  async measure(document: D): Promise<void> {
    await document.measure();
    if (this.documents.get(document.id) === document) this.updateMemory(document);
  }

  /**
   * Closes documents that have not been used for long, and frees formula graphs of others. Busy documents stay. A
   * caller that still holds a closed document can continue to use it, like another process.
   */
  evictDocuments(): void {
    for (const document of this.writers) {
      if (this.writers.size <= this.bounds.workbooks) break;
      if (document.isIdle) this.freeWriterState(document);
    }
    let left = this.documents.size;
    for (const document of this.documents.values()) {
      if (!this.exceedsBounds()) return;
      left--;
      if (!document.isIdle) continue;
      this.freeWriterState(document);
      // The document used last stays, however large it is.
      if (left > 0) this.removeDocument(document);
    }
  }

  private exceedsBounds(): boolean {
    return this.documents.size > this.bounds.documents || this.total > this.bounds.bytes;
  }

  /** Frees the memory that a document needs only for writing. The next write creates it again. */
  private freeWriterState(document: D): void {
    document.freeWriterState();
    this.forgetWriter(document);
    this.updateMemory(document);
  }

  private forgetWriter(document: D): void {
    if (this.lastWriter === document) this.lastWriter = null;
    this.writers.delete(document);
  }

  /** Replaces the document's previous size in the total by its current one. */
  private updateMemory(document: D): void {
    const { bytes } = document;
    this.total += bytes - (this.sizes.get(document) ?? 0);
    this.sizes.set(document, bytes);
  }
}
