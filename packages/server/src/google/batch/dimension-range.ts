import { integer, type RequestObject, refuseUnknown } from '../json.ts';
import { invalid } from '../problem.ts';
import type { RequestBatch, WorkingSheet } from './state.ts';

/** Lines named by a `DimensionRange`, clamped to the grid. */
export interface WorkingLines {
  readonly sheet: WorkingSheet;
  readonly axis: 'rows' | 'columns';
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
}

/** `isOpen`: allows lines beyond the grid. */
export function dimensionRange(
  batch: RequestBatch,
  members: RequestObject,
  place: string,
  isOpen = false,
): WorkingLines {
  refuseUnknown(members, ['sheetId', 'dimension', 'startIndex', 'endIndex'], place);
  const sheet = batch.sheet(members, place);
  const axis = axisOf(members, place);
  const count = axis === 'rows' ? sheet.grid.rows : sheet.grid.columns;
  const start = integer(members, 'startIndex', place) ?? 0;
  const end = integer(members, 'endIndex', place) ?? count;
  const last = isOpen ? end - 1 : Math.min(end, count) - 1;
  if (start < 0 || end <= start || (!isOpen && start >= count)) {
    throw invalid(`Cannot operate on ${axis} ${start} to ${end}: the sheet has ${count} ${axis}.`);
  }
  return { sheet, axis, first: start, last };
}

export function axisOf(members: RequestObject, place: string, name = 'dimension'): 'rows' | 'columns' {
  const value = members[name];
  if (value === 'ROWS') return 'rows';
  if (value === 'COLUMNS') return 'columns';
  throw invalid(`Invalid ${place}.${name}: it must be ROWS or COLUMNS.`);
}
