import { type Area, MAX_COLUMNS, MAX_ROWS, type Sheet, type Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import { integer, object, type RequestObject, text } from '../json.ts';
import { KINDS, objectsOf, sheetIdOf } from './state.ts';

/** Developer metadata of a document, with its current position. */
export interface Metadata {
  readonly id: number;
  readonly key: string;
  readonly value: string;
  readonly visibility: string;
  /** Null: it belongs to the document. */
  readonly sheet: Sheet | null;
  /** The sheet's id for Google clients; null: it belongs to the document. */
  readonly sheetId: number | null;
  /** The sheet on which it is stored. */
  readonly holder: Sheet;
  readonly axis: 'rows' | 'columns';
  /** Null: it belongs to a sheet or to the document. */
  readonly lines: { readonly first: number; readonly last: number } | null;
}

/** What an answer contains of developer metadata. */
type ShownMetadata = Omit<Metadata, 'sheet' | 'holder'>;

/** The stored form of developer metadata. */
export interface StoredMetadata {
  readonly id: number;
  readonly key: string;
  readonly value: string;
  readonly visibility: string;
  readonly location: 'spreadsheet' | 'sheet' | 'rows' | 'columns';
}

export function metadataOf(snapshot: Snapshot): readonly Metadata[] {
  return snapshot.sheets.flatMap((holder) => {
    const sheetId = sheetIdOf(holder);
    return objectsOf(holder, KINDS.metadata).map(({ value, areas }): Metadata => {
      const { location, ...stored } = value as unknown as StoredMetadata;
      const axis = location === 'columns' ? 'columns' : 'rows';
      const [area] = areas;
      const isOfLines = (location === 'rows' || location === 'columns') && area !== undefined;
      return {
        ...stored,
        holder,
        sheet: location === 'spreadsheet' ? null : holder,
        sheetId: location === 'spreadsheet' ? null : sheetId,
        axis,
        lines: isOfLines ? linesOf(area, axis) : null,
      };
    });
  });
}

/** The metadata that a caller may see: without that of sheets whose values are hidden from the caller. */
export function visibleMetadata(snapshot: Snapshot, { hiddenSheets }: DocumentAccess): readonly Metadata[] {
  return metadataOf(snapshot).filter(({ sheet }) => sheet === null || !hiddenSheets.has(sheet.id));
}

export function linesOf({ top, left, bottom, right }: Area, axis: 'rows' | 'columns') {
  return axis === 'rows' ? { first: top, last: bottom } : { first: left, last: right };
}

/** The area covered by whole lines. */
export function lineArea(axis: 'rows' | 'columns', first: number, last: number): Area {
  return axis === 'rows'
    ? { top: first, left: 0, bottom: last, right: MAX_COLUMNS - 1 }
    : { top: 0, left: first, bottom: MAX_ROWS - 1, right: last };
}

/** `DeveloperMetadata` in the form of answers. */
export function metadataAnswer({ id, key, value, visibility, sheetId, axis, lines }: ShownMetadata): object {
  return {
    metadataId: id,
    metadataKey: key,
    ...(value === '' ? {} : { metadataValue: value }),
    location: locationAnswer(sheetId, axis, lines),
    visibility,
  };
}

function locationAnswer(sheetId: number | null, axis: Metadata['axis'], lines: Metadata['lines']): object {
  if (sheetId === null) return { locationType: 'SPREADSHEET', spreadsheet: true };
  if (lines === null) return { locationType: 'SHEET', sheetId };
  return {
    locationType: axis === 'rows' ? 'ROW' : 'COLUMN',
    dimensionRange: {
      ...(sheetId === 0 ? {} : { sheetId }),
      dimension: axis === 'rows' ? 'ROWS' : 'COLUMNS',
      startIndex: lines.first,
      endIndex: lines.last + 1,
    },
  };
}

function locationType({ sheet, axis, lines }: Metadata): string {
  if (sheet === null) return 'SPREADSHEET';
  return lines === null ? 'SHEET' : axis === 'rows' ? 'ROW' : 'COLUMN';
}

/** Whether a `DeveloperMetadataLookup` matches it. */
export function isMatch(metadata: Metadata, lookup: RequestObject): boolean {
  const at = 'developer_metadata_lookup';
  const id = integer(lookup, 'metadataId', at);
  if (id !== undefined && id !== metadata.id) return false;
  const key = text(lookup, 'metadataKey', at);
  if (key !== undefined && key !== metadata.key) return false;
  const value = text(lookup, 'metadataValue', at);
  if (value !== undefined && value !== metadata.value) return false;
  const visibility = text(lookup, 'visibility', at);
  if (visibility !== undefined && visibility !== metadata.visibility) return false;
  const type = text(lookup, 'locationType', at);
  if (type !== undefined && type !== locationType(metadata)) return false;
  const location = object(lookup, 'metadataLocation', at);
  return location === undefined || isAt(metadata, location, text(lookup, 'locationMatchingStrategy', at));
}

function isAt(metadata: Metadata, location: RequestObject, strategy: string | undefined): boolean {
  const at = 'metadata_location';
  const range = object(location, 'dimensionRange', at);
  if (range !== undefined) {
    const { axis, lines } = metadata;
    if (lines === null || metadata.sheetId !== (integer(range, 'sheetId', at) ?? 0)) return false;
    if ((text(range, 'dimension', at) === 'COLUMNS') !== (axis === 'columns')) return false;
    const first = integer(range, 'startIndex', at) ?? 0;
    const end = integer(range, 'endIndex', at) ?? Number.MAX_SAFE_INTEGER;
    if (strategy === 'INTERSECTING_LOCATION') return lines.first < end && lines.last >= first;
    return lines.first === first && lines.last + 1 === end;
  }
  const sheetId = integer(location, 'sheetId', at);
  if (sheetId !== undefined) {
    const isOnSheet = metadata.sheetId === sheetId;
    return isOnSheet && (strategy === 'INTERSECTING_LOCATION' || metadata.lines === null);
  }
  return strategy === 'INTERSECTING_LOCATION' || metadata.sheet === null;
}
