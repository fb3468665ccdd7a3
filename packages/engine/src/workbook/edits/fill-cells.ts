import { height, width } from '../../grid/area.ts';
import type { Batch } from '../batch.ts';
import { createResultRemover, readEnteredCells, writeEnteredCell } from '../entered-cells.ts';
import type { EditOfKind, EditResult } from './edit-result.ts';

/**
 * Fills the area `to` with copies of `area`. The pattern repeats in all directions, starting from the position of
 * `area`.
 */
export function fillCells(batch: Batch, { sheet, area, to }: EditOfKind<'fill'>): EditResult {
  const count = height(to) * width(to);
  batch.meter.spendCells(count);
  const cells = readEnteredCells(batch, { sheet, area }, createResultRemover());
  for (let row = to.top; row <= to.bottom; row++) {
    const source = cells[modulo(row - area.top, height(area))] ?? [];
    for (let column = to.left; column <= to.right; column++) {
      const cell = source[modulo(column - area.left, width(area))];
      if (cell) writeEnteredCell(batch, sheet, row, column, cell, batch.writer);
    }
  }
  return { sheet, area, cells: count };
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
