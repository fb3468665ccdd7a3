import { type Area, intersects, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import { areaOfSelection, clipToUsed } from '../selection/selection.ts';
import { countVisibleRows, eachRow, type LineSpan, visibleAreas, visibleSpans } from '../selection/visible-rows.ts';
import type { GridModel } from './grid-model.ts';

/** The selection; of whole rows and columns as far as the sheet is used, and the active cell where nothing of it is. */
export function usedSelection(model: GridModel): Area {
  const { selection } = model.state;
  if (selection.kind === 'cells') return model.selectedArea;
  const { rows, columns } = model.sheet.shape;
  const { row, column } = selection.active;
  return (
    clipToUsed(areaOfSelection(selection), rows, columns) ?? { top: row, left: column, bottom: row, right: column }
  );
}

/** Everything that is selected, as far as it is shown and, of whole rows and columns, used. */
export function selectedAreas(model: GridModel): readonly Area[] {
  return visibleParts(model, selectedRanges(model));
}

/** The same with the rows that a filter hides. */
export function selectedRanges(model: GridModel): readonly Area[] {
  const { rows, columns } = model.sheet.shape;
  const others = model.state.otherAreas.flatMap((area) =>
    isWholeLines(area) ? (clipToUsed(area, rows, columns) ?? []) : [model.sheet.mergedRanges.expand(area)],
  );
  return withoutOverlaps([...others, usedSelection(model)]);
}

function isWholeLines({ left, right, top, bottom }: Area): boolean {
  return (left === 0 && right === MAX_COLUMNS - 1) || (top === 0 && bottom === MAX_ROWS - 1);
}

function visibleParts(model: GridModel, areas: readonly Area[]): readonly Area[] {
  return visibleAreas(model.state.filter, model.state.sheet, areas);
}

/** Rows of an area that are shown. */
export function visibleRowSpans(model: GridModel, { top, bottom }: Area): readonly LineSpan[] {
  return visibleSpans(model.state.filter, model.state.sheet, { first: top, last: bottom });
}

/** The same cells, each in one area. */
function withoutOverlaps(areas: readonly Area[]): readonly Area[] {
  const kept: Area[] = [];
  for (const area of areas) {
    let parts: readonly Area[] = [area];
    for (const known of kept) parts = parts.flatMap((part) => subtractArea(part, known));
    kept.push(...parts);
  }
  return kept;
}

function subtractArea(area: Area, taken: Area): readonly Area[] {
  if (!intersects(area, taken)) return [area];
  const [top, bottom] = [Math.max(area.top, taken.top), Math.min(area.bottom, taken.bottom)];
  return [
    { ...area, bottom: taken.top - 1 },
    { ...area, top, bottom, right: taken.left - 1 },
    { ...area, top, bottom, left: taken.right + 1 },
    { ...area, top: taken.bottom + 1 },
  ].filter((part) => part.top <= part.bottom && part.left <= part.right);
}

/** How many of the selected cells are shown. */
export function countVisibleCells(model: GridModel): number {
  const { filter, sheet } = model.state;
  return selectedRanges(model).reduce((sum, { top, bottom, left, right }) => {
    return sum + countVisibleRows(filter, sheet, { first: top, last: bottom }) * (right - left + 1);
  }, 0);
}

export function countCells(areas: readonly Area[]): number {
  return areas.reduce((sum, { top, left, bottom, right }) => sum + (bottom - top + 1) * (right - left + 1), 0);
}

/** The first rows from one on that are shown, so many; fewer where the grid ends. */
export function nextVisibleRows(model: GridModel, from: number, count: number): readonly number[] {
  const rows: number[] = [];
  const last = from + count - 1;
  const all = visibleSpans(model.state.filter, model.state.sheet, { first: from, last: Math.min(MAX_ROWS - 1, last) });
  for (const row of eachRow(all)) rows.push(row);
  const { filter, sheet } = model.state;
  for (let next = last + 1; rows.length < count && next < MAX_ROWS; ) {
    const end = Math.min(MAX_ROWS - 1, Math.max(next + count, filter?.count ?? 0));
    for (const row of eachRow(visibleSpans(filter, sheet, { first: next, last: end }))) {
      if (rows.length < count) rows.push(row);
    }
    next = end + 1;
  }
  return rows;
}
