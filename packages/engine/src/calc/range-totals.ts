import type { Reference, SheetArea } from '../functions/value.ts';
import { type Area, area } from '../grid/area.ts';
import { CHUNK_SHIFT } from '../sheet/chunk.ts';
import { getColumnExtremes } from '../sheet/column-extremes.ts';
import { getColumnStatistics } from '../sheet/column-statistics.ts';
import { getColumnTotals } from '../sheet/column-totals.ts';
import { NumberStatistics } from '../sheet/number-statistics.ts';
import type { Column, Sheet } from '../sheet/snapshot.ts';
import { type CellError, REF } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import type { Meter } from './budget.ts';

export interface RangeTotals {
  readonly sum: number;
  readonly count: number;
  readonly filled: number;
  /** Number of empty texts, which COUNTBLANK counts as blank. */
  readonly emptyTexts: number;
  readonly error: Scalar;
}

export interface RangeExtremes {
  readonly least: number;
  readonly greatest: number;
  readonly error: Scalar;
}

/** Returns the sheet of an area; undefined if the formula may not read it or it does not exist. */
type FindReadableSheet = (part: SheetArea) => Sheet | undefined;

/** Calls `visit` with each column of a reference that exists. */
function forEachColumn(
  reference: Reference,
  sheetFor: FindReadableSheet,
  meter: Meter,
  visit: (column: Column, part: SheetArea, errorAt: (row: number) => Scalar) => void,
): void {
  for (const part of reference.areas) {
    const sheet = sheetFor(part);
    if (!sheet) continue;
    const right = Math.min(part.right, sheet.columns.length - 1);
    for (let column = part.left; column <= right; column++) {
      const existingColumn = sheet.columns[column];
      if (!existingColumn) continue;
      visit(existingColumn, part, (row) => sheet.value(row, column));
      meter.spendCells(1);
      // Each chunk counts as work, because the first total of a range reads all of them.
      meter.reportWork((part.bottom - part.top) >> CHUNK_SHIFT);
    }
  }
}

/** The sum and counts of a reference's cells, and its first error. */
export function computeTotals(reference: Reference, sheetFor: FindReadableSheet, meter: Meter): RangeTotals {
  let sum = 0;
  let count = 0;
  let filled = 0;
  let emptyTexts = 0;
  let error: Scalar = null;
  const readableSheet = (part: SheetArea) => {
    const sheet = sheetFor(part);
    if (sheet) return sheet;
    error ??= REF;
    filled++;
    return undefined;
  };
  forEachColumn(reference, readableSheet, meter, (column, { top, bottom }, errorAt) => {
    const added = getColumnTotals(column, top, bottom);
    if (added.errorRow >= 0) error ??= errorAt(added.errorRow);
    sum += added.sum;
    count += added.count;
    filled += added.filled;
    emptyTexts += added.emptyTexts;
  });
  return { sum, count, filled, emptyTexts, error };
}

/** The least and the greatest number of a reference, and its first error. */
export function computeExtremes(reference: Reference, sheetFor: FindReadableSheet, meter: Meter): RangeExtremes {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  const { error } = computeTotals(reference, sheetFor, meter);
  if (error !== null) return { least, greatest, error };
  forEachColumn(reference, sheetFor, meter, (column, { top, bottom }) => {
    const extremes = getColumnExtremes(column, top, bottom);
    if (extremes.least < least) least = extremes.least;
    if (extremes.greatest > greatest) greatest = extremes.greatest;
  });
  return { least, greatest, error };
}

/** Statistics of a reference's numbers, or its first error. */
export function computeStatistics(
  reference: Reference,
  sheetFor: FindReadableSheet,
  meter: Meter,
): NumberStatistics | CellError {
  const { error } = computeTotals(reference, sheetFor, meter);
  if (isError(error)) return error;
  const total = new NumberStatistics();
  forEachColumn(reference, sheetFor, meter, (column, { top, bottom }) => {
    total.include(getColumnStatistics(column, top, bottom));
  });
  return total;
}

/** The part of an area that may contain cells; at least its first cell. */
export function clipToUsedPart(sheet: Sheet, { top, left, bottom, right }: Area): Area {
  const lastColumn = Math.min(right, Math.max(sheet.columns.length - 1, left));
  let blocks = 0;
  for (let column = left; column <= lastColumn; column++) {
    blocks = Math.max(blocks, sheet.columns[column]?.chunks.length ?? 0);
  }
  return area(top, left, Math.min(bottom, Math.max((blocks << CHUNK_SHIFT) - 1, top)), lastColumn);
}
