import { MAX_ROWS } from '@cellwire/engine';
import { MAX_COPIED_CELLS } from '../clipboard-formats/copied-table.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { listVisibleRowSpans } from '../controller/selected-areas.ts';
import { computeSelectedArea, type Selection } from '../selection/selection.ts';
import { iterateRows } from '../selection/visible-rows.ts';

/** The first cell of a paste. */
export function computePasteTarget(selection: Selection): readonly [top: number, left: number] {
  const { top, left } = computeSelectedArea(selection);
  return [selection.kind === 'columns' || selection.kind === 'all' ? top : Math.min(top, selection.active.row), left];
}

/** How often the table fits into the selection in each direction; 1 if it does not fit evenly. */
export function countRepeats(
  controller: GridController,
  selection: Selection,
  high: number,
  wide: number,
): { readonly down: number; readonly across: number } {
  const { left, right } = computeSelectedArea(selection);
  if (selection.kind !== 'cells') return { down: 1, across: 1 };
  const rows = [...iterateRows(listVisibleRowSpans(controller, computeSelectedArea(selection)))].length;
  const [down, across] = [rows / high, (right - left + 1) / wide];
  const isWhole = Number.isInteger(down) && Number.isInteger(across) && rows * (right - left + 1) <= MAX_COPIED_CELLS;
  return isWhole ? { down, across } : { down: 1, across: 1 };
}

/** True if the sorted line numbers have no gaps. */
export function isConsecutive(lines: readonly number[]): boolean {
  return (lines.at(-1) ?? 0) - (lines[0] ?? 0) === lines.length - 1 && lines.length <= MAX_ROWS;
}
