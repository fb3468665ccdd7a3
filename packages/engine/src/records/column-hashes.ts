import { hashName, hashNames } from '../functions/folded-hash.ts';
import { BOOLEAN, NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_ROWS, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Column } from '../sheet/snapshot.ts';
import { growArray } from '../value/grow-array.ts';
import { roundToMoment } from './dates.ts';

/** A value that can be looked up. Neither an empty cell nor an error. */
export type SearchValue = string | number | boolean;

/** The hash of rows without a value of the indexed types. */
const NOTHING = 0;
const NO_ROW = -1;
const MIN_CAPACITY = 1_024;
const HASH_PRIME = 0x85ebca6b;
const TRUE_HASH = 0x5bd1e995;
const FALSE_HASH = 0x1b873593;
/** Number of chunks between two pauses. */
const CHUNKS_PER_STEP = 32;

/**
 * Finds rows of a column by the hash of their values: texts without letter case, numbers to the millisecond of a day.
 * The caller must verify the rows. After changes of the document only changed chunks are read again: unchanged chunks
 * are the same objects. Takes about 20 bytes per row for any number of values. The rows of a bucket form a doubly
 * linked list, so that removing a row takes the same time however often its value occurs.
 */
export class ColumnHashes {
  /** The first row of each list; the low bits of a hash select the list. */
  private heads = new Int32Array(MIN_CAPACITY).fill(NO_ROW);
  /** The hash of each row. */
  private hashes = new Int32Array(MIN_CAPACITY);
  private next = new Int32Array(MIN_CAPACITY);
  private before = new Int32Array(MIN_CAPACITY);
  private chunks: (Chunk | undefined)[] = [];
  private synced: Column | null = null;
  /** Number of updates so far. */
  private updateCount = 0;

  /** Number of covered rows. */
  get size(): number {
    return this.chunks.length << CHUNK_SHIFT;
  }

  /** Updates the index. Pauses regularly; call it again to include changes that were made during the pauses. */
  *updateInSteps(column: Column): Generator<void, void> {
    if (this.synced === column) return;
    const turn = ++this.updateCount;
    this.synced = null;
    const { chunks } = column;
    const blocks = Math.max(chunks.length, this.chunks.length);
    let read = 0;
    for (let block = 0; block < blocks; block++) {
      const chunk = chunks.at(block);
      if (chunk === this.chunks[block]) continue;
      this.growTo((block + 1) << CHUNK_SHIFT);
      this.replaceChunk(block, chunk);
      if (++read % CHUNKS_PER_STEP !== 0) continue;
      yield;
      this.synced = null;
    }
    this.chunks.length = chunks.length;
    if (turn === this.updateCount) this.synced = column;
  }

  /** Replaces the hashes of a chunk's rows. */
  private replaceChunk(block: number, chunk: Chunk | undefined): void {
    const { hashes } = this;
    const fresh = hashRows(chunk);
    const first = block << CHUNK_SHIFT;
    for (let i = 0; i < CHUNK_ROWS; i++) {
      const hash = fresh[i]!;
      const row = first + i;
      if (hashes[row] === hash) continue;
      if (hashes[row] !== NOTHING) this.removeFromList(row);
      hashes[row] = hash;
      if (hash !== NOTHING) this.addToList(row);
    }
    this.chunks[block] = chunk;
  }

  /** Adds a row to the linked list of the rows in its hash bucket. */
  private addToList(row: number): void {
    const { heads, next, before } = this;
    const bucket = this.hashes[row]! & (heads.length - 1);
    const first = heads[bucket]!;
    next[row] = first;
    before[row] = NO_ROW;
    if (first !== NO_ROW) before[first] = row;
    heads[bucket] = row;
  }

  /** Removes a row from the linked list of the rows in its hash bucket. */
  private removeFromList(row: number): void {
    const { heads, next, before } = this;
    const after = next[row]!;
    const previous = before[row]!;
    if (after !== NO_ROW) before[after] = previous;
    if (previous !== NO_ROW) next[previous] = after;
    else heads[this.hashes[row]! & (heads.length - 1)] = after;
  }

  /** Makes room for a number of rows. */
  private growTo(rows: number): void {
    if (rows <= this.hashes.length) return;
    let room = this.hashes.length;
    while (room < rows) room *= 2;
    this.hashes = growArray(this.hashes, room);
    this.next = new Int32Array(room);
    this.before = new Int32Array(room);
    this.heads = new Int32Array(room).fill(NO_ROW);
    for (let row = 0; row < this.size; row++) if (this.hashes[row] !== NOTHING) this.addToList(row);
  }

  /** Adds the rows of one hash to a list, in no particular order. Returns the number of rows that it compared. */
  addRows(hash: number, rows: number[]): number {
    let compared = 0;
    for (let row = this.heads[hash & (this.heads.length - 1)]!; row !== NO_ROW; row = this.next[row]!) {
      compared++;
      if (this.hashes[row] === hash) rows.push(row);
    }
    return compared;
  }

  /**
   * Returns rows in no particular order. They include all rows with one of the values; null if there may be more than
   * `limit`.
   */
  findRows(values: readonly SearchValue[], limit: number): readonly number[] | null {
    const rows: number[] = [];
    let compared = 0;
    for (const hash of new Set(values.map(hashValue))) {
      const head = this.heads[hash & (this.heads.length - 1)]!;
      for (let row = head; row !== NO_ROW; row = this.next[row]!) {
        if (++compared > limit) return null;
        if (this.hashes[row] === hash) rows.push(row);
      }
    }
    return rows;
  }
}

/** Buffer for the hashes of the chunk that is being read. */
const ROW_HASHES = new Int32Array(CHUNK_ROWS);

/** Returns one hash for each row of a chunk. The next call uses the array again. */
function hashRows(chunk: Chunk | undefined): Int32Array {
  ROW_HASHES.fill(NOTHING);
  if (chunk === undefined) return ROW_HASHES;
  const { kinds, numbers } = chunk;
  let hashesByText: Int32Array | null = null;
  for (let i = 0; i < kinds.length; i++) {
    const number = numbers[i]!;
    switch (kinds[i]! & TYPE_MASK) {
      case NUMBER:
        ROW_HASHES[i] = hashNumber(number);
        break;
      case TEXT:
        hashesByText ??= hashNames(chunk.texts);
        ROW_HASHES[i] = avoidEmptyHash(hashesByText[number]!);
        break;
      case BOOLEAN:
        ROW_HASHES[i] = number === 0 ? FALSE_HASH : TRUE_HASH;
    }
  }
  return ROW_HASHES;
}

/** Returns the hash of a value in the index. */
export function hashValue(value: SearchValue): number {
  if (typeof value === 'string') return avoidEmptyHash(hashName(value));
  if (typeof value === 'number') return hashNumber(value);
  return value ? TRUE_HASH : FALSE_HASH;
}

const BITS = new Float64Array(1);
const HALVES = new Int32Array(BITS.buffer);

/** The hash of a number, rounded to the moment that it represents; see `roundToMoment`. */
function hashNumber(number: number): number {
  BITS[0] = roundToMoment(number) + 0;
  const hash = Math.imul(HALVES[0]! ^ Math.imul(HALVES[1]!, HASH_PRIME), HASH_PRIME);
  return avoidEmptyHash(hash ^ (hash >>> 15));
}

/** Changes a hash that is reserved for an empty cell. */
export function avoidEmptyHash(hash: number): number {
  return hash === NOTHING ? 1 : hash;
}
