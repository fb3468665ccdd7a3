import type { Conventions } from '../functions/coerce.ts';
import { firstAtLeast } from '../functions/sorted.ts';
import { foldCase } from '../functions/wildcard.ts';
import { MAX_COLUMNS } from '../grid/limits.ts';
import { numberFromText } from '../locale/index.ts';
import { CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Column } from '../sheet/snapshot.ts';
import { isError, type Scalar } from '../value/scalar.ts';

/** Requests for a column before an index pays: building one costs about as much as three searches. */
const REQUESTS_BEFORE_INDEX = 3;

/** Columns indexed at a time; the least recently used one goes. */
const MOST_INDEXES = 64;

const HAS_DIGIT = /[0-9]/;
const NO_ROWS: readonly number[] = [];

type Key = number | string | boolean;

/**
 * Which rows of a column hold a value. Kept from one recalculation to the next: what changed since is found by chunk,
 * since an unchanged chunk is the same object.
 */
class ColumnIndex {
  private readonly rows = new Map<Key, number[]>();
  /** Rows of texts that read as a number, by that number, once a criterion asks: it counts them as equal to it. */
  private textNumbers: Map<number, number[]> | null = null;
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
    insert(this.rows, key, row);
    const number = this.textNumbers && this.numberIn(key);
    if (this.textNumbers && number !== null) insert(this.textNumbers, number, row);
  }

  private take(key: Key, row: number): void {
    remove(this.rows, key, row);
    const number = this.textNumbers && this.numberIn(key);
    if (this.textNumbers && number !== null) remove(this.textNumbers, number, row);
  }

  private numberIn(key: Key): number | null {
    if (typeof key !== 'string' || !HAS_DIGIT.test(key)) return null;
    return numberFromText(key, this.conventions.locale, this.conventions.dateSystem);
  }

  private findTextNumbers(): Map<number, number[]> {
    const found = new Map<number, number[]>();
    for (const [key, rows] of this.rows) {
      const number = this.numberIn(key);
      if (number === null) continue;
      const known = found.get(number);
      found.set(number, known ? known.concat(rows).sort((a, b) => a - b) : rows.slice());
    }
    return found;
  }

  equal(value: Key, numbersInTexts: boolean): readonly number[] {
    const rows = this.rows.get(typeof value === 'string' ? foldCase(value) : value) ?? NO_ROWS;
    if (!numbersInTexts || typeof value !== 'number') return rows;
    this.textNumbers ??= this.findTextNumbers();
    const more = this.textNumbers.get(value);
    return more && more.length > 0 ? rows.concat(more).sort((a, b) => a - b) : rows;
  }
}

function keyOf(value: Scalar): Key | undefined {
  if (typeof value === 'string') return foldCase(value);
  if (value === 0) return 0;
  return value === null || isError(value) ? undefined : value;
}

function insert<K>(lists: Map<K, number[]>, key: K, row: number): void {
  const list = lists.get(key);
  if (!list) {
    lists.set(key, [row]);
    return;
  }
  if ((list[list.length - 1] as number) < row) list.push(row);
  else list.splice(firstAtLeast(list, row), 0, row);
}

function remove<K>(lists: Map<K, number[]>, key: K, row: number): void {
  const list = lists.get(key);
  if (!list) return;
  const at = firstAtLeast(list, row);
  if (list[at] === row) list.splice(at, 1);
  if (list.length === 0) lists.delete(key);
}

interface Held {
  index: ColumnIndex | null;
  requests: number;
}

/** The indexes of a document's columns, made when a column is asked about often. */
export class ColumnIndexes {
  private readonly held = new Map<number, Held>();

  /** Rows of the column that hold a value; null while an index does not pay. */
  equal(
    sheet: number,
    at: number,
    column: Column,
    value: Key,
    numbersInTexts: boolean,
    conventions: Conventions,
  ): readonly number[] | null {
    const key = sheet * MAX_COLUMNS + at;
    const held = this.held.get(key) ?? { index: null, requests: 0 };
    held.requests++;
    if (held.index === null) {
      this.held.set(key, held);
      if (held.requests < REQUESTS_BEFORE_INDEX) return null;
      this.makeRoom(key);
      held.index = new ColumnIndex(conventions);
    }
    held.index.sync(column);
    return held.index.equal(value, numbersInTexts);
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
