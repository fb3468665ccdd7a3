import type { MaybePromise } from '@cellwire/event-loop';

/** Bounds of the open documents together. */
export interface Room {
  readonly documents: number;
  /** Documents that keep their formula graph ready for the next write. */
  readonly workbooks: number;
  /** Memory of all, in bytes: cells as they are, formulas and graphs about. */
  readonly bytes: number;
}

/** What the set asks of an open document. */
export interface Measurable {
  readonly id: string;
  /** Memory that it takes, in bytes, as `measure` last found it. */
  readonly bytes: number;
  /** Nothing is under way. */
  readonly idle: boolean;
  measure(): MaybePromise<void>;
  /** Frees what only writers need. */
  rest(): void;
}

/**
 * The documents that are open in this process, the least recently used first. Keeps the sum of what they take, so that
 * opening one more costs the same however many are open.
 */
export class OpenSet<D extends Measurable> {
  private readonly room: Room;
  private readonly documents = new Map<string, D>();
  /** The share of each document in `total`, in bytes. */
  private readonly sizes = new Map<D, number>();
  private total = 0;
  /** Documents that may hold memory for writers, the least recently written first. */
  private readonly writers = new Set<D>();
  /** Documents that may have another size by now. */
  private changed = new Set<D>();
  /** Used last, and so at the end of `documents` already; null if that one is not held any more. */
  private newest: D | null = null;

  constructor(room: Room) {
    this.room = room;
  }

  get size(): number {
    return this.documents.size;
  }

  /** Memory of all, in bytes, as last measured. */
  get bytes(): number {
    return this.total;
  }

  all(): Iterable<D> {
    return this.documents.values();
  }

  has(id: string): boolean {
    return this.documents.has(id);
  }

  /** The open document, which now counts as used last. */
  use(id: string): D | undefined {
    const known = this.documents.get(id);
    if (known === undefined || known === this.newest) return known;
    this.newest = known;
    this.documents.delete(id);
    this.documents.set(id, known);
    return known;
  }

  add(document: D): void {
    this.documents.set(document.id, document);
    this.newest = document;
    this.count(document);
  }

  /** Holds a document no longer. */
  drop(document: D): void {
    if (this.documents.get(document.id) !== document) return;
    if (this.newest === document) this.newest = null;
    this.documents.delete(document.id);
    this.writers.delete(document);
    this.changed.delete(document);
    this.total -= this.sizes.get(document) ?? 0;
    this.sizes.delete(document);
  }

  dropById(id: string): void {
    const document = this.documents.get(id);
    if (document !== undefined) this.drop(document);
  }

  clear(): void {
    for (const document of [...this.documents.values()]) this.drop(document);
  }

  /** The document has another state, or something more for writers. */
  noteChange(document: D): void {
    if (this.documents.get(document.id) !== document) return;
    this.changed.add(document);
  }

  noteWrite(document: D): void {
    if (this.documents.get(document.id) !== document) return;
    this.changed.add(document);
    this.writers.delete(document);
    this.writers.add(document);
  }

  /** Measures the documents that have changed since the last time. */
  async measureChanged(): Promise<void> {
    const { changed } = this;
    this.changed = new Set();
    for (const document of changed) await this.measure(document);
  }

  async measure(document: D): Promise<void> {
    await document.measure();
    if (this.documents.get(document.id) === document) this.count(document);
  }

  /**
   * Closes documents that were not used for long and lets others forget their formula graphs. A busy document stays.
   * Callers that still hold a closed one can go on with it, as another process could.
   */
  makeRoom(): void {
    for (const document of this.writers) {
      if (this.writers.size <= this.room.workbooks) break;
      if (document.idle) this.rest(document);
    }
    let left = this.documents.size;
    for (const document of this.documents.values()) {
      if (!this.isOverfull()) return;
      left--;
      if (!document.idle) continue;
      this.rest(document);
      // The one used last stays however large it is.
      if (left > 0) this.drop(document);
    }
  }

  private isOverfull(): boolean {
    return this.documents.size > this.room.documents || this.total > this.room.bytes;
  }

  private rest(document: D): void {
    document.rest();
    this.writers.delete(document);
    this.count(document);
  }

  private count(document: D): void {
    const { bytes } = document;
    this.total += bytes - (this.sizes.get(document) ?? 0);
    this.sizes.set(document, bytes);
  }
}
