import { type Area, intersects, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import { clipToUsed, computeSelectedArea } from '../selection/selection.ts';
import {
  countVisibleRows,
  iterateRows,
  type LineSpan,
  splitVisibleAreas,
  splitVisibleSpans,
} from '../selection/visible-rows.ts';
import type { GridModel } from './grid-model.ts';

/** The selection. Whole rows and columns are clipped to the used area; if nothing is used, the active cell. */
export function getUsedSelection(model: GridModel): Area {
  const { selection } = model.state;
  if (selection.kind === 'cells') return model.selectedArea;
  const { rows, columns } = model.sheet.shape;
  const { row, column } = selection.active;
  return (
    clipToUsed(computeSelectedArea(selection), rows, columns) ?? { top: row, left: column, bottom: row, right: column }
  );
}

/** All selected cells that are visible; whole rows and columns are clipped to the used area. */
export function listSelectedAreas(model: GridModel): readonly Area[] {
  return listVisibleParts(model, listSelectedRanges(model));
}

/** Like `listSelectedAreas`, with the rows that a filter hides. */
export function listSelectedRanges(model: GridModel): readonly Area[] {
  const { rows, columns } = model.sheet.shape;
  const others = model.state.otherAreas.flatMap((area) =>
    coversWholeLines(area) ? (clipToUsed(area, rows, columns) ?? []) : [model.sheet.mergedRanges.expandArea(area)],
  );
  return removeOverlaps([...others, getUsedSelection(model)]);
}

function coversWholeLines({ left, right, top, bottom }: Area): boolean {
  return (left === 0 && right === MAX_COLUMNS - 1) || (top === 0 && bottom === MAX_ROWS - 1);
}

function listVisibleParts(model: GridModel, areas: readonly Area[]): readonly Area[] {
  return splitVisibleAreas(model.state.filter, model.state.sheet, areas);
}

/** Visible rows of an area. */
export function listVisibleRowSpans(model: GridModel, { top, bottom }: Area): readonly LineSpan[] {
  return splitVisibleSpans(model.state.filter, model.state.sheet, { first: top, last: bottom });
}

/** True if a filter hides some of an area's rows. */
export function hasHiddenRows(model: GridModel, area: Area): boolean {
  const [first] = listVisibleRowSpans(model, area);
  return first?.first !== area.top || first.last !== area.bottom;
}

/** Returns areas with the same cells that do not overlap. */
function removeOverlaps(areas: readonly Area[]): readonly Area[] {
  const distinctAreas: Area[] = [];
  for (const area of areas) {
    let parts: readonly Area[] = [area];
    for (const area of distinctAreas) parts = parts.flatMap((part) => subtractArea(part, area));
    distinctAreas.push(...parts);
  }
  return distinctAreas;
}

function subtractArea(area: Area, subtracted: Area): readonly Area[] {
  if (!intersects(area, subtracted)) return [area];
  const [top, bottom] = [Math.max(area.top, subtracted.top), Math.min(area.bottom, subtracted.bottom)];
  return [
    { ...area, bottom: subtracted.top - 1 },
    { ...area, top, bottom, right: subtracted.left - 1 },
    { ...area, top, bottom, left: subtracted.right + 1 },
    { ...area, top: subtracted.bottom + 1 },
  ].filter((part) => part.top <= part.bottom && part.left <= part.right);
}

/** Number of visible selected cells. */
export function countVisibleCells(model: GridModel): number {
  const { filter, sheet } = model.state;
  return listSelectedRanges(model).reduce((sum, { top, bottom, left, right }) => {
    return sum + countVisibleRows(filter, sheet, { first: top, last: bottom }) * (right - left + 1);
  }, 0);
}

export function countCells(areas: readonly Area[]): number {
  return areas.reduce((sum, { top, left, bottom, right }) => sum + (bottom - top + 1) * (right - left + 1), 0);
}

/** The first `count` visible rows from a row on; fewer at the end of the grid. */
export function findNextVisibleRows(model: GridModel, from: number, count: number): readonly number[] {
  const rows: number[] = [];
  const last = from + count - 1;
  const all = splitVisibleSpans(model.state.filter, model.state.sheet, {
    first: from,
    last: Math.min(MAX_ROWS - 1, last),
  });
  for (const row of iterateRows(all)) rows.push(row);
  const { filter, sheet } = model.state;
  for (let next = last + 1; rows.length < count && next < MAX_ROWS; ) {
    const end = Math.min(MAX_ROWS - 1, Math.max(next + count, filter?.count ?? 0));
    for (const row of iterateRows(splitVisibleSpans(filter, sheet, { first: next, last: end }))) {
      if (rows.length < count) rows.push(row);
    }
    next = end + 1;
  }
  return rows;
}
