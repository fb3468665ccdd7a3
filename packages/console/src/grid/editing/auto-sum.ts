import { type Area, areaText } from '@cellwire/engine';
import type { Failure } from '../../data/http.ts';
import { t } from '../../text/index.ts';
import { getPendingText, isFilled } from '../controller/cell-content.ts';
import type { Direction } from '../controller/commands.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { planForSelection } from '../controller/held-selection.ts';
import { findAdjacentCell, findKnownEdge, isSamePosition, requestEdge } from '../controller/navigation.ts';
import { parseNumber } from '../formula/cell-text.ts';
import { computeSelectedArea, type GridPosition } from '../selection/selection.ts';
import { createRefusal } from '../session/cell-refusals.ts';
import type { ActionResult } from './cell-edits.ts';

/** Maximum cells that are loaded to find the start of the numbers. */
const MAX_LOADED_CELLS = 10_000;
/** Maximum number of columns summed at once. */
const MAX_SUMMED_COLUMNS = 100;

/**
 * Alt+=: sums the numbers above the active cell, else the numbers to its left. With several rows selected, writes the
 * sum of each column below it, or into the last row if that is empty.
 */
export async function writeSum(controller: GridController): ActionResult {
  if (controller.state.otherAreas.length > 0) return createRefusal(t.grid.oneArea);
  if (controller.state.selection.kind !== 'cells') return createRefusal(t.grid.noNumbersToSum);
  const row = await planForSelection(controller, async (selection) => {
    const selected = computeSelectedArea(selection);
    if (selected.right - selected.left >= MAX_SUMMED_COLUMNS) return createRefusal(t.grid.noNumbersToSum);
    return selected.bottom > selected.top ? planSumsBelow(controller, selected) : planRowSums(controller, selected);
  });
  if (row === null) return createRefusal(t.grid.interrupted);
  if ('ok' in row) return row;
  return controller.writeCells(controller.state.sheet, row.first, [row.sums]);
}

/** Formulas of one row. */
interface RowOfSums {
  readonly first: GridPosition;
  readonly sums: readonly string[];
}

async function planSumsBelow(controller: GridController, selected: Area): Promise<RowOfSums> {
  const last = { ...selected, top: selected.bottom };
  await controller.sheet.cells.ensureLoaded(last);
  const isLastEmpty = listColumns(last).every((column) => isEmpty(controller, { row: last.top, column }));
  const bottom = isLastEmpty ? selected.bottom - 1 : selected.bottom;
  const sums = listColumns(selected).map((column) =>
    createSumFormula({ top: selected.top, bottom, left: column, right: column }),
  );
  return { first: { row: bottom + 1, column: selected.left }, sums };
}

async function planRowSums(controller: GridController, selected: Area): Promise<RowOfSums | Failure> {
  const row = selected.top;
  const sums: string[] = [];
  for (const column of listColumns(selected)) {
    const position = { row, column };
    const range =
      (await findAdjacentNumbers(controller, position, 'up')) ??
      (await findAdjacentNumbers(controller, position, 'left'));
    if (range === null) return createRefusal(t.grid.noNumbersToSum);
    sums.push(createSumFormula(range));
  }
  return { first: { row, column: selected.left }, sums };
}

/** The adjacent numbers without a heading; null if there are none. */
async function findAdjacentNumbers(
  controller: GridController,
  position: GridPosition,
  to: 'up' | 'left',
): Promise<Area | null> {
  const next = findAdjacentCell(controller, position, to);
  if (isSamePosition(next, position)) return null;
  await controller.sheet.cells.ensureLoaded(createArea(next, next));
  if (!isNumber(controller, next)) return null;
  const first = await findEdge(controller, next, to);
  const all = createArea(first, next);
  if (countCells(all) > MAX_LOADED_CELLS || !(await controller.sheet.cells.ensureLoaded(all))) return all;
  const back: Direction = to === 'up' ? 'down' : 'right';
  let start = first;
  while (!isNumber(controller, start) && !isSamePosition(start, next))
    start = findAdjacentCell(controller, start, back);
  return createArea(start, next);
}

/** The last filled cell in a direction. `from` is filled. */
async function findEdge(controller: GridController, from: GridPosition, to: Direction): Promise<GridPosition> {
  const after = findAdjacentCell(controller, from, to);
  await controller.sheet.cells.ensureLoaded(createArea(after, after));
  if (isSamePosition(after, from) || isEmpty(controller, after)) return from;
  return findKnownEdge(controller, from, to) ?? (await requestEdge(controller, from, to)) ?? from;
}

function createSumFormula(area: Area): string {
  return `=SUM(${areaText(area)})`;
}

function listColumns({ left, right }: Area): readonly number[] {
  return Array.from({ length: right - left + 1 }, (_, i) => left + i);
}

function createArea(a: GridPosition, b: GridPosition): Area {
  return {
    top: Math.min(a.row, b.row),
    bottom: Math.max(a.row, b.row),
    left: Math.min(a.column, b.column),
    right: Math.max(a.column, b.column),
  };
}

function countCells({ top, left, bottom, right }: Area): number {
  return (bottom - top + 1) * (right - left + 1);
}

function isNumber(controller: GridController, position: GridPosition): boolean {
  const pending = getPendingText(controller, position);
  if (pending === undefined) return typeof controller.getCell(position)?.v === 'number';
  // The value of a formula is unknown until it is saved. Formulas next to a sum mostly give numbers.
  return pending.startsWith('=') || parseNumber(pending, controller.inputLocale) !== null;
}

function isEmpty(controller: GridController, position: GridPosition): boolean {
  return isFilled(controller, position) !== true;
}
