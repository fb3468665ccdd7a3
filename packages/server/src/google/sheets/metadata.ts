import { type Area, MAX_COLUMNS, MAX_ROWS, type Sheet, type Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import { joinPath, type RequestObject, readInteger, readObject, readText, refuseUnknownMembers } from '../json.ts';
import { KINDS, readSheetId, readStoredObjects } from './state.ts';

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

/** The parts of an answer that describe developer metadata. */
type ShownMetadata = Omit<Metadata, 'sheet' | 'holder'>;

/** The stored form of developer metadata. */
export interface StoredMetadata {
  readonly id: number;
  readonly key: string;
  readonly value: string;
  readonly visibility: string;
  readonly location: 'spreadsheet' | 'sheet' | 'rows' | 'columns';
}

export function readMetadata(snapshot: Snapshot): readonly Metadata[] {
  return snapshot.sheets.flatMap((holder) => {
    const sheetId = readSheetId(holder);
    return readStoredObjects(holder, KINDS.metadata).map(({ value, areas }): Metadata => {
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
        lines: isOfLines ? toLineSpan(area, axis) : null,
      };
    });
  });
}

/** The metadata that a caller may see: without that of sheets whose values are hidden from the caller. */
export function readVisibleMetadata(snapshot: Snapshot, { hiddenSheets }: DocumentAccess): readonly Metadata[] {
  return readMetadata(snapshot).filter(({ sheet }) => sheet === null || !hiddenSheets.has(sheet.id));
}

export function toLineSpan({ top, left, bottom, right }: Area, axis: 'rows' | 'columns') {
  return axis === 'rows' ? { first: top, last: bottom } : { first: left, last: right };
}

/** The area covered by whole lines. */
export function toWholeLineArea(axis: 'rows' | 'columns', first: number, last: number): Area {
  return axis === 'rows'
    ? { top: first, left: 0, bottom: last, right: MAX_COLUMNS - 1 }
    : { top: 0, left: first, bottom: MAX_ROWS - 1, right: last };
}

/** `DeveloperMetadata` in the form of answers. */
export function toMetadataAnswer({ id, key, value, visibility, sheetId, axis, lines }: ShownMetadata): object {
  return {
    metadataId: id,
    metadataKey: key,
    ...(value === '' ? {} : { metadataValue: value }),
    location: toLocationAnswer(sheetId, axis, lines),
    visibility,
  };
}

function toLocationAnswer(sheetId: number | null, axis: Metadata['axis'], lines: Metadata['lines']): object {
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

function classifyLocation({ sheet, axis, lines }: Metadata): string {
  if (sheet === null) return 'SPREADSHEET';
  return lines === null ? 'SHEET' : axis === 'rows' ? 'ROW' : 'COLUMN';
}

const LOOKUP_MEMBERS = [
  'locationType',
  'metadataLocation',
  'locationMatchingStrategy',
  'metadataId',
  'metadataKey',
  'metadataValue',
  'visibility',
];

const LOCATION_MEMBERS = ['locationType', 'spreadsheet', 'sheetId', 'dimensionRange'];
const RANGE_MEMBERS = ['sheetId', 'dimension', 'startIndex', 'endIndex'];

/** The `DeveloperMetadataLookup` of a data filter; undefined: the filter is of another kind. */
export function readLookup(filter: RequestObject, path: string): RequestObject | undefined {
  refuseUnknownMembers(filter, ['a1Range', 'gridRange', 'developerMetadataLookup'], path);
  const lookup = readObject(filter, 'developerMetadataLookup', path);
  if (lookup === undefined) return undefined;
  const at = joinPath(path, 'developerMetadataLookup');
  refuseUnknownMembers(lookup, LOOKUP_MEMBERS, at);
  const location = readObject(lookup, 'metadataLocation', at) ?? {};
  const locationPath = joinPath(at, 'metadataLocation');
  refuseUnknownMembers(location, LOCATION_MEMBERS, locationPath);
  const range = readObject(location, 'dimensionRange', locationPath) ?? {};
  refuseUnknownMembers(range, RANGE_MEMBERS, joinPath(locationPath, 'dimensionRange'));
  return lookup;
}

/** Whether a `DeveloperMetadataLookup` matches it. */
export function matchesLookup(metadata: Metadata, lookup: RequestObject): boolean {
  const at = 'developer_metadata_lookup';
  const id = readInteger(lookup, 'metadataId', at);
  if (id !== undefined && id !== metadata.id) return false;
  const key = readText(lookup, 'metadataKey', at);
  if (key !== undefined && key !== metadata.key) return false;
  const value = readText(lookup, 'metadataValue', at);
  if (value !== undefined && value !== metadata.value) return false;
  const visibility = readText(lookup, 'visibility', at);
  if (visibility !== undefined && visibility !== metadata.visibility) return false;
  const type = readText(lookup, 'locationType', at);
  if (type !== undefined && type !== classifyLocation(metadata)) return false;
  const location = readObject(lookup, 'metadataLocation', at);
  return (
    location === undefined || matchesLocation(metadata, location, readText(lookup, 'locationMatchingStrategy', at))
  );
}

function matchesLocation(metadata: Metadata, location: RequestObject, strategy: string | undefined): boolean {
  const at = 'metadata_location';
  const range = readObject(location, 'dimensionRange', at);
  if (range !== undefined) {
    const { axis, lines } = metadata;
    if (lines === null || metadata.sheetId !== (readInteger(range, 'sheetId', at) ?? 0)) return false;
    if ((readText(range, 'dimension', at) === 'COLUMNS') !== (axis === 'columns')) return false;
    const first = readInteger(range, 'startIndex', at) ?? 0;
    const end = readInteger(range, 'endIndex', at) ?? Number.MAX_SAFE_INTEGER;
    if (strategy === 'INTERSECTING_LOCATION') return lines.first < end && lines.last >= first;
    return lines.first === first && lines.last + 1 === end;
  }
  const sheetId = readInteger(location, 'sheetId', at);
  if (sheetId !== undefined) {
    const isOnSheet = metadata.sheetId === sheetId;
    return isOnSheet && (strategy === 'INTERSECTING_LOCATION' || metadata.lines === null);
  }
  return strategy === 'INTERSECTING_LOCATION' || metadata.sheet === null;
}
