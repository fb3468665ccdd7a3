import type { AllocationMeter } from '../../functions/context.ts';
import { TextIds } from '../../functions/elements/text-ids.ts';
import { type KindSet, listKinds, TypedElements } from '../../functions/elements/typed-elements.ts';
import { EMPTY, TEXT, TYPE_MASK } from '../../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT, type Chunk } from '../../sheet/chunk.ts';
import type { Column } from '../../sheet/snapshot.ts';

/** Maximum number of copied columns. A formula reads few columns, and formulas of one column are calculated together. */
const MAX_COPIES = 8;
/** Number of the request at which a column is copied. Many columns are read only once. */
const REQUESTS_FOR_COPY = 2;
/** Maximum number of different texts that have ids. A text with its id takes about 150 bytes. */
const MAX_TEXTS = 500_000;
/** Number of copied cells that count as one cell of the budget, as a power of two. */
const COPY_WORK_LOG2 = 3;

/** The cells of a column as typed arrays. Chunks are copied when a formula first reads them. */
class ColumnCopy {
  readonly column: Column;
  readonly writes: number;
  requests = 0;
  private numbers = new Float64Array(0);
  private kinds = new Uint8Array(0);
  /** The kinds of each copied chunk; 0 for chunks that were not copied yet. */
  private present: KindSet[] = [];
  private readonly texts: TextIds;

  constructor(column: Column, texts: TextIds) {
    this.column = column;
    this.writes = column.writes;
    this.texts = texts;
  }

  get isCurrent(): boolean {
    return this.column.writes === this.writes;
  }

  /** Rows `top` to `bottom`. */
  read(top: number, bottom: number, meter: AllocationMeter): TypedElements {
    this.reserve(bottom + 1, meter);
    let present: KindSet = 0;
    for (let block = top >> CHUNK_SHIFT; block <= bottom >> CHUNK_SHIFT; block++) {
      const first = block << CHUNK_SHIFT;
      const chunkKinds = this.present[block] || this.copyChunk(block, meter);
      const isWhole = top <= first && first + CHUNK_MASK <= bottom;
      if (isWhole) present |= chunkKinds;
      else present |= listKinds(this.kinds, Math.max(top, first), Math.min(bottom, first + CHUNK_MASK) + 1);
    }
    const [numbers, kinds] = [this.numbers.subarray(top, bottom + 1), this.kinds.subarray(top, bottom + 1)];
    return TypedElements.ofKinds(numbers, kinds, this.texts, present);
  }

  /** Makes room for the chunks of rows before `end`. */
  private reserve(end: number, meter: AllocationMeter): void {
    if (end <= this.numbers.length) return;
    const blocks = Math.max(((end - 1) >> CHUNK_SHIFT) + 1, this.column.chunks.length);
    meter.checkMemory(blocks * CHUNK_ROWS);
    this.numbers = new Float64Array(blocks * CHUNK_ROWS);
    this.kinds = new Uint8Array(blocks * CHUNK_ROWS);
    this.present = new Array(blocks).fill(0);
  }

  private copyChunk(block: number, meter: AllocationMeter): KindSet {
    meter.reportWork(CHUNK_ROWS >> COPY_WORK_LOG2);
    const first = block << CHUNK_SHIFT;
    const chunk = this.column.chunks.at(block);
    if (chunk !== undefined) this.copyCells(chunk, first);
    const kinds = listKinds(this.kinds, first, first + CHUNK_ROWS);
    this.present[block] = kinds;
    return kinds;
  }

  private copyCells(chunk: Chunk, first: number): void {
    const { kinds, numbers } = chunk;
    const textAt = chunk.texts.createReader();
    const ids: number[] = [];
    for (let row = 0; row < chunk.rows; row++) {
      const kind = kinds[row]! & TYPE_MASK;
      const number = numbers[row]!;
      this.kinds[first + row] = kind;
      if (kind === TEXT) {
        ids[number] ??= this.texts.toId(textAt(number));
        this.numbers[first + row] = ids[number];
      } else if (kind !== EMPTY) this.numbers[first + row] = number;
    }
  }
}

/** The cells of columns as typed arrays, for formulas that read parts of the same columns one after another. */
export class ColumnElements {
  /** The most recently read column first. */
  private copies: readonly ColumnCopy[] = [];
  private texts = new TextIds();

  /** The cells of rows `top` to `bottom`. Null for the first request since the column changed. */
  read(column: Column, top: number, bottom: number, meter: AllocationMeter): TypedElements | null {
    const copy = this.findCopy(column);
    if (++copy.requests < REQUESTS_FOR_COPY) return null;
    const elements = copy.read(top, bottom, meter);
    // Arrays with ids of the old table remain valid.
    if (this.texts.size > MAX_TEXTS) this.clear();
    return elements;
  }

  private findCopy(column: Column): ColumnCopy {
    const [first] = this.copies;
    if (first?.column === column && first.isCurrent) return first;
    const existing = this.copies.find((copy) => copy.column === column && copy.isCurrent);
    const copy = existing ?? new ColumnCopy(column, this.texts);
    this.copies = [copy, ...this.copies.filter((other) => other.column !== column)].slice(0, MAX_COPIES);
    return copy;
  }

  private clear(): void {
    this.copies = [];
    this.texts = new TextIds();
  }
}
