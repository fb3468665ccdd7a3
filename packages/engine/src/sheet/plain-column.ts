import { BOOLEAN, EMPTY, NUMBER, TEXT } from './cell-kind.ts';
import type { SharedMemory } from './shared-memory.ts';
import { needsTwoBytes } from './text-buffer.ts';
import { Texts } from './texts.ts';

/** A value that a plain cell can get; null empties the cell. */
export type PlainValue = string | number | boolean | null;

/**
 * New values of some cells of one column. They are in arrays, because an object for each cell would be garbage in every
 * thread that receives it.
 */
export interface PlainColumn {
  readonly column: number;
  /** The rows that have a cell, in ascending order, each once. */
  readonly rows: Uint32Array;
  /** The kind of each cell: `EMPTY`, `NUMBER`, `BOOLEAN` or `TEXT`. */
  readonly kinds: Uint8Array;
  /** The content of each cell: the number, 0 or 1 for a boolean, or the index of the text. */
  readonly numbers: Float64Array;
  /** The code units of all texts. */
  readonly units: Uint8Array | Uint16Array;
  /** The start of each text in `units`, and the end of the last. */
  readonly starts: Uint32Array;
}

/** The texts of a column, by their indexes. */
export function textsOf({ units, starts }: PlainColumn): Texts {
  return starts.length === 1 ? Texts.NONE : Texts.restore(units, starts, []);
}

/** The value of a cell. */
export function plainValue({ kinds, numbers }: PlainColumn, texts: Texts, cell: number): PlainValue {
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

/** The cells of a column from one row to another. */
export function rowsWithin(cells: PlainColumn, top: number, bottom: number): PlainColumn {
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

/** Collects the values of a column in any order of rows. */
export class PlainColumnBuilder {
  private readonly column: number;
  private readonly rows: number[] = [];
  private readonly values: PlainValue[] = [];
  private isAscending = true;

  constructor(column: number) {
    this.column = column;
  }

  /** Adds a cell. Each row may be added once. */
  put(row: number, value: PlainValue): void {
    const { rows } = this;
    if (rows.length > 0 && row < rows[rows.length - 1]!) this.isAscending = false;
    rows.push(row);
    this.values.push(value);
  }

  /** The column in memory that threads share. */
  finish(memory: SharedMemory): PlainColumn {
    const { column, rows } = this;
    const values = this.isAscending ? this.values : this.sorted();
    const kinds = new Uint8Array(values.length);
    const numbers = new Float64Array(values.length);
    const texts: string[] = [];
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      kinds[i] = kindOf(value);
      if (typeof value === 'string') numbers[i] = texts.push(value) - 1;
      // No cell contains -0: see `Chunk`.
      else numbers[i] = Number(value) + 0;
    }
    const { units, starts } = joinUnits(texts);
    return {
      column,
      rows: memory.array(Uint32Array.from(rows)),
      kinds: memory.array(kinds),
      numbers: memory.array(numbers),
      units: memory.array(units),
      starts: memory.array(starts),
    };
  }

  /** Sorts the rows, and returns the values in the order of the rows. */
  private sorted(): readonly PlainValue[] {
    const { rows, values } = this;
    const order = Array.from(rows.keys()).sort((a, b) => rows[a]! - rows[b]!);
    rows.sort((a, b) => a - b);
    return order.map((i) => values[i]!);
  }
}

function kindOf(value: PlainValue): number {
  if (typeof value === 'string') return TEXT;
  if (typeof value === 'number') return NUMBER;
  return value === null ? EMPTY : BOOLEAN;
}

function joinUnits(texts: readonly string[]): Pick<PlainColumn, 'units' | 'starts'> {
  const starts = new Uint32Array(texts.length + 1);
  for (let i = 0; i < texts.length; i++) starts[i + 1] = starts[i]! + texts[i]!.length;
  const length = starts[texts.length]!;
  const units = texts.some(needsTwoBytes) ? new Uint16Array(length) : new Uint8Array(length);
  let at = 0;
  for (const text of texts) for (let i = 0; i < text.length; i++) units[at++] = text.charCodeAt(i);
  return { units, starts };
}
