import type { AllocationMeter, WorkMeter } from '../functions/context.ts';
import type { TypedElements } from '../functions/elements/typed-elements.ts';
import { type Area, cellCount } from '../grid/area.ts';
import { EMPTY, NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import type { Scalar } from '../value/scalar.ts';
import { ColumnElements } from './arrays/column-elements.ts';

/** Number of read cells that count as one cell of the budget, as a power of two. */
const READ_WORK_LOG2 = 3;
/** Number of cells that are filled between two reads of the clock. */
const FILL_STRETCH = 1 << 16;

/** Minimum number of rows of a part of a column that is read as typed elements. */
const MIN_TYPED_ROWS = 64;

/** Reads areas for the formulas of one recalculation. */
export class AreaReader {
  private readonly columns = new ColumnElements();

  /** Returns the cells of an area, row by row: typed if formulas have read the column before. */
  read(sheet: Sheet, area: Area, context: AllocationMeter): readonly Scalar[] | TypedElements {
    const column = sheet.columns[area.left];
    const isTyped = area.left === area.right && area.bottom - area.top + 1 >= MIN_TYPED_ROWS;
    const elements = isTyped && column !== undefined ? this.columns.read(column, area.top, area.bottom, context) : null;
    return elements ?? readArea(sheet, area, context);
  }
}

/**
 * Returns the cells of an area, row by row. If the area contains only numbers, V8 stores the array as plain doubles; an
 * array that starts with other values would store boxed numbers. Reads the clock regularly.
 */
export function readArea(sheet: Sheet, area: Area, context: WorkMeter): Scalar[] {
  const columns = area.right - area.left + 1;
  const data: Scalar[] = new Array(cellCount(area));
  const numeric = isAllNumbers(sheet, area, context);
  if (!numeric) fillBlank(data, context);
  const copy = numeric ? copyNumbers : copyCells;
  for (let column = area.left; column <= area.right; column++) {
    const chunks = sheet.columns[column]?.chunks;
    if (!chunks) continue;
    const lastBlock = Math.min(area.bottom >> CHUNK_SHIFT, chunks.length - 1);
    for (let block = area.top >> CHUNK_SHIFT; block <= lastBlock; block++) {
      const chunk = chunks.at(block);
      if (!chunk) continue;
      const first = block << CHUNK_SHIFT;
      const from = Math.max(area.top - first, 0);
      const to = Math.min(area.bottom - first, chunk.rows - 1);
      context.reportWork((to - from + 1) >> READ_WORK_LOG2);
      copy(chunk, from, to, data, (first + from - area.top) * columns + column - area.left, columns);
    }
  }
  return data;
}

function fillBlank(data: Scalar[], context: WorkMeter): void {
  for (let from = 0; from < data.length; from += FILL_STRETCH) {
    context.reportWork(FILL_STRETCH >> READ_WORK_LOG2);
    data.fill(null, from, from + FILL_STRETCH);
  }
}

function copyNumbers(
  chunk: Chunk,
  firstRow: number,
  lastRow: number,
  data: Scalar[],
  offset: number,
  step: number,
): void {
  const { numbers } = chunk;
  for (let row = firstRow, at = offset; row <= lastRow; row++, at += step) data[at] = numbers[row]!;
}

function copyCells(
  chunk: Chunk,
  firstRow: number,
  lastRow: number,
  data: Scalar[],
  offset: number,
  step: number,
): void {
  const { kinds, numbers } = chunk;
  const textAt = chunk.texts.createReader();
  for (let row = firstRow, at = offset; row <= lastRow; row++, at += step) {
    const type = kinds[row]! & TYPE_MASK;
    if (type === NUMBER) data[at] = numbers[row]!;
    else if (type === TEXT) data[at] = textAt(numbers[row]!);
    else if (type !== EMPTY) data[at] = chunk.value(row);
  }
}

function isAllNumbers(sheet: Sheet, area: Area, context: WorkMeter): boolean {
  for (let column = area.left; column <= area.right; column++) {
    const chunks = sheet.columns[column]?.chunks;
    context.reportWork((area.bottom - area.top) >> CHUNK_SHIFT);
    for (let block = area.top >> CHUNK_SHIFT; block <= area.bottom >> CHUNK_SHIFT; block++) {
      const kinds = chunks?.at(block)?.kinds;
      const first = block << CHUNK_SHIFT;
      const to = Math.min(area.bottom - first, CHUNK_MASK);
      if (!kinds || to >= kinds.length || !areNumbers(kinds, Math.max(area.top - first, 0), to)) return false;
    }
  }
  return true;
}

function areNumbers(kinds: Uint8Array, from: number, to: number): boolean {
  for (let row = from; row <= to; row++) if ((kinds[row]! & TYPE_MASK) !== NUMBER) return false;
  return true;
}
