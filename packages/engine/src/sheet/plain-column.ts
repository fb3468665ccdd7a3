import { growArray } from '../value/grow-array.ts';
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

/** Initial capacity in cells, and in UTF-16 units. */
const FIRST_CELLS = 256;
const FIRST_UNITS = 4_096;
/** Maximum memory of the arrays that are kept for later builders, in bytes. */
const MAX_SPARE_BYTES = 4 * 1024 * 1024;

/** The arrays of a builder. They are longer than their contents. */
interface ColumnArrays {
  rows: Uint32Array;
  kinds: Uint8Array;
  numbers: Float64Array;
  units: Uint8Array;
  starts: Uint32Array;
}

/**
 * Arrays of finished builders, for later builders. If each column of each batch of an upload allocated new arrays, V8
 * would collect garbage several times during the upload.
 */
const SPARE_ARRAYS: ColumnArrays[] = [];
let spareBytes = 0;

function takeArrays(): ColumnArrays {
  const arrays = SPARE_ARRAYS.pop();
  if (arrays === undefined) {
    return {
      rows: new Uint32Array(FIRST_CELLS),
      kinds: new Uint8Array(FIRST_CELLS),
      numbers: new Float64Array(FIRST_CELLS),
      units: new Uint8Array(FIRST_UNITS),
      starts: new Uint32Array(FIRST_CELLS),
    };
  }
  spareBytes -= countBytes(arrays);
  return arrays;
}

function returnArrays(arrays: ColumnArrays): void {
  const bytes = countBytes(arrays);
  if (spareBytes + bytes > MAX_SPARE_BYTES) return;
  spareBytes += bytes;
  SPARE_ARRAYS.push(arrays);
}

function countBytes({ rows, kinds, numbers, units, starts }: ColumnArrays): number {
  return rows.byteLength + kinds.byteLength + numbers.byteLength + units.byteLength + starts.byteLength;
}

/** Collects the values of a column in any order of rows, without keeping their strings. */
export class PlainColumnBuilder {
  private readonly column: number;
  private readonly arrays = takeArrays();
  private count = 0;
  /** The units of all texts if one of them needs two bytes per unit; null if `arrays.units` contains them. */
  private wideUnits: Uint16Array | null = null;
  private texts = 0;
  private isAscending = true;

  constructor(column: number) {
    this.column = column;
  }

  /** Adds a cell. Each row may be added once. */
  put(row: number, value: PlainValue): void {
    const at = this.addCell(row);
    const { kinds, numbers } = this.arrays;
    kinds[at] = getValueKind(value);
    // Converts -0 to 0; see `Chunk`.
    numbers[at] = typeof value === 'string' ? this.addText(value) : Number(value) + 0;
  }

  /** Adds a cell with a text of ASCII characters, given as bytes. Each row may be added once. */
  putAscii(row: number, bytes: Uint8Array, start: number, end: number): void {
    const at = this.addCell(row);
    const from = this.reserveUnits(end - start);
    if (this.wideUnits !== null) this.wideUnits.set(bytes.subarray(start, end), from);
    else copyBytes(bytes, start, end, this.arrays.units, from);
    const { kinds, numbers } = this.arrays;
    kinds[at] = TEXT;
    numbers[at] = this.endText(from + end - start);
  }

  /** Returns the column in memory that several threads share. The builder cannot be used afterwards. */
  finish(memory: SharedMemory): PlainColumn {
    const { column, count, arrays, wideUnits, texts } = this;
    if (!this.isAscending) this.sort();
    const { rows, kinds, numbers, starts } = arrays;
    const units = wideUnits ?? arrays.units;
    const cells = {
      column,
      rows: memory.array(rows.subarray(0, count)),
      kinds: memory.array(kinds.subarray(0, count)),
      numbers: memory.array(numbers.subarray(0, count)),
      units: memory.array(units.subarray(0, starts[texts])),
      starts: memory.array(starts.subarray(0, texts + 1)),
    };
    returnArrays(arrays);
    return cells;
  }

  /** Adds the row of a cell and returns the cell's index. */
  private addCell(row: number): number {
    const at = this.count++;
    if (at === this.arrays.rows.length) this.growCells();
    const { rows } = this.arrays;
    if (at > 0 && row < rows[at - 1]!) this.isAscending = false;
    rows[at] = row;
    return at;
  }

  /** Adds a text and returns its index. */
  private addText(text: string): number {
    const { length } = text;
    const from = this.reserveUnits(length);
    if (this.wideUnits === null && needsTwoBytes(text)) this.wideUnits = Uint16Array.from(this.arrays.units);
    const units = this.wideUnits ?? this.arrays.units;
    for (let i = 0; i < length; i++) units[from + i] = text.charCodeAt(i);
    return this.endText(from + length);
  }

  /** Ensures capacity for a text and returns the position of its first unit. */
  private reserveUnits(length: number): number {
    const { arrays, wideUnits } = this;
    const from = arrays.starts[this.texts]!;
    const capacity = 2 * (from + length);
    if (wideUnits === null) {
      if (from + length > arrays.units.length) arrays.units = growArray(arrays.units, capacity);
    } else if (from + length > wideUnits.length) this.wideUnits = growArray(wideUnits, capacity);
    return from;
  }

  /** Ends the text that was copied last. Returns its index. */
  private endText(end: number): number {
    const { arrays } = this;
    if (this.texts + 1 === arrays.starts.length) arrays.starts = growArray(arrays.starts, 2 * arrays.starts.length);
    arrays.starts[++this.texts] = end;
    return this.texts - 1;
  }

  private growCells(): void {
    const { arrays } = this;
    const capacity = 2 * arrays.rows.length;
    arrays.rows = growArray(arrays.rows, capacity);
    arrays.kinds = growArray(arrays.kinds, capacity);
    arrays.numbers = growArray(arrays.numbers, capacity);
  }

  private sort(): void {
    const { arrays, count } = this;
    const { rows, kinds, numbers } = arrays;
    const order = Uint32Array.from({ length: count }, (_, i) => i).sort((a, b) => rows[a]! - rows[b]!);
    arrays.rows = order.map((i) => rows[i]!);
    arrays.kinds = Uint8Array.from(order, (i) => kinds[i]!);
    arrays.numbers = Float64Array.from(order, (i) => numbers[i]!);
    this.isAscending = true;
  }
}

function copyBytes(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void {
  for (let i = start; i < end; i++) to[at + i - start] = from[i]!;
}

function getValueKind(value: PlainValue): number {
  if (typeof value === 'string') return TEXT;
  if (typeof value === 'number') return NUMBER;
  return value === null ? EMPTY : BOOLEAN;
}
