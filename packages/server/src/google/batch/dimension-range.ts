import {
  joinPath,
  nameSheetsType,
  type RequestObject,
  readInteger,
  refuseUnknownMembers,
  throwWrongType,
} from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import type { RequestBatch, WorkingSheet } from './state.ts';

/** Rows or columns named by a `DimensionRange`. */
export interface WorkingLines {
  readonly sheet: WorkingSheet;
  readonly axis: 'rows' | 'columns';
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
}

/**
 * The rows or columns of a `DimensionRange`. They are cut at the end of the grid, and must begin in it; `isOpen` allows
 * lines beyond. Throws a `Problem` for an empty range.
 */
export function parseDimensionRange(
  batch: RequestBatch,
  members: RequestObject,
  path: string,
  isOpen = false,
): WorkingLines {
  refuseUnknownMembers(members, ['sheetId', 'dimension', 'startIndex', 'endIndex'], path);
  const sheet = batch.requireSheet(members, path);
  const axis = parseAxis(members, path);
  const count = axis === 'rows' ? sheet.grid.rows : sheet.grid.columns;
  const start = readInteger(members, 'startIndex', path) ?? 0;
  const end = readInteger(members, 'endIndex', path) ?? count;
  const last = isOpen ? end - 1 : Math.min(end, count) - 1;
  if (start < 0 || end <= start || (!isOpen && start >= count)) {
    throw createInvalidProblem(`Cannot operate on ${axis} ${start} to ${end}: the sheet has ${count} ${axis}.`);
  }
  return { sheet, axis, first: start, last };
}

export function parseAxis(members: RequestObject, path: string, name = 'dimension'): 'rows' | 'columns' {
  const value = members[name];
  if (value === 'ROWS') return 'rows';
  if (value === 'COLUMNS') return 'columns';
  if (value === undefined || value === null) throw createInvalidProblem('No dimension specified.');
  return throwWrongType(joinPath(path, name), nameSheetsType('Dimension'), value);
}
