import { type Area, contains } from '@cellwire/engine';
import type { GridPosition } from '../selection/selection.ts';

/** Extends an area to a cell, in the direction with the larger distance. */
export function extendAreaToCell(from: Area, { row, column }: GridPosition): Area {
  if (contains(from, row, column)) return from;
  const down = Math.max(row - from.bottom, from.top - row);
  const right = Math.max(column - from.right, from.left - column);
  return down >= right
    ? { ...from, top: Math.min(from.top, row), bottom: Math.max(from.bottom, row) }
    : { ...from, left: Math.min(from.left, column), right: Math.max(from.right, column) };
}
