import { type Area, areaText, columnName, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';

export interface GridPosition {
  readonly row: number;
  readonly column: number;
}

/**
 * A selection from `anchor` to the moving `corner`, with the active cell inside it. Whole rows and columns span the
 * grid.
 */
export interface Selection {
  readonly active: GridPosition;
  readonly anchor: GridPosition;
  readonly corner: GridPosition;
  readonly kind: 'cells' | 'rows' | 'columns' | 'all';
}

export function createCellSelection(position: GridPosition): Selection {
  return { active: position, anchor: position, corner: position, kind: 'cells' };
}

export function createAreaSelection(area: Area): Selection {
  const isRows = area.left === 0 && area.right === MAX_COLUMNS - 1;
  const isColumns = area.top === 0 && area.bottom === MAX_ROWS - 1;
  const anchor = { row: area.top, column: area.left };
  return {
    active: anchor,
    anchor,
    corner: { row: area.bottom, column: area.right },
    kind: isRows && isColumns ? 'all' : isRows ? 'rows' : isColumns ? 'columns' : 'cells',
  };
}

export function computeSelectedArea({ anchor, corner, kind }: Selection): Area {
  const allRows = kind === 'columns' || kind === 'all';
  const allColumns = kind === 'rows' || kind === 'all';
  return {
    top: allRows ? 0 : Math.min(anchor.row, corner.row),
    bottom: allRows ? MAX_ROWS - 1 : Math.max(anchor.row, corner.row),
    left: allColumns ? 0 : Math.min(anchor.column, corner.column),
    right: allColumns ? MAX_COLUMNS - 1 : Math.max(anchor.column, corner.column),
  };
}

/** Returns A1 notation: `B2:C3`, `2:4`, `A:C`. */
export function formatSelection(selection: Selection): string {
  const area = computeSelectedArea(selection);
  if (selection.kind === 'rows') return `${area.top + 1}:${area.bottom + 1}`;
  if (selection.kind === 'columns' || selection.kind === 'all') {
    return `${columnName(area.left)}:${columnName(area.right)}`;
  }
  return areaText(area);
}

/** Clips an area to the used part of a sheet; null if nothing is left. */
export function clipToUsed(area: Area, rows: number, columns: number): Area | null {
  const bottom = Math.min(area.bottom, rows - 1);
  const right = Math.min(area.right, columns - 1);
  return bottom < area.top || right < area.left ? null : { ...area, bottom, right };
}

/** The next cell of a selection by row (Tab) or by column (Enter). It wraps around. */
export function findNextInSelection(
  selection: Selection,
  current: GridPosition,
  direction: 'row' | 'column',
  step: 1 | -1,
): GridPosition {
  const { top, left, bottom, right } = computeSelectedArea(selection);
  const height = bottom - top + 1;
  const width = right - left + 1;
  const count = height * width;
  const position =
    direction === 'row'
      ? (current.row - top) * width + current.column - left
      : (current.column - left) * height + current.row - top;
  const next = (position + step + count) % count;
  return direction === 'row'
    ? { row: top + Math.floor(next / width), column: left + (next % width) }
    : { row: top + (next % height), column: left + Math.floor(next / height) };
}
