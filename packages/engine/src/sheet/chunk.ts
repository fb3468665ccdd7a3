import { errorByIndex } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { GENERAL } from './formats.ts';
import { Texts } from './texts.ts';

/**
 * Rows of a chunk. A one-cell write copies one chunk (about 2 KiB of numbers); 1M numbers are 4,000 chunks whose
 * fixed cost is under 3 bytes a cell.
 */
export const CHUNK_ROWS = 256;
export const CHUNK_SHIFT = 8;
export const CHUNK_MASK = CHUNK_ROWS - 1;

/** The kind byte of a cell: its type in the low bits, where its value comes from in the flags. */
export const EMPTY = 0;
export const NUMBER = 1;
export const BOOLEAN = 2;
export const TEXT = 3;
export const ERROR = 4;
export const TYPE_MASK = 7;
/** The value is the result of the cell's own formula. */
export const FORMULA = 16;
/** The value spilled here from a formula elsewhere. */
export const SPILLED = 32;

/** New texts of a chunk are packed when there are more than this. */
const MOST_UNPACKED = 32;
const SMALLEST_CAPACITY = 16;

/** Sums of a chunk's numbers, kept until the chunk changes. */
export interface ChunkTotals {
  readonly sum: number;
  readonly count: number;
  /** Index in the chunk of the first error, or -1. */
  readonly firstError: number;
}

/**
 * Up to 256 cells of one column. Immutable once its draft is published; a draft works on its own copies, which carry
 * the draft's revision.
 */
export class Chunk {
  /** The revision that last changed it: the greatest over a range is the range's version. */
  readonly revision: number;
  /** Rows that the arrays hold; rows beyond are empty. */
  kinds: Uint8Array;
  /** The number, 0 or 1 of a boolean, the index of an error or text. */
  numbers: Float64Array;
  texts: Texts;
  /** Number format ids by row, or one id for all rows. */
  formats: number | Uint16Array;
  /** Counts the changes of a draft's own copy, for what is derived from it. */
  writes = 0;
  private totalsCache: ChunkTotals | null = null;

  constructor(revision: number, kinds: Uint8Array, numbers: Float64Array, texts: Texts, formats: number | Uint16Array) {
    this.revision = revision;
    this.kinds = kinds;
    this.numbers = numbers;
    this.texts = texts;
    this.formats = formats;
  }

  static empty(revision: number, rows: number, format: number): Chunk {
    const capacity = capacityFor(rows);
    return new Chunk(revision, new Uint8Array(capacity), new Float64Array(capacity), Texts.NONE, format);
  }

  /** A copy that the draft of `revision` may change, with room for `rows` rows. */
  copy(revision: number, rows: number): Chunk {
    const capacity = Math.max(this.kinds.length, capacityFor(rows));
    const kinds = new Uint8Array(capacity);
    const numbers = new Float64Array(capacity);
    kinds.set(this.kinds);
    numbers.set(this.numbers);
    const formats = typeof this.formats === 'number' ? this.formats : grownFormats(this.formats, capacity);
    return new Chunk(revision, kinds, numbers, this.texts === Texts.NONE ? Texts.NONE : this.texts.copy(), formats);
  }

  get rows(): number {
    return this.kinds.length;
  }

  kind(row: number): number {
    return row < this.kinds.length ? (this.kinds[row] as number) : EMPTY;
  }

  value(row: number): Scalar {
    if (row >= this.kinds.length) return null;
    const number = this.numbers[row] as number;
    switch ((this.kinds[row] as number) & TYPE_MASK) {
      case NUMBER:
        return number;
      case TEXT:
        return this.texts.get(number);
      case BOOLEAN:
        return number !== 0;
      case ERROR:
        return errorByIndex(number);
      default:
        return null;
    }
  }

  format(row: number): number {
    if (typeof this.formats === 'number') return this.formats;
    return row < this.formats.length ? (this.formats[row] as number) : GENERAL;
  }

  /** Sets a cell of a draft's own copy. */
  set(row: number, value: Scalar, flags: number): void {
    this.totalsCache = null;
    this.writes++;
    if (typeof value === 'number') {
      this.kinds[row] = NUMBER | flags;
      this.numbers[row] = value;
    } else if (typeof value === 'string') {
      this.kinds[row] = TEXT | flags;
      this.numbers[row] = this.addText(value);
    } else if (typeof value === 'boolean') {
      this.kinds[row] = BOOLEAN | flags;
      this.numbers[row] = value ? 1 : 0;
    } else if (isError(value)) {
      this.kinds[row] = ERROR | flags;
      this.numbers[row] = value.index;
    } else {
      this.kinds[row] = EMPTY;
      this.numbers[row] = 0;
    }
  }

  /** Sets rows from `from` on to results of their formulas; tells of each stretch of rows that held something else. */
  setResults(from: number, values: Float64Array, count: number, changed: (first: number, last: number) => void): void {
    const { kinds, numbers } = this;
    const kind = NUMBER | FORMULA;
    this.totalsCache = null;
    this.writes++;
    let start = -1;
    for (let i = 0; i < count; i++) {
      const row = from + i;
      const value = values[i] as number;
      const same = ((kinds[row] as number) & TYPE_MASK) === NUMBER && numbers[row] === value;
      kinds[row] = kind;
      numbers[row] = value;
      if (same) {
        if (start >= 0) changed(start, row - 1);
        start = -1;
      } else if (start < 0) start = row;
    }
    if (start >= 0) changed(start, from + count - 1);
  }

  /** Sets spilled values of rows from `from` on; tells of each stretch of rows that held something else. */
  setSpilled(from: number, count: number, at: (i: number) => Scalar, changed: (first: number, last: number) => void) {
    let start = -1;
    for (let i = 0; i < count; i++) {
      const row = from + i;
      const value = at(i) ?? 0;
      const same = this.value(row) === value;
      if (!same || ((this.kinds[row] as number) & ~TYPE_MASK) !== SPILLED) this.set(row, value, SPILLED);
      if (same) {
        if (start >= 0) changed(start, row - 1);
        start = -1;
      } else if (start < 0) start = row;
    }
    if (start >= 0) changed(start, from + count - 1);
  }

  private addText(text: string): number {
    if (this.texts === Texts.NONE) this.texts = Texts.NONE.copy();
    return this.texts.add(text);
  }

  /** Sets the number format of a row of a draft's own copy. */
  setFormat(row: number, format: number): void {
    if (typeof this.formats === 'number') {
      if (this.formats === format) return;
      this.formats = new Uint16Array(this.kinds.length).fill(this.formats);
    }
    this.formats[row] = format;
  }

  /** Packs texts that have gathered; called when the draft is published. */
  settle(): void {
    if (this.texts.unpacked <= MOST_UNPACKED && this.texts.count <= 2 * CHUNK_ROWS) return;
    const indexes = new Map<string, number>();
    const short: string[] = [];
    const long: string[] = [];
    for (let row = 0; row < this.kinds.length; row++) {
      if (((this.kinds[row] as number) & TYPE_MASK) !== TEXT) continue;
      const text = this.texts.get(this.numbers[row] as number);
      if (indexes.has(text)) continue;
      indexes.set(text, 0);
      (Texts.packable(text) ? short : long).push(text);
    }
    const all = short.concat(long);
    for (const [index, text] of all.entries()) indexes.set(text, index);
    for (let row = 0; row < this.kinds.length; row++) {
      if (((this.kinds[row] as number) & TYPE_MASK) !== TEXT) continue;
      this.numbers[row] = indexes.get(this.texts.get(this.numbers[row] as number)) as number;
    }
    this.texts = all.length === 0 ? Texts.NONE : Texts.pack(all);
  }

  /** One past the last row that holds a value or formula; 0 for none. */
  filledRows(): number {
    let row = this.kinds.length;
    while (row > 0 && this.kinds[row - 1] === EMPTY) row--;
    return row;
  }

  totals(): ChunkTotals {
    this.totalsCache ??= this.addUp();
    return this.totalsCache;
  }

  private addUp(): ChunkTotals {
    const { kinds, numbers } = this;
    let sum = 0;
    let count = 0;
    let firstError = -1;
    for (let row = 0; row < kinds.length; row++) {
      const type = (kinds[row] as number) & TYPE_MASK;
      if (type === NUMBER) {
        sum += numbers[row] as number;
        count++;
      } else if (type === ERROR && firstError < 0) firstError = row;
    }
    return { sum, count, firstError };
  }
}

function capacityFor(rows: number): number {
  let capacity = SMALLEST_CAPACITY;
  while (capacity < rows) capacity *= 2;
  return capacity;
}

function grownFormats(formats: Uint16Array, capacity: number): Uint16Array {
  const grown = new Uint16Array(capacity);
  grown.set(formats);
  return grown;
}
