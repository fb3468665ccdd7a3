import type { CellError } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import { type CommonRows, extendToCommonRows, findCommonRows } from '../common-rows.ts';
import type { FunctionContext } from '../context.ts';
import type { CountedKinds } from '../gather-numbers.ts';
import { Reference, type SheetArea, type Value } from '../value.ts';
import { findLongColumns } from './find-columns.ts';

/** Number of rows of the smallest cached block, as a power of two. Parts of such a block are measured for each request. */
const LEAF_SHIFT = 4;
const LEAF_ROWS = 1 << LEAF_SHIFT;
/** Number of rows that are read at once, as a power of two. */
const PART_SHIFT = 8;
const PART_ROWS = 1 << PART_SHIFT;

/** A figure of consecutive rows. */
interface RowFigure<T> {
  /** Adds the figure of the rows that follow. */
  include(next: T): void;
}

/** A figure that is calculated from the numbers of columns. It also identifies the cached figures. */
export interface RowMeasure<T extends RowFigure<T>> {
  /** The number of columns. */
  readonly width: 1 | 2;
  readonly counted: CountedKinds;
  /** The figure of no rows. */
  create(): T;
  /** The figure of rows `from` to before `to`. `columns`: the numbers of each column; NaN for a cell without a number. */
  measure(columns: readonly Float64Array[], from: number, to: number): T;
}

/** The numbers of `PART_ROWS` rows. */
interface RowPart {
  readonly columns: readonly Float64Array[];
  /** The first error of a row; undefined for a row without errors. */
  readonly errors: readonly (CellError | undefined)[];
}

/**
 * Figures of blocks of rows, as a binary tree: the figure of a range consists of the figures of few blocks. Blocks
 * begin at multiples of their size, so that the result depends only on the rows of the range, and not on the ranges that
 * were requested before.
 */
class RowTree<T extends RowFigure<T>> {
  private readonly measure: RowMeasure<T>;
  /** The columns, extended to their common rows. */
  private readonly columns: readonly SheetArea[];
  private readonly context: FunctionContext;
  /** Rows that the tree may read: from `first` to before `end`. */
  private readonly first: number;
  private readonly end: number;
  private readonly parts: (RowPart | undefined)[] = [];
  /** Figures by level and block. Null for a block without numbers. */
  private readonly levels: (T | CellError | null | undefined)[][] = [];

  constructor(
    context: FunctionContext,
    measure: RowMeasure<T>,
    columns: readonly SheetArea[],
    rows: Pick<CommonRows, 'from' | 'to'>,
  ) {
    this.context = context;
    this.measure = measure;
    this.columns = columns;
    this.first = rows.from;
    this.end = rows.to;
  }

  /** The figure of rows `from` to before `to`, or their first error. */
  compute(from: number, to: number): T | CellError {
    const total = this.measure.create();
    for (let at = from; at < to && at < this.end; ) {
      const shift = findShift(at, to);
      const isBlock = shift >= LEAF_SHIFT;
      const part = isBlock ? this.findFigure(shift - LEAF_SHIFT, at >> shift) : this.measurePart(at, to);
      if (isError(part)) return part;
      if (part !== null) total.include(part);
      at = isBlock ? at + 2 ** shift : Math.min(to, findLeafEnd(at));
    }
    return total;
  }

  /** The figure of rows `from` to before `to`, but not beyond the end of the leaf that contains `from`. */
  private measurePart(from: number, to: number): T | CellError {
    const start = (from >> PART_SHIFT) << PART_SHIFT;
    const { columns, errors } = this.readPart(from >> PART_SHIFT);
    const end = Math.min(to, findLeafEnd(from));
    for (let row = from; row < end && errors.length > 0; row++) {
      const error = errors[row - start];
      if (error !== undefined) return error;
    }
    return this.measure.measure(columns, from - start, end - start);
  }

  private findFigure(level: number, block: number): T | CellError | null {
    if ((block << LEAF_SHIFT) * 2 ** level >= this.end) return null;
    this.levels[level] ??= [];
    const figures = this.levels[level];
    const cached = figures[block];
    if (cached !== undefined) return cached;
    const figure = level === 0 ? this.measurePart(block << LEAF_SHIFT, this.end) : this.combineHalves(level, block);
    figures[block] = figure;
    return figure;
  }

  private combineHalves(level: number, block: number): T | CellError | null {
    const lower = this.findFigure(level - 1, 2 * block);
    if (isError(lower)) return lower;
    const upper = this.findFigure(level - 1, 2 * block + 1);
    if (lower === null || upper === null || isError(upper)) return upper ?? lower;
    const figure = this.measure.create();
    figure.include(lower);
    figure.include(upper);
    return figure;
  }

  private readPart(number: number): RowPart {
    const cached = this.parts[number];
    if (cached !== undefined) return cached;
    const { context, measure } = this;
    const start = number << PART_SHIFT;
    const top = Math.max(start, this.first);
    const bottom = Math.min(start + PART_ROWS, this.end) - 1;
    context.reportWork(PART_ROWS);
    const errors: (CellError | undefined)[] = [];
    const columns = this.columns.map((area) => {
      const numbers = new Float64Array(PART_ROWS).fill(Number.NaN);
      const rows = new Reference([{ ...area, top: area.top + top, bottom: area.top + bottom }]);
      context.scanReference(rows, (value, row) => {
        const at = row - area.top - start;
        if (typeof value === 'number') numbers[at] = value;
        else if (isError(value)) errors[at] ??= value;
        else if (measure.counted === 'all') numbers[at] = value === true ? 1 : 0;
      });
      return numbers;
    });
    const part = { columns, errors };
    this.parts[number] = part;
    return part;
  }
}

/** The row after the leaf that contains a row. */
function findLeafEnd(row: number): number {
  return (row | (LEAF_ROWS - 1)) + 1;
}

/** The size of the greatest block that begins at `row` and does not exceed `to`, as a power of two. */
function findShift(row: number, to: number): number {
  const largest = 31 - Math.clz32(to - row);
  return row === 0 ? largest : Math.min(largest, 31 - Math.clz32(row & -row));
}

/**
 * Returns the figure of the rows of long columns, or their first error. Ranges that grow, shrink or move from formula to
 * formula share the figures of their blocks. Null for other values; the caller then reads them cell by cell.
 */
export function measureLongColumns<T extends RowFigure<T>>(
  context: FunctionContext,
  measure: RowMeasure<T>,
  values: readonly Value[],
): T | CellError | null {
  const columns = findLongColumns(values, measure.width);
  if (columns === null) return null;
  const rows = findCommonRows(context, columns);
  const { from, to, height } = rows;
  const extended = columns.map((column) => extendToCommonRows(column, rows));
  context.spendCells(1);
  const make = (first: number, end: number) => new RowTree(context, measure, extended, { from: first, to: end });
  const tree =
    context.getRangeState(measure, columns, () => make(0, height), 'moved') ?? make(from, Math.min(height, to));
  return tree.compute(from, to);
}
