import type { CellError } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { sortNumbers } from '../numeric/summary.ts';
import { reserveList } from '../reserve-memory.ts';
import type { OrderedNumbers } from '../selection/ordered-numbers.ts';
import { findSameShapeAreas, sliceRowsFrom } from '../selection/selection-states.ts';
import { SortedNumbers } from '../selection/sorted-numbers.ts';
import { forEachValue } from '../shape.ts';
import type { FunctionContext } from '../spec.ts';
import { Matrix, Reference, type Value } from '../value.ts';

/** All numbers are sorted again if the added numbers are more than one in this number. */
const ADDITIONS_WORTH_SORTING = 8;

/** Kinds of cells that SUBTOTAL or AGGREGATE omits. Cells in filtered rows are always omitted. */
export interface SkippedCells {
  readonly hidden: boolean;
  readonly nested: boolean;
  readonly errors: boolean;
}

/**
 * The counted cells of ranges: their numbers in the order of reading, and the sums and extremes that most aggregates
 * need.
 */
export class CountedCells {
  /** All numbers in order; null if the aggregate does not need them. */
  readonly numbers: number[] | null;
  filled = 0;
  count = 0;
  sum = 0;
  product = 1;
  least = Number.POSITIVE_INFINITY;
  greatest = Number.NEGATIVE_INFINITY;
  error: CellError | null = null;
  /** Number of rows read so far. A longer range continues after them. */
  rows = 0;
  /** The first `sortedCount` numbers in ascending order. */
  private sorted = new SortedNumbers();
  private sortedCount = 0;

  constructor(keepsNumbers: boolean) {
    this.numbers = keepsNumbers ? [] : null;
  }

  /** Adds a cell, unless it is blank or a skipped error. */
  add(context: FunctionContext, value: Scalar, skipped: SkippedCells): void {
    if (value === null) return;
    if (isError(value) && skipped.errors) return;
    this.filled++;
    if (isError(value)) this.error ??= value;
    if (typeof value !== 'number') return;
    this.count++;
    this.sum += value;
    this.product *= value;
    if (value < this.least) this.least = value;
    if (value > this.greatest) this.greatest = value;
    if (this.numbers === null) return;
    reserveList(context, this.numbers.length);
    this.numbers.push(value);
  }

  /** Returns the numbers in ascending order. Valid until cells are added. */
  orderNumbers(context: FunctionContext): OrderedNumbers {
    const numbers = this.numbers ?? [];
    const added = numbers.length - this.sortedCount;
    if (added * ADDITIONS_WORTH_SORTING > numbers.length) {
      this.sorted = SortedNumbers.fromAscending(sortNumbers(numbers, context));
    } else for (let at = this.sortedCount; at < numbers.length; at++) this.sorted.add(numbers[at]!);
    this.sortedCount = numbers.length;
    return this.sorted;
  }
}

/** The counted cells of a range that an earlier formula read. A longer range continues from them. */
class CountedCellsState {
  private readonly cellsByOptions: (CountedCells | undefined)[] = [];

  /** The cells counted so far, or none if they cover more than `rows` rows. */
  findOrCreate(rows: number, skipped: SkippedCells, keepsNumbers: boolean): CountedCells {
    const key =
      Number(skipped.hidden) + 2 * Number(skipped.nested) + 4 * Number(skipped.errors) + 8 * Number(keepsNumbers);
    const earlier = this.cellsByOptions[key];
    const counted = earlier !== undefined && earlier.rows <= rows ? earlier : new CountedCells(keepsNumbers);
    this.cellsByOptions[key] = counted;
    return counted;
  }
}

const COUNTED_CELLS = {};

/** Reads the counted cells of the arguments. Continues from an earlier formula if the argument is one column. */
export function readCountedCells(
  context: FunctionContext,
  args: readonly Value[],
  skipped: SkippedCells,
  keepsNumbers: boolean,
): CountedCells {
  const areas = args.length === 1 ? findSameShapeAreas(args) : null;
  const [area] = areas ?? [];
  const state =
    areas === null || area === undefined || area.left !== area.right
      ? null
      : context.getRangeState(COUNTED_CELLS, areas, () => new CountedCellsState());
  if (state === null || area === undefined) return addCells(context, args, skipped, new CountedCells(keepsNumbers));
  const rows = area.bottom - area.top + 1;
  const counted = state.findOrCreate(rows, skipped, keepsNumbers);
  if (counted.rows < rows) addCells(context, [sliceRowsFrom(area, counted.rows)], skipped, counted);
  counted.rows = rows;
  return counted;
}

/** Adds the counted cells of all arguments to `counted`. */
function addCells(
  context: FunctionContext,
  args: readonly Value[],
  skipped: SkippedCells,
  counted: CountedCells,
): CountedCells {
  const { workbook } = context;
  for (const arg of args) {
    if (arg instanceof Matrix) forEachValue(context, arg, (value) => counted.add(context, value, skipped));
    if (!(arg instanceof Reference)) continue;
    context.scanReference(arg, (value, row, column, sheet) => {
      if (skipped.nested && workbook.isSubtotal(sheet, row, column)) return;
      if (skipped.hidden ? workbook.isRowHidden(sheet, row) : workbook.isRowFiltered(sheet, row)) return;
      counted.add(context, value, skipped);
    });
  }
  return counted;
}

/** True if no cell of the references is omitted, so that cached figures and indexes of the ranges are valid. */
export function areAllCounted(
  context: FunctionContext,
  references: readonly Reference[],
  { hidden, nested, errors }: SkippedCells,
): boolean {
  const { workbook } = context;
  for (const reference of references) {
    for (const area of reference.areas) {
      if (workbook.hasHiddenRows(area, hidden ? 'hidden' : 'filtered')) return false;
      if (nested && workbook.hasSubtotals(area)) return false;
    }
    if (errors && isError(context.computeTotals(reference).error)) return false;
  }
  return true;
}
