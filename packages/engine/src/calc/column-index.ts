import type { Conventions } from '../functions/coerce.ts';
import { firstAtLeast } from '../functions/sorted.ts';
import { MAX_COLUMNS } from '../grid/limits.ts';
import { numberFromText } from '../locale/index.ts';
import { CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Column } from '../sheet/snapshot.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { insertRow, listOf, type Rows, removeRow, union } from './row-lists.ts';
import { TextRows } from './text-rows.ts';

/** Requests for a column before an index pays: building one costs more than a search. */
const REQUESTS_BEFORE_INDEX = 3;

/** Columns indexed at a time; the one made first goes. */
const MOST_INDEXES = 64;

const HAS_DIGIT = /[0-9]/;

type Key = number | string | boolean;

/**
 * Which rows of a column hold a value, texts in any case. Kept from one recalculation to the next: what changed since is
 * found by chunk, since an unchanged chunk is the same object.
 */
export class ColumnIndex {
  private readonly texts = new TextRows();
  private readonly others = new Map<number | boolean, Rows>();
  /** Rows of texts that read as a number, by that number, once a criterion asks: it counts them as equal to it. */
  private textNumbers: Map<number, Rows> | null = null;
  private synced: { readonly column: Column; readonly writes: number } | null = null;
  private chunks: (Chunk | undefined)[] = [];
  private writes: number[] = [];
  private keys: (Key | undefined)[][] = [];
  private readonly conventions: Conventions;

  constructor(conventions: Conventions) {
    this.conventions = conventions;
  }

  sync(column: Column): void {
    if (this.synced?.column === column && this.synced.writes === column.writes) return;
    this.synced = { column, writes: column.writes };
    const blocks = Math.max(column.chunks.length, this.chunks.length);
    for (let block = 0; block < blocks; block++) {
      const chunk = column.chunks[block];
      const writes = chunk?.writes ?? 0;
      if (chunk === this.chunks[block] && writes === this.writes[block]) continue;
      this.syncChunk(block, chunk);
      this.chunks[block] = chunk;
      this.writes[block] = writes;
    }
  }

  private syncChunk(block: number, chunk: Chunk | undefined): void {
    const old = this.keys[block] ?? [];
    const fresh: (Key | undefined)[] = [];
    const first = block << CHUNK_SHIFT;
    const count = Math.max(old.length, chunk?.rows ?? 0);
    for (let i = 0; i < count; i++) {
      const key = chunk ? keyOf(chunk.value(i)) : undefined;
      fresh.push(key);
      if (key === old[i]) continue;
      if (old[i] !== undefined) this.take(old[i] as Key, first + i);
      if (key !== undefined) this.put(key, first + i);
    }
    this.keys[block] = fresh;
  }

  private put(key: Key, row: number): void {
    if (typeof key !== 'string') return insertRow(this.others, key, row);
    this.texts.add(key, row);
    const number = this.textNumbers && this.numberIn(key);
    if (this.textNumbers && number !== null) insertRow(this.textNumbers, number, row);
  }

  private take(key: Key, row: number): void {
    if (typeof key !== 'string') return removeRow(this.others, key, row);
    this.texts.remove(key, row);
    const number = this.textNumbers && this.numberIn(key);
    if (this.textNumbers && number !== null) removeRow(this.textNumbers, number, row);
  }

  private numberIn(text: string): number | null {
    if (!HAS_DIGIT.test(text)) return null;
    return numberFromText(text, this.conventions.locale, this.conventions.dateSystem);
  }

  /** By the texts as they are written: one that reads as a number need not do so in another case. */
  private numbersOfTexts(): Map<number, Rows> {
    const found = new Map<number, Rows>();
    const read = new Map<string, number | null>();
    for (const [block, keys] of this.keys.entries()) {
      for (const [at, key] of keys.entries()) {
        if (typeof key !== 'string') continue;
        const number = read.has(key) ? (read.get(key) ?? null) : this.numberIn(key);
        read.set(key, number);
        if (number !== null) insertRow(found, number, (block << CHUNK_SHIFT) + at);
      }
    }
    return found;
  }

  private rowsOf(value: Key): Rows | undefined {
    return typeof value === 'string' ? this.texts.get(value) : this.others.get(value === 0 ? 0 : value);
  }

  /** Rows that hold a value. */
  equal(value: Key, numbersInTexts: boolean): readonly number[] {
    const rows = this.rowsOf(value);
    if (!numbersInTexts || typeof value !== 'number') return listOf(rows);
    this.textNumbers ??= this.numbersOfTexts();
    const more = this.textNumbers.get(value);
    return listOf(more === undefined ? rows : union(rows, more));
  }

  /** The first row at or below `top` that holds a value; -1 for none. */
  first(value: Key, top: number): number {
    const rows = this.rowsOf(value);
    if (rows === undefined) return -1;
    if (typeof rows === 'number') return rows >= top ? rows : -1;
    return rows[firstAtLeast(rows, top)] ?? -1;
  }
}

function keyOf(value: Scalar): Key | undefined {
  if (value === 0) return 0;
  return value === null || isError(value) ? undefined : value;
}

interface Held {
  index: ColumnIndex | null;
  requests: number;
}

/** The indexes of a document's columns, made when a column is asked about often. */
export class ColumnIndexes {
  private readonly held = new Map<number, Held>();

  /** The index of a column, brought up to date; null while one does not pay for `requests` more. */
  of(sheet: number, at: number, column: Column, conventions: Conventions, requests: number): ColumnIndex | null {
    const key = sheet * MAX_COLUMNS + at;
    const held = this.held.get(key) ?? { index: null, requests: 0 };
    held.requests += requests;
    if (held.index === null) {
      this.held.set(key, held);
      if (held.requests < REQUESTS_BEFORE_INDEX) return null;
      this.makeRoom(key);
      held.index = new ColumnIndex(conventions);
    }
    held.index.sync(column);
    return held.index;
  }

  private makeRoom(key: number): void {
    const held = this.held.get(key) as Held;
    this.held.delete(key);
    this.held.set(key, held);
    for (const [oldest] of this.held) {
      if (this.held.size <= MOST_INDEXES) return;
      this.held.delete(oldest);
    }
  }
}
