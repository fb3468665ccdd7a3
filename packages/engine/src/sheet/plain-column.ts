import { BOOLEAN, EMPTY, NUMBER, TEXT } from './cell-kind.ts';
import type { SharedMemory } from './shared-memory.ts';
import { needsTwoBytes } from './text-buffer.ts';
import { Texts } from './texts.ts';

/** A value that can be written to a cell without formatting; null empties the cell. */
export type PlainValue = string | number | boolean | null;

/**
 * New values for some cells of one column. They are stored in arrays, because an object per cell would be garbage in
 * every thread that receives it.
 */
export interface PlainColumn {
  readonly column: number;
  /** The rows with a cell, in ascending order, without repetitions. */
  readonly rows: Uint32Array;
  /** The kind of each cell: `EMPTY`, `NUMBER`, `BOOLEAN` or `TEXT`. */
  readonly kinds: Uint8Array;
  /** The content of each cell: the number, 0 or 1 for a boolean, or the index of the text. */
  readonly numbers: Float64Array;
  /** The code units of all texts. */
  readonly units: Uint8Array | Uint16Array;
  /** The start of each text in `units`, and the end of the last text. */
  readonly starts: Uint32Array;
}

/** Returns the texts of a column, by their indexes. */
export function restoreTexts({ units, starts }: PlainColumn): Texts {
  return starts.length === 1 ? Texts.NONE : Texts.restore(units, starts, []);
}

/** Returns the value of a cell. */
export function readPlainValue({ kinds, numbers }: PlainColumn, texts: Texts, cell: number): PlainValue {
  const number = numbers[cell]!;
  switch (kinds[cell]) {
    case TEXT:
      return texts.decodeOnce(number);
    case NUMBER:
      return number;
    case BOOLEAN:
      return number !== 0;
    default:
      return null;
  }
}

/** A block of cells, by its first row and column. */
interface BlockSize {
  readonly row: number;
  readonly column: number;
  readonly height: number;
  readonly width: number;
}

/** Returns the columns of a block of numbers. `numbers`: column by column, in memory that several threads share. */
export function plainNumbers({ row, column, height, width }: BlockSize, numbers: Float64Array): readonly PlainColumn[] {
  const rows = new Uint32Array(new SharedArrayBuffer(height * Uint32Array.BYTES_PER_ELEMENT));
  for (let r = 0; r < height; r++) rows[r] = row + r;
  const kinds = new Uint8Array(new SharedArrayBuffer(height)).fill(NUMBER);
  return Array.from({ length: width }, (_, c) => ({
    column: column + c,
    rows,
    kinds,
    numbers: numbers.subarray(c * height, (c + 1) * height),
    ...NO_TEXTS,
  }));
}

const NO_TEXTS = { units: new Uint8Array(0), starts: new Uint32Array(1) };

/** Returns the cells of a column between two rows. */
export function sliceRows(cells: PlainColumn, top: number, bottom: number): PlainColumn {
  const { rows, kinds, numbers } = cells;
  let from = 0;
  while (from < rows.length && rows[from]! < top) from++;
  let end = from;
  while (end < rows.length && rows[end]! <= bottom) end++;
  return {
    ...cells,
    rows: rows.subarray(from, end),
    kinds: kinds.subarray(from, end),
    numbers: numbers.subarray(from, end),
  };
}

/** Initial capacity in cells and in code units. */
const FIRST_CELLS = 256;
const FIRST_UNITS = 4_096;

/** Collects the values of a column in any order of rows, without keeping their strings. */
export class PlainColumnBuilder {
  private readonly column: number;
  private rows = new Uint32Array(FIRST_CELLS);
  private kinds = new Uint8Array(FIRST_CELLS);
  private numbers = new Float64Array(FIRST_CELLS);
  private count = 0;
  private units: Uint8Array | Uint16Array = new Uint8Array(FIRST_UNITS);
  private starts = new Uint32Array(FIRST_CELLS);
  private texts = 0;
  private isAscending = true;

  constructor(column: number) {
    this.column = column;
  }

  /** Adds a cell. Each row may be added once. */
  put(row: number, value: PlainValue): void {
    const at = this.addCell(row);
    this.kinds[at] = getValueKind(value);
    // Converts -0 to 0; see `Chunk`.
    this.numbers[at] = typeof value === 'string' ? this.addText(value) : Number(value) + 0;
  }

  /** Adds a cell with a text of ASCII characters, given as bytes. Each row may be added once. */
  putAscii(row: number, bytes: Uint8Array, start: number, end: number): void {
    const at = this.addCell(row);
    this.kinds[at] = TEXT;
    this.numbers[at] = this.addAsciiText(bytes, start, end);
  }

  /** Returns the column in memory that several threads share. */
  finish(memory: SharedMemory): PlainColumn {
    const { column, count } = this;
    if (!this.isAscending) this.sort();
    return {
      column,
      rows: memory.array(this.rows.subarray(0, count)),
      kinds: memory.array(this.kinds.subarray(0, count)),
      numbers: memory.array(this.numbers.subarray(0, count)),
      units: memory.array(this.units.subarray(0, this.starts[this.texts])),
      starts: memory.array(this.starts.subarray(0, this.texts + 1)),
    };
  }

  /** Adds the row of a cell and returns the cell's index. */
  private addCell(row: number): number {
    const at = this.count++;
    if (at === this.rows.length) this.growCells();
    if (at > 0 && row < this.rows[at - 1]!) this.isAscending = false;
    this.rows[at] = row;
    return at;
  }

  /** Adds a text and returns its index. */
  private addText(text: string): number {
    const { length } = text;
    const from = this.reserveUnits(length);
    if (this.units instanceof Uint8Array && needsTwoBytes(text)) this.units = Uint16Array.from(this.units);
    const { units } = this;
    for (let i = 0; i < length; i++) units[from + i] = text.charCodeAt(i);
    return this.endText(from + length);
  }

  /** Adds a text of ASCII characters and returns its index. */
  private addAsciiText(bytes: Uint8Array, start: number, end: number): number {
    const from = this.reserveUnits(end - start);
    const { units } = this;
    for (let i = start; i < end; i++) units[from + i - start] = bytes[i]!;
    return this.endText(from + end - start);
  }

  /** Ensures capacity for a text and returns the position of its first unit. */
  private reserveUnits(length: number): number {
    const from = this.starts[this.texts]!;
    if (from + length > this.units.length) this.units = growArray(this.units, 2 * (from + length));
    return from;
  }

  /** Ends the text that was copied last. Returns its index. */
  private endText(end: number): number {
    if (this.texts + 1 === this.starts.length) this.starts = growArray(this.starts, 2 * this.starts.length);
    this.starts[++this.texts] = end;
    return this.texts - 1;
  }

  private growCells(): void {
    const capacity = 2 * this.rows.length;
    this.rows = growArray(this.rows, capacity);
    this.kinds = growArray(this.kinds, capacity);
    this.numbers = growArray(this.numbers, capacity);
  }

  private sort(): void {
    const { rows, kinds, numbers, count } = this;
    const order = Uint32Array.from({ length: count }, (_, i) => i).sort((a, b) => rows[a]! - rows[b]!);
    this.rows = order.map((i) => rows[i]!);
    this.kinds = Uint8Array.from(order, (i) => kinds[i]!);
    this.numbers = Float64Array.from(order, (i) => numbers[i]!);
    this.isAscending = true;
  }
}

function growArray<A extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(array: A, length: number): A {
  const more = new (array.constructor as new (length: number) => A)(length);
  more.set(array as never);
  return more;
}

function getValueKind(value: PlainValue): number {
  if (typeof value === 'string') return TEXT;
  if (typeof value === 'number') return NUMBER;
  return value === null ? EMPTY : BOOLEAN;
}
