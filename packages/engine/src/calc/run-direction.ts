import { type Precedent, resolveCoordinate } from '../graph/precedent.ts';
import type { FormulaTask } from './task.ts';

/**
 * Returns the direction in which the cells of a run that reads itself can be calculated one by one; `demand` if neither
 * direction works.
 */
export function findSelfOrder(task: FormulaTask): 'down' | 'up' | 'demand' {
  let down = true;
  let up = true;
  const { run } = task;
  const { first, last } = task.getRowBounds();
  for (const edge of task.entry.edges) {
    if (!edge.isRead) continue;
    if (edge.sheet !== run.sheet || run.column < edge.firstColumn || run.column > edge.lastColumn) continue;
    if (!readsOneSideOnly('above', edge, first, last)) down = false;
    if (!readsOneSideOnly('below', edge, first, last)) up = false;
  }
  return down ? 'down' : up ? 'up' : 'demand';
}

/** True if every cell from `first` to `last` reads only rows above (or below) itself among these rows. */
function readsOneSideOnly(side: 'above' | 'below', precedent: Precedent, first: number, last: number): boolean {
  return (
    [precedent.top, precedent.bottom].every((corner) => {
      if (corner.absolute) return side === 'above' ? corner.at < first : corner.at > last;
      return side === 'above' ? resolveCoordinate(corner, 0) < 0 : resolveCoordinate(corner, 0) > 0;
    }) || isOutside(precedent, first, last)
  );
}

/** True if all rows read are outside the rows to calculate. */
function isOutside(precedent: Precedent, first: number, last: number): boolean {
  if (!precedent.top.absolute || !precedent.bottom.absolute) return false;
  const low = Math.min(precedent.top.at, precedent.bottom.at);
  const high = Math.max(precedent.top.at, precedent.bottom.at);
  return high < first || low > last;
}
