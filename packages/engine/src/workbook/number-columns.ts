import { NUMBER } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import type { Batch } from './batch.ts';
import type { Input } from './types.ts';

/** Minimum number of rows of a column of numbers that is written as a whole instead of cell by cell. */
const MIN_ROWS_AT_ONCE = 8;
const NONE_PUT: readonly boolean[] = [];

type Block = readonly (readonly Input[])[];

/**
 * Splits a block by chunk: returns the index after the last row that is in the same chunk as the row with index `first`.
 * `row`: the sheet row of the block's first row. `end`: the number of rows of the block.
 */
export function findChunkEnd(row: number, first: number, end: number): number {
  return Math.min(end, first + CHUNK_ROWS - ((row + first) & CHUNK_MASK));
}

/**
 * Writes columns of numbers as a whole if the target contains no formulas and no spilled arrays: a page of 26,000
 * numbers takes a third of the time. Writes the rows of the block from `first` to before `end`, which must be in one
 * chunk. `row`, `left`: the position of the block's first cell. Returns for each column whether it was written.
 */
export function putNumbers(
  batch: Batch,
  sheet: number,
  row: number,
  left: number,
  values: Block,
  first: number,
  end: number,
): readonly boolean[] {
  if (end - first < MIN_ROWS_AT_ONCE) return NONE_PUT;
  return putNumberColumns(batch, batch.draft.requireSheet(sheet), row + first, left, values.slice(first, end));
}

/** Writes columns as `putNumbers` does. `top`, `left`: the cell of the first value. */
function putNumberColumns(
  { draft, meter, written }: Batch,
  sheet: Sheet,
  top: number,
  left: number,
  values: Block,
): readonly boolean[] {
  if (sheet.spills.size > 0) return NONE_PUT;
  const count = values.length;
  const numbers = new Float64Array(count);
  return (values[0] ?? []).map((_, c) => {
    if (!readNumbers(values, c, numbers)) return false;
    const column = left + c;
    if (sheet.chunk(column, top >> CHUNK_SHIFT)?.hasDerived(top & CHUNK_MASK, count)) return false;
    meter.reportWork(count);
    draft.setNumbers(NUMBER, sheet.id, column, top, numbers, count, (first, last) =>
      written.addRows(sheet.id, column, first, last),
    );
    return true;
  });
}

/** Reads one column of values into `numbers`; returns false if it contains anything but numbers. */
function readNumbers(values: Block, column: number, numbers: Float64Array): boolean {
  for (let i = 0; i < numbers.length; i++) {
    const input = values[i]?.[column];
    if (typeof input !== 'number') return false;
    numbers[i] = input;
  }
  return true;
}
