import type { GridPosition } from '../selection/selection.ts';
import type { GridModel } from './grid-model.ts';

/** True if a cell holds something, or if input for it is being saved. Null if the cell is not loaded. */
export function isFilled(model: GridModel, position: GridPosition): boolean | null {
  const pending = getPendingText(model, position);
  if (pending !== undefined) return pending !== '';
  const cell = model.getCell(position);
  return cell === undefined ? null : cell !== null;
}

/** Text that is being saved to a cell; undefined if none is. */
export function getPendingText(model: GridModel, { row, column }: GridPosition): string | undefined {
  return model.sheet.cells.getPendingText(row, column);
}
