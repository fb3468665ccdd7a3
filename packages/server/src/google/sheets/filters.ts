import { MAX_COLUMNS, MAX_ROWS, type Sheet, type Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import { WHOLE_SHEET } from '../a1.ts';
import { type RequestObject, readInteger, readObject, readText, refuseUnknownMembers } from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import { type Metadata, readVisibleMetadata } from './metadata.ts';
import { matchesLookup, readLookup } from './metadata-lookup.ts';
import { clampToGrid, type ResolvedRange, resolveA1 } from './resolve.ts';
import { findSheetById } from './state.ts';

interface FilteredRange {
  readonly place: ResolvedRange;
  /** The request's data filters that select this range, as sent. */
  readonly filters: readonly RequestObject[];
}

/** The cells selected by data filters. */
export function resolveFilters(
  snapshot: Snapshot,
  filters: readonly RequestObject[],
  access: DocumentAccess,
): readonly FilteredRange[] {
  return filters.flatMap((filter, i) =>
    resolveFilterRanges(snapshot, filter, access, `data_filters[${i}]`).map((place) => ({ place, filters: [filter] })),
  );
}

/** The ranges that a `DataFilter` selects: by A1 text, by grid range or by developer metadata. */
function resolveFilterRanges(
  snapshot: Snapshot,
  filter: RequestObject,
  access: DocumentAccess,
  path: string,
): readonly ResolvedRange[] {
  refuseUnknownMembers(filter, ['a1Range', 'gridRange', 'developerMetadataLookup'], path);
  const a1 = readText(filter, 'a1Range', path);
  if (a1 !== undefined) return [resolveA1(snapshot, a1)];
  const range = readObject(filter, 'gridRange', path);
  if (range !== undefined) return [resolveGridRange(snapshot, range, `${path}.grid_range`)];
  const lookup = readLookup(filter, path);
  if (lookup === undefined) throw createInvalidProblem(`Invalid ${path}: No filter set.`);
  return readVisibleMetadata(snapshot, access)
    .filter((metadata) => matchesLookup(metadata, lookup))
    .flatMap((metadata) => findMetadataRange(metadata) ?? []);
}

/** The cells that the metadata belongs to; null if it belongs to the whole spreadsheet. */
function findMetadataRange({ sheet, lines, axis }: Metadata): ResolvedRange | null {
  if (sheet === null) return null;
  if (lines === null) return clampToGrid(sheet, WHOLE_SHEET, true);
  const open =
    axis === 'rows'
      ? { top: lines.first, left: 0, bottom: lines.last, right: null }
      : { top: 0, left: lines.first, bottom: null, right: lines.last };
  return clampToGrid(sheet, open, false);
}

/** Bounds of a `GridRange`; ends are exclusive, as in requests. */
interface GridBounds {
  readonly startRowIndex?: number;
  readonly endRowIndex?: number;
  readonly startColumnIndex?: number;
  readonly endColumnIndex?: number;
}

export const GRID_RANGE_MEMBERS = ['sheetId', 'startRowIndex', 'endRowIndex', 'startColumnIndex', 'endColumnIndex'];

/** The sheet named by the member `sheetId`. */
function requireSheet(snapshot: Snapshot, members: RequestObject, path: string): Sheet {
  const sheetId = readInteger(members, 'sheetId', path) ?? 0;
  const sheet = findSheetById(snapshot, sheetId);
  if (sheet === undefined) throw createInvalidProblem(`No grid with id: ${sheetId}`);
  return sheet;
}

/** The cells of a `GridRange`. Absent bounds are open. */
function resolveGridRange(snapshot: Snapshot, range: RequestObject, path: string): ResolvedRange {
  refuseUnknownMembers(range, GRID_RANGE_MEMBERS, path);
  const sheet = requireSheet(snapshot, range, path);
  return clampToGrid(sheet, parseGridRange(range, path), false);
}

/** The bounds of a `GridRange`. */
export function parseGridRange(range: RequestObject, path: string) {
  const readBound = (name: keyof GridBounds, maximum: number) => {
    const value = readInteger(range, name, path);
    if (value !== undefined && (value < 0 || value > maximum)) {
      throw createInvalidProblem(`Invalid value at '${path}.${name}': ${value} is outside of the grid.`);
    }
    return value;
  };
  const top = readBound('startRowIndex', MAX_ROWS) ?? 0;
  const left = readBound('startColumnIndex', MAX_COLUMNS) ?? 0;
  const endRow = readBound('endRowIndex', MAX_ROWS);
  const endColumn = readBound('endColumnIndex', MAX_COLUMNS);
  if ((endRow !== undefined && endRow <= top) || (endColumn !== undefined && endColumn <= left)) {
    throw createInvalidProblem('GridRange is empty: its end must come after its start.');
  }
  return {
    top,
    left,
    bottom: endRow === undefined ? null : endRow - 1,
    right: endColumn === undefined ? null : endColumn - 1,
  };
}

/** A `GridRange` in the form of answers: the sheet id 0 is omitted. */
export function toGridRange(
  sheetId: number,
  {
    top,
    left,
    bottom,
    right,
  }: { readonly top: number; readonly left: number; readonly bottom: number; readonly right: number },
): RequestObject {
  return {
    ...(sheetId === 0 ? {} : { sheetId }),
    startRowIndex: top,
    endRowIndex: bottom + 1,
    startColumnIndex: left,
    endColumnIndex: right + 1,
  };
}
