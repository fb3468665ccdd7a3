import { errorByIndex } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { BOOLEAN, EMPTY, ERROR, NUMBER, SPILLED, TEXT, TYPE_MASK } from './cell-kind.ts';
import { Cells } from './cells.ts';
import {
  compareAllRows,
  computeCapacity,
  findFormatChanges,
  findUniformKind,
  growFormats,
  isCellChanged,
  MIXED,
} from './chunk-arrays.ts';
import { ChunkFigures } from './chunk-figures.ts';
import { CHUNK_ROWS } from './chunk-rows.ts';
import { packTexts, type TextSource } from './chunk-texts.ts';
import { GENERAL } from './formats.ts';
import type { NumberAllocator } from './number-arena.ts';
import { alignSize, type SharedMemory } from './shared-memory.ts';
import { Texts } from './texts.ts';

export { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT } from './chunk-rows.ts';

/** Special value: the kinds were not compared since the last change. */
const UNKNOWN = -2;

/** Maximum number of new texts of a chunk that are not packed. */
const MAX_UNPACKED = 32;

/**
 * Up to 256 cells of one column. A draft changes only chunks that have its revision, which are its own copies.
 * Published chunks change only as `Snapshot` describes.
 */
export class Chunk {
  /** The revision that last changed the chunk. The version of a range is the greatest revision of its chunks. */
  readonly revision: number;
  /** Rows after its end are empty. Numbers are values; for booleans 0 or 1, for errors and texts an index. */
  private readonly cells: Cells;
  private uniformCache = UNKNOWN;
  /** The texts of the cells. When a published chunk is shared, they are replaced by the same texts in shared memory. */
  texts: Texts;
  /** Number format ids by row, or one id for all rows. */
  formats: number | Uint16Array;
  /** Number of changes of a draft's own copy; caches compare it. */
  writes = 0;
  /** Numbers of cells by type in a published chunk, packed (`records/column-type`); null until they are counted. */
  contents: number | null = null;
  private figuresCache: ChunkFigures | null = null;
  /** True if an earlier chunk uses the array `formats` too. */
  private sharesFormats = false;
  /** The draft's previous own chunk; null in a published chunk. Without this list, each small edit would need an array. */
  earlierOwn: Chunk | null = null;

  constructor(revision: number, cells: Cells, texts: Texts, formats: number | Uint16Array) {
    this.revision = revision;
    this.cells = cells;
    this.texts = texts;
    this.formats = formats;
  }

  static empty(revision: number, rows: number, format: number, allocator: NumberAllocator): Chunk {
    const capacity = computeCapacity(rows);
    return new Chunk(
      revision,
      Cells.fromOwnedArrays(new Uint8Array(capacity), allocator.allocateNumbers(capacity)),
      Texts.NONE,
      format,
    );
  }

  /** A published chunk without content. */
  static createBlank(revision: number, format: number, allocator: NumberAllocator): Chunk {
    const chunk = Chunk.empty(revision, 1, format, allocator);
    chunk.settle();
    return chunk;
  }

  /**
   * True if the chunk has no information that the column does not have: all rows are empty and have the column's
   * format.
   */
  isBlank(columnFormat: number): boolean {
    return this.uniformKind() === EMPTY && this.uniformFormat() === columnFormat;
  }

  /** The common format of all rows of the block, including rows after the chunk's end; null if they differ. */
  uniformFormat(): number | null {
    const { formats } = this;
    if (typeof formats === 'number') return formats;
    const [first = GENERAL] = formats;
    const isUniform = formats.every((format) => format === first);
    return isUniform && (first === GENERAL || formats.length === CHUNK_ROWS) ? first : null;
  }

  /** Returns a chunk with the same cells for another position. It counts as changed in `revision`. */
  copyAtRevision(revision: number): Chunk {
    return new Chunk(revision, this.cells.shareArrays(), this.texts, this.formats);
  }

  /** True if the chunk is a copy that belongs to the draft of this revision, which may change it. */
  isOwnedByDraft(revision: number): boolean {
    return this.revision === revision && !this.cells.isPublished;
  }

  /** Returns a copy that the draft of `revision` may change, with capacity for `rows` rows. */
  copy(revision: number, rows: number, allocator: NumberAllocator): Chunk {
    if (rows > this.rows) return this.grow(revision, computeCapacity(rows), allocator);
    return this.copyWith(revision, this.cells.copy(allocator));
  }

  /** Returns a copy with other numbers, one per row, which owns their array. */
  withNumbers(revision: number, numbers: Float64Array): Chunk {
    return this.copyWith(revision, this.cells.withNumbers(numbers));
  }

  private copyWith(revision: number, cells: Cells): Chunk {
    const copy = new Chunk(revision, cells, this.texts, this.formats);
    if (copy.texts !== Texts.NONE) copy.texts = copy.texts.copy();
    copy.sharesFormats = true;
    copy.uniformCache = this.uniformCache;
    return copy;
  }

  private grow(revision: number, capacity: number, allocator: NumberAllocator): Chunk {
    const kinds = new Uint8Array(capacity);
    const numbers = allocator.allocateNumbers(capacity);
    kinds.set(this.kinds);
    numbers.set(this.numbers);
    const formats = typeof this.formats === 'number' ? this.formats : growFormats(this.formats, capacity);
    const texts = this.texts === Texts.NONE ? Texts.NONE : this.texts.copy();
    return new Chunk(revision, Cells.fromOwnedArrays(kinds, numbers), texts, formats);
  }

  /** The kind of all rows; -1 if they differ. */
  uniformKind(): number {
    if (this.uniformCache === UNKNOWN) this.uniformCache = findUniformKind(this.kinds);
    return this.uniformCache;
  }

  private setCell(row: number, kind: number, number: number): void {
    if (this.cells.set(row, kind, number)) this.uniformCache = UNKNOWN;
  }

  get rows(): number {
    return this.cells.length;
  }

  /** The kinds of all rows, read only. */
  get kinds(): Uint8Array {
    return this.cells.kinds();
  }

  /** The numbers of all rows, read only. */
  get numbers(): Float64Array {
    return this.cells.numbers();
  }

  /** Returns the number of a row, 0 or 1 for a boolean, or the index of an error or text. The row must exist. */
  number(row: number): number {
    return this.cells.number(row);
  }

  kind(row: number): number {
    if (row >= this.rows) return EMPTY;
    return this.uniformCache >= 0 ? this.uniformCache : this.cells.kind(row);
  }

  /** The number of a row; 0 for an empty row, NaN for other values. */
  numberOrBlank(row: number): number {
    const type = this.kind(row) & TYPE_MASK;
    if (type === NUMBER) return this.cells.number(row);
    return type === EMPTY ? 0 : Number.NaN;
  }

  value(row: number): Scalar {
    if (row >= this.rows) return null;
    const number = this.cells.number(row);
    switch (this.kind(row) & TYPE_MASK) {
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
    return row < this.formats.length ? this.formats[row]! : GENERAL;
  }

  /** Sets a cell of a draft's own copy. */
  set(row: number, value: Scalar, flags: number): void {
    this.recordWrite();
    // Cells must not contain -0: it equals 0, so that the order of edits would decide which of the two is stored.
    if (typeof value === 'number') this.setCell(row, NUMBER | flags, value + 0);
    else if (typeof value === 'string') this.setCell(row, TEXT | flags, this.addText(value));
    else if (typeof value === 'boolean') this.setCell(row, BOOLEAN | flags, value ? 1 : 0);
    else if (isError(value)) this.setCell(row, ERROR | flags, value.index);
    else this.setCell(row, EMPTY, 0);
  }

  /** Sets a cell of a draft's own copy to a number of a kind. */
  setNumber(row: number, kind: number, number: number): void {
    this.recordWrite();
    this.setCell(row, kind, number + 0);
  }

  /** Calls `onChanged` for each span of rows from `from` on whose values differ from these numbers. */
  reportChanges(
    from: number,
    values: Float64Array,
    count: number,
    onChanged: (first: number, last: number) => void,
  ): void {
    const { numbers } = this;
    const areNumbers = this.isAllNumbers;
    let start = -1;
    for (let i = 0; i < count; i++) {
      const row = from + i;
      if (numbers[row] === values[i] && (areNumbers || (this.kind(row) & TYPE_MASK) === NUMBER)) {
        if (start >= 0) onChanged(start, row - 1);
        start = -1;
      } else if (start < 0) start = row;
    }
    if (start >= 0) onChanged(start, from + count - 1);
  }

  /** True if the chunk contains these numbers. It must have as many rows, all of them numbers. */
  containsNumbers(numbers: Float64Array): boolean {
    const ownNumbers = this.numbers;
    for (let row = 0; row < numbers.length; row++) if (ownNumbers[row] !== numbers[row]) return false;
    return true;
  }

  /** True if all rows of the range have the kind `kind`. */
  areAllOfKind(kind: number, from: number, count: number): boolean {
    if (this.uniformKind() === kind) return from + count <= this.rows;
    for (let row = from; row < from + count; row++) if (this.kind(row) !== kind) return false;
    return true;
  }

  /** True if at least one row of the range contains a result of a formula, either its own or a spilled one. */
  hasDerived(from: number, count: number): boolean {
    const end = Math.min(from + count, this.rows);
    for (let row = from; row < end; row++) if ((this.cells.kind(row) & ~TYPE_MASK) !== 0) return true;
    return false;
  }

  /** Sets rows from `from` on to numbers of one kind: entered numbers or results. */
  setNumbers(kind: number, from: number, values: Float64Array, count: number): void {
    const numbers = this.cells.writableNumbers();
    this.recordWrite();
    for (let i = 0; i < count; i++) numbers[from + i] = values[i]! + 0;
    if (this.areAllOfKind(kind, from, count)) return;
    this.cells.writableKinds().fill(kind, from, from + count);
    this.uniformCache = UNKNOWN;
  }

  /** Sets spilled values in rows from `from` on. Calls `onChanged` for each span of rows whose values change. */
  setSpilled(
    from: number,
    count: number,
    valueAt: (i: number) => Scalar,
    onChanged: (first: number, last: number) => void,
  ) {
    let start = -1;
    for (let i = 0; i < count; i++) {
      const row = from + i;
      const value = valueAt(i) ?? 0;
      const same = this.value(row) === value;
      if (!same || (this.kind(row) & ~TYPE_MASK) !== SPILLED) this.set(row, value, SPILLED);
      if (same) {
        if (start >= 0) onChanged(start, row - 1);
        start = -1;
      } else if (start < 0) start = row;
    }
    if (start >= 0) onChanged(start, from + count - 1);
  }

  /** Sets kinds and numbers of many rows. `texts`: the texts to which the rows then refer. They are packed. */
  setRows(set: (kinds: Uint8Array, numbers: Float64Array) => void, texts: TextSource): void {
    this.recordWrite();
    const kinds = this.cells.writableKinds();
    const numbers = this.cells.writableNumbers();
    set(kinds, numbers);
    this.uniformCache = UNKNOWN;
    this.texts = packTexts(kinds, texts, numbers, this.rows);
  }

  private recordWrite(): void {
    this.figuresCache = null;
    this.writes++;
  }

  private addText(text: string): number {
    if (this.texts === Texts.NONE) this.texts = Texts.NONE.copy();
    return this.texts.addText(text);
  }

  /** Sets the number format of a row of a draft's own copy. */
  setFormat(row: number, format: number): void {
    if (typeof this.formats === 'number') {
      if (this.formats === format) return;
      this.formats = new Uint16Array(this.rows).fill(this.formats);
    } else if (this.sharesFormats) this.formats = this.formats.slice();
    this.sharesFormats = false;
    this.formats[row] = format;
  }

  /** Packs new texts when a draft is published. Afterwards the chunk is settled: it can no longer be changed. */
  settle(): void {
    if (this.texts.unpackedCount > MAX_UNPACKED || this.texts.count > 2 * CHUNK_ROWS) this.packTexts();
    this.cells.settle();
  }

  /**
   * Settles the chunk and packs all texts. A text may be a part of a much longer text, which would otherwise stay in
   * memory.
   */
  packAndSettle(): void {
    this.packTexts();
    this.cells.settle();
  }

  /** Returns a copy of a settled chunk for another document. `ids` maps its format ids to ids of the other document. */
  mapFormats(revision: number, ids: readonly number[]): Chunk {
    const { formats } = this;
    const idOf = (id: number) => ids[id] ?? GENERAL;
    const mapped = typeof formats === 'number' ? idOf(formats) : formats.map(idOf);
    const chunk = new Chunk(revision, this.cells.shareArrays(), this.texts, mapped);
    chunk.formats = chunk.uniformFormat() ?? mapped;
    return chunk;
  }

  /**
   * Moves the content of a published chunk to memory that threads share, so that all threads use the same copy. Reads
   * give the same values as before; see `Snapshot`.
   */
  share(memory: SharedMemory): void {
    this.cells.share(memory);
    if (typeof this.formats !== 'number') this.formats = memory.array(this.formats);
    this.texts = this.texts.share(memory);
  }

  /** Approximate size of its arrays and texts in bytes. */
  get bytes(): number {
    const formats = typeof this.formats === 'number' ? 0 : this.formats.byteLength;
    return alignSize(this.rows) + 8 * this.rows + alignSize(formats) + this.texts.sharedBytes + 16;
  }

  /** True if this chunk and an earlier chunk have the same array of numbers. */
  sharesNumbersWith(before: Chunk): boolean {
    return this.cells.sharesNumbersWith(before.cells);
  }

  private packTexts(): void {
    this.texts = packTexts(this.kinds, this.texts, this.cells.writableNumbers(), this.rows);
  }

  /** One past the last row before `end` with a value or formula; 0 for none. */
  filledRows(end = CHUNK_ROWS): number {
    return this.cells.filledRows(end);
  }

  /** Sums, extremes and statistics of the chunk's numbers. Valid until the chunk changes. */
  get figures(): ChunkFigures {
    this.figuresCache ??= new ChunkFigures(this);
    return this.figuresCache;
  }

  /**
   * Returns the rows whose value or format differs from an earlier version of the chunk, in order. A write of one row
   * compares no texts, because texts of the earlier version keep their indexes until they are packed again.
   */
  findChangedRows(before: Chunk): readonly number[] {
    const isAlike = this.rows === before.rows && this.texts.isExtensionOf(before.texts);
    if (!isAlike) return compareAllRows(before, this);
    const rows = this.cells.findChangedRows(before.cells);
    if (this.formats !== before.formats) {
      const formatted = findFormatChanges(before, this);
      return [...new Set([...rows, ...formatted])]
        .sort((a, b) => a - b)
        .filter((row) => isCellChanged(before, this, row));
    }
    const areNumbers = this.texts === Texts.NONE && this.cells.sharesKindsWith(before.cells);
    return areNumbers ? rows : rows.filter((row) => isCellChanged(before, this, row));
  }

  /** True if every row contains a number. */
  get isAllNumbers(): boolean {
    const kind = this.uniformKind();
    return kind !== MIXED && (kind & TYPE_MASK) === NUMBER;
  }
}
