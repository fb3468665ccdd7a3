import type { Conventions } from '../functions/coerce.ts';
import { firstAtLeast } from '../functions/sorted.ts';
import { foldCase } from '../functions/wildcard.ts';
import { MAX_COLUMNS } from '../grid/limits.ts';
import { numberFromText } from '../locale/index.ts';
import { CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Column } from '../sheet/snapshot.ts';
import { isError, type Scalar } from '../value/scalar.ts';

/** Requests for a column before an index pays: building one costs more than a search. */
const REQUESTS_BEFORE_INDEX = 3;

/** Columns indexed at a time; the one made first goes. */
const MOST_INDEXES = 64;

const HAS_DIGIT = /[0-9]/;
const NO_ROWS: readonly number[] = [];

type Key = number | string | boolean;

/** Rows in order; most values stand in one row, which needs no list. */
type Rows = number | number[];

/**
 * Which rows of a column hold a value. Kept from one recalculation to the next: what changed since is found by chunk,
 * since an unchanged chunk is the same object. Texts are kept as they are written and searched by themselves, which
 * is quicker than folding their case first; only where two differ by case alone, or one is asked for in another
 * case, is there a second table by folded text.
 */
export class ColumnIndex {
  private readonly rows = new Map<Key, Rows>();
  /** Distinct texts by a hash that is blind to case. */
  private readonly spellings = new Map<number, number>();
  /** Hashes that more than one text has. */
  private sharedHashes = 0;
  private folded: Map<string, Rows> | null = null;
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
    const isNew = insert(this.rows, key, row);
    if (typeof key !== 'string') return;
    if (isNew) this.countSpelling(key, 1);
    if (this.folded) insert(this.folded, foldCase(key), row);
    const number = this.textNumbers && this.numberIn(key);
    if (this.textNumbers && number !== null) insert(this.textNumbers, number, row);
  }

  private take(key: Key, row: number): void {
    const isGone = remove(this.rows, key, row);
    if (typeof key !== 'string') return;
    if (isGone) this.countSpelling(key, -1);
    if (this.folded) remove(this.folded, foldCase(key), row);
    const number = this.textNumbers && this.numberIn(key);
    if (this.textNumbers && number !== null) remove(this.textNumbers, number, row);
  }

  private countSpelling(text: string, by: 1 | -1): void {
    const hash = caseBlindHash(text);
    const count = this.spellings.get(hash) ?? 0;
    if (count + by === 0) this.spellings.delete(hash);
    else this.spellings.set(hash, count + by);
    if (by === 1 && count === 1) this.sharedHashes++;
    if (by === -1 && count === 2) this.sharedHashes--;
  }

  private numberIn(key: Key): number | null {
    if (typeof key !== 'string' || !HAS_DIGIT.test(key)) return null;
    return numberFromText(key, this.conventions.locale, this.conventions.dateSystem);
  }

  /** A table of the texts by what `as` makes of them; null leaves one out. */
  private textsBy<K>(as: (text: string) => K | null): Map<K, Rows> {
    const found = new Map<K, Rows>();
    for (const [key, rows] of this.rows) {
      const other = typeof key === 'string' ? as(key) : null;
      if (other !== null) found.set(other, union(found.get(other), rows));
    }
    return found;
  }

  private textRows(text: string): Rows | undefined {
    const found = this.rows.get(text);
    if (this.sharedHashes === 0) {
      if (found !== undefined) return found;
      const others = this.spellings.get(caseBlindHash(text)) ?? 0;
      if (others === 0) return undefined;
    }
    this.folded ??= this.textsBy(foldCase);
    return this.folded.get(foldCase(text));
  }

  /** Rows that hold a value, texts in any case. */
  equal(value: Key, numbersInTexts: boolean): readonly number[] {
    const rows = typeof value === 'string' ? this.textRows(value) : this.rows.get(value === 0 ? 0 : value);
    if (!numbersInTexts || typeof value !== 'number') return listOf(rows);
    this.textNumbers ??= this.textsBy((text) => this.numberIn(text));
    const more = this.textNumbers.get(value);
    return listOf(more === undefined ? rows : union(rows, more));
  }

  /** The first row at or below `top` that holds a value, texts in any case; -1 for none. */
  first(value: Key, top: number): number {
    const rows = typeof value === 'string' ? this.textRows(value) : this.rows.get(value === 0 ? 0 : value);
    if (rows === undefined) return -1;
    if (typeof rows === 'number') return rows >= top ? rows : -1;
    return rows[firstAtLeast(rows, top)] ?? -1;
  }
}

function keyOf(value: Scalar): Key | undefined {
  if (value === 0) return 0;
  return value === null || isError(value) ? undefined : value;
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const LAST_ASCII = 127;
const UPPER_A = 65;
const UPPER_Z = 90;
const TO_LOWER = 32;

/** Equal for texts that fold to the same, and hardly ever for others. */
function caseBlindHash(text: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (code > LAST_ASCII) return plainHash(foldCase(text));
    if (code >= UPPER_A && code <= UPPER_Z) code += TO_LOWER;
    hash = Math.imul(hash ^ code, FNV_PRIME);
  }
  return hash;
}

function plainHash(text: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return hash;
}

function listOf(rows: Rows | undefined): readonly number[] {
  if (rows === undefined) return NO_ROWS;
  return typeof rows === 'number' ? [rows] : rows;
}

function union(a: Rows | undefined, b: Rows): Rows {
  if (a === undefined) return typeof b === 'number' ? b : b.slice();
  return listOf(a)
    .concat(listOf(b))
    .sort((x, y) => x - y);
}

/** Whether the key is new. */
function insert<K>(lists: Map<K, Rows>, key: K, row: number): boolean {
  const list = lists.get(key);
  if (list === undefined) {
    lists.set(key, row);
    return true;
  }
  if (typeof list === 'number') lists.set(key, list < row ? [list, row] : [row, list]);
  else if ((list[list.length - 1] as number) < row) list.push(row);
  else list.splice(firstAtLeast(list, row), 0, row);
  return false;
}

/** Whether the key is gone. */
function remove<K>(lists: Map<K, Rows>, key: K, row: number): boolean {
  const list = lists.get(key);
  if (list === undefined) return false;
  if (typeof list !== 'number') {
    const at = firstAtLeast(list, row);
    if (list[at] === row) list.splice(at, 1);
    if (list.length > 0) return false;
  }
  return lists.delete(key);
}

interface Held {
  index: ColumnIndex | null;
  requests: number;
}

/** The indexes of a document's columns, made when a column is asked about often. */
export class ColumnIndexes {
  private readonly held = new Map<number, Held>();

  /** The index of a column, brought up to date; null while one does not pay. */
  of(sheet: number, at: number, column: Column, conventions: Conventions): ColumnIndex | null {
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
