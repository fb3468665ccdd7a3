import type { CellError } from '../value/errors.ts';
import { findLongColumns } from './row-figures/find-columns.ts';
import { sliceRowsFrom } from './selection/selection-states.ts';
import type { FunctionContext } from './spec.ts';
import type { Reference, Value } from './value.ts';

/** The first rows of a range, as far as a function has read them. */
class ReadRows<T> {
  rows = 0;
  value: T;
  /** The first error of the rows. */
  error: CellError | null = null;

  constructor(value: T) {
    this.value = value;
  }
}

/**
 * Reads a long range of one column. If the range of an earlier formula began in the same row, it reads only the further
 * rows. Returns the value or the first error; null for other arguments, which the caller must read itself. `owner`:
 * identifies the function. `addRows`: adds the cells of further rows to a value, or returns their first error.
 */
export function readGrowingRange<T extends object>(
  context: FunctionContext,
  owner: object,
  args: readonly Value[],
  make: () => T,
  addRows: (value: T, rows: Reference) => CellError | null,
): T | CellError | null {
  const [area] = findLongColumns(args, 1) ?? [];
  if (area === undefined) return null;
  const rows = area.bottom - area.top + 1;
  const read = context.getRangeState(owner, [area], () => new ReadRows(make()));
  if (read === null) return null;
  if (read.rows > rows) {
    read.rows = 0;
    read.value = make();
    read.error = null;
  }
  if (read.rows < rows && read.error === null) read.error = addRows(read.value, sliceRowsFrom(area, read.rows));
  read.rows = rows;
  return read.error ?? read.value;
}
