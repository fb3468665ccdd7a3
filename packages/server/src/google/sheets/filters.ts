import { MAX_COLUMNS, MAX_ROWS, type Sheet, type Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import { WHOLE } from '../a1.ts';
import { integer, object, type RequestObject, refuseUnknown, text } from '../json.ts';
import { invalid } from '../problem.ts';
import { isMatch, type Metadata, visibleMetadata } from './metadata.ts';
import { placeOf, type ResolvedRange, resolveA1 } from './resolve.ts';
import { sheetWithId } from './state.ts';

interface FilteredRange {
  readonly place: ResolvedRange;
  /** The data filters that select it, as sent. */
  readonly filters: readonly RequestObject[];
}

/** The cells selected by data filters. */
export function resolveFilters(
  snapshot: Snapshot,
  filters: readonly RequestObject[],
  access: DocumentAccess,
): readonly FilteredRange[] {
  return filters.flatMap((filter, i) =>
    placesOf(snapshot, filter, access, `data_filters[${i}]`).map((place) => ({ place, filters: [filter] })),
  );
}

function placesOf(
  snapshot: Snapshot,
  filter: RequestObject,
  access: DocumentAccess,
  at: string,
): readonly ResolvedRange[] {
  refuseUnknown(filter, ['a1Range', 'gridRange', 'developerMetadataLookup'], at);
  const a1 = text(filter, 'a1Range', at);
  if (a1 !== undefined) return [resolveA1(snapshot, a1)];
  const range = object(filter, 'gridRange', at);
  if (range !== undefined) return [gridRangeOf(snapshot, range, `${at}.grid_range`)];
  const lookup = object(filter, 'developerMetadataLookup', at);
  if (lookup === undefined) throw invalid(`Invalid ${at}: No filter set.`);
  return visibleMetadata(snapshot, access)
    .filter((metadata) => isMatch(metadata, lookup))
    .flatMap((metadata) => placeOfMetadata(metadata) ?? []);
}

function placeOfMetadata({ sheet, lines, axis }: Metadata): ResolvedRange | null {
  if (sheet === null) return null;
  if (lines === null) return placeOf(sheet, WHOLE, true);
  const open =
    axis === 'rows'
      ? { top: lines.first, left: 0, bottom: lines.last, right: null }
      : { top: 0, left: lines.first, bottom: null, right: lines.last };
  return placeOf(sheet, open, false);
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
function sheetOf(snapshot: Snapshot, members: RequestObject, at: string): Sheet {
  const sheetId = integer(members, 'sheetId', at) ?? 0;
  const sheet = sheetWithId(snapshot, sheetId);
  if (sheet === undefined) throw invalid(`No grid with id: ${sheetId}`);
  return sheet;
}

/** The cells of a `GridRange`. Absent bounds are open. */
function gridRangeOf(snapshot: Snapshot, range: RequestObject, at: string): ResolvedRange {
  refuseUnknown(range, GRID_RANGE_MEMBERS, at);
  const sheet = sheetOf(snapshot, range, at);
  return placeOf(sheet, openRangeOf(range, at), false);
}

/** The bounds of a `GridRange`. */
export function openRangeOf(range: RequestObject, at: string) {
  const readBound = (name: keyof GridBounds, most: number) => {
    const value = integer(range, name, at);
    if (value !== undefined && (value < 0 || value > most)) {
      throw invalid(`Invalid value at '${at}.${name}': ${value} is outside of the grid.`);
    }
    return value;
  };
  const top = readBound('startRowIndex', MAX_ROWS) ?? 0;
  const left = readBound('startColumnIndex', MAX_COLUMNS) ?? 0;
  const endRow = readBound('endRowIndex', MAX_ROWS);
  const endColumn = readBound('endColumnIndex', MAX_COLUMNS);
  if ((endRow !== undefined && endRow <= top) || (endColumn !== undefined && endColumn <= left)) {
    throw invalid('GridRange is empty: its end must come after its start.');
  }
  return {
    top,
    left,
    bottom: endRow === undefined ? null : endRow - 1,
    right: endColumn === undefined ? null : endColumn - 1,
  };
}

/** A `GridRange` in the form of answers: the sheet id 0 is omitted. */
export function gridRangeAnswer(
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
