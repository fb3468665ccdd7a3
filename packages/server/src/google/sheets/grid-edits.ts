import { type Edit, MAX_COLUMNS, MAX_ROWS, type Sheet } from '@cellwire/engine';
import { createInvalidProblem } from '../problem.ts';
import { computeGridSize, type GridSize, KINDS } from './state.ts';

/** The edit that stores a sheet's grid size. */
export function setGrid(sheet: number, { rows, columns }: GridSize): Edit {
  if (rows > MAX_ROWS || columns > MAX_COLUMNS || rows < 1 || columns < 1) {
    throw createInvalidProblem(`A sheet can have ${MAX_ROWS} rows and ${MAX_COLUMNS} columns at most.`);
  }
  const area = { top: 0, left: 0, bottom: rows - 1, right: columns - 1 };
  const attachments = [{ areas: [area], texts: ['grid'] }];
  return { kind: 'attach', sheet, attachment: KINDS.grid, key: null, within: null, attachments };
}

/** The edits that enlarge a sheet's grid to at least this size. */
export function growGrid(sheet: Sheet, needed: GridSize): readonly Edit[] {
  const { rows, columns } = computeGridSize(sheet);
  if (needed.rows <= rows && needed.columns <= columns) return [];
  return [setGrid(sheet.id, { rows: Math.max(rows, needed.rows), columns: Math.max(columns, needed.columns) })];
}
