import { cellText, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import { callApi, formatQuery, formatSheetPath } from '../../data/http.ts';
import { computeSelectedArea, findNextInSelection, type GridPosition } from '../selection/selection.ts';
import { isFilteredOut } from '../selection/visible-rows.ts';
import { isFilled } from './cell-content.ts';
import type { Direction } from './commands.ts';
import type { GridModel } from './grid-model.ts';

/** The nearest visible cell in a direction; a merged range counts as one cell. */
export function findAdjacentCell(model: GridModel, position: GridPosition, to: Direction): GridPosition {
  const { rows, columns } = model.view?.viewport ?? {};
  const { row, column } = position;
  const { top, left, bottom, right } = model.getCellArea(position);
  switch (to) {
    case 'up':
      return top === 0
        ? position
        : model.findFirstMergedCell({ row: rows?.findNearestVisible(top - 1, -1) ?? top - 1, column });
    case 'down':
      return bottom >= MAX_ROWS - 1
        ? position
        : model.findFirstMergedCell({ row: rows?.findNearestVisible(bottom + 1, 1) ?? bottom + 1, column });
    case 'left':
      return left === 0
        ? position
        : model.findFirstMergedCell({ row, column: columns?.findNearestVisible(left - 1, -1) ?? left - 1 });
    case 'right':
      return right >= MAX_COLUMNS - 1
        ? position
        : model.findFirstMergedCell({ row, column: columns?.findNearestVisible(right + 1, 1) ?? right + 1 });
  }
}

/** The edge of the data in a direction, by the loaded cells; null if they do not suffice. */
export function findKnownEdge(model: GridModel, from: GridPosition, to: Direction): GridPosition | null {
  const isFilledAt = (position: GridPosition) => isFilled(model, position);
  let at = findAdjacentCell(model, from, to);
  if (isSamePosition(at, from)) return from;
  const isInside = isFilledAt(from) === true && isFilledAt(at) === true;
  for (let last = from; ; last = at, at = findAdjacentCell(model, at, to)) {
    const now = isFilledAt(at);
    if (now === null) return null;
    if (isInside && !now) return last;
    if (!isInside && now) return at;
    if (isSamePosition(at, last)) return at;
  }
}

/** Asks the service for the edge of the data; null on failure. */
export async function requestEdge(model: GridModel, from: GridPosition, to: Direction): Promise<GridPosition | null> {
  const path = formatSheetPath(model.session.id, model.state.sheet, 'edge');
  const cell = cellText(from.row, from.column);
  const answer = await callApi<{ readonly edge: GridPosition }>('GET', path + formatQuery({ cell, direction: to }));
  return answer.ok ? answer.value.edge : null;
}

/** The last row of the filled cells directly below a cell; the cell's own row if the next cell is empty. */
export async function findLastFilledRow(model: GridModel, position: GridPosition): Promise<number> {
  const first = findAdjacentCell(model, position, 'down');
  if (!(await loadAndCheckFilled(model, first))) return position.row;
  if (!(await loadAndCheckFilled(model, findAdjacentCell(model, first, 'down')))) return first.row;
  const end = findKnownEdge(model, first, 'down') ?? (await requestEdge(model, first, 'down'));
  return end?.row ?? first.row;
}

async function loadAndCheckFilled(model: GridModel, position: GridPosition): Promise<boolean> {
  const { row, column } = position;
  await model.sheet.cells.ensureLoaded({ top: row, bottom: row, left: column, right: column });
  return isFilled(model, position) === true;
}

/** The next visible cell inside the selection. */
export function findNextVisibleCell(model: GridModel, direction: 'row' | 'column', step: 1 | -1): GridPosition {
  const { selection, filter, sheet } = model.state;
  const { top, bottom, left, right } = computeSelectedArea(selection);
  let next = findNextInSelection(selection, selection.active, direction, step);
  // Stops after one round, because all selected rows may be hidden.
  for (let tried = (bottom - top + 1) * (right - left + 1); tried > 0; tried--) {
    if (!isFilteredOut(filter, sheet, next.row)) break;
    next = findNextInSelection(selection, next, direction, step);
  }
  return next;
}

export function isSamePosition(a: GridPosition, b: GridPosition): boolean {
  return a.row === b.row && a.column === b.column;
}
