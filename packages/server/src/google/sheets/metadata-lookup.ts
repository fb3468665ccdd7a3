import {
  joinPath,
  type RequestObject,
  readChoice,
  readFlag,
  readInteger,
  readObject,
  readText,
  refuseUnknownMembers,
} from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import type { Metadata } from './metadata.ts';

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
const LOCATION_TYPES = ['SPREADSHEET', 'SHEET', 'ROW', 'COLUMN'] as const;
const STRATEGIES = ['EXACT_LOCATION', 'INTERSECTING_LOCATION'] as const;
const VISIBILITIES = ['DOCUMENT', 'PROJECT'] as const;

/** A `DeveloperMetadataLookup`. Absent members match everything. */
interface MetadataLookup {
  readonly id: number | undefined;
  readonly key: string | undefined;
  readonly value: string | undefined;
  readonly visibility: string | undefined;
  readonly type: string | undefined;
  readonly location: LookupLocation | null;
  /** True: locations that only share cells with `location` do not match. */
  readonly isExact: boolean;
}

interface LookupLocation {
  /** Null: the whole spreadsheet. */
  readonly sheetId: number | null;
  /** Null: the whole sheet. */
  readonly lines: { readonly axis: 'rows' | 'columns'; readonly first: number; readonly end: number } | null;
}

/** The lookup of a data filter; undefined: the filter is of another kind. */
export function readLookup(filter: RequestObject, path: string): MetadataLookup | undefined {
  refuseUnknownMembers(filter, ['a1Range', 'gridRange', 'developerMetadataLookup'], path);
  const lookup = readObject(filter, 'developerMetadataLookup', path);
  if (lookup === undefined) return undefined;
  const at = joinPath(path, 'developerMetadataLookup');
  refuseUnknownMembers(lookup, LOOKUP_MEMBERS, at);
  const location = readObject(lookup, 'metadataLocation', at);
  const strategy = readChoice(
    lookup,
    'locationMatchingStrategy',
    STRATEGIES,
    at,
    'DeveloperMetadataLookup.DeveloperMetadataLocationMatchingStrategy',
  );
  if (strategy !== undefined && location === undefined)
    throw createInvalidProblem('A locationMatchingStrategy needs a metadataLocation.');
  return {
    id: readInteger(lookup, 'metadataId', at),
    key: readText(lookup, 'metadataKey', at),
    value: readText(lookup, 'metadataValue', at),
    visibility: readChoice(lookup, 'visibility', VISIBILITIES, at, 'DeveloperMetadata.DeveloperMetadataVisibility'),
    type: readChoice(
      lookup,
      'locationType',
      LOCATION_TYPES,
      at,
      'DeveloperMetadataLocation.DeveloperMetadataLocationType',
    ),
    location: location === undefined ? null : readLocation(location, joinPath(at, 'metadataLocation')),
    isExact: strategy === 'EXACT_LOCATION',
  };
}

/** Reads the location of a lookup: the spreadsheet, a sheet, or rows or columns of a sheet. */
function readLocation(location: RequestObject, path: string): LookupLocation {
  refuseUnknownMembers(location, LOCATION_MEMBERS, path);
  readFlag(location, 'spreadsheet', path);
  const range = readObject(location, 'dimensionRange', path);
  if (range === undefined) return { sheetId: readInteger(location, 'sheetId', path) ?? null, lines: null };
  const at = joinPath(path, 'dimensionRange');
  refuseUnknownMembers(range, RANGE_MEMBERS, at);
  const dimension = readChoice(range, 'dimension', ['ROWS', 'COLUMNS'], at, 'Dimension');
  if (dimension === undefined) throw createInvalidProblem('No dimension specified.');
  const first = readInteger(range, 'startIndex', at) ?? 0;
  const end = readInteger(range, 'endIndex', at) ?? Number.MAX_SAFE_INTEGER;
  const axis = dimension === 'ROWS' ? 'rows' : 'columns';
  return { sheetId: readInteger(range, 'sheetId', at) ?? 0, lines: { axis, first, end } };
}

/** True if the metadata has the id, key, value, place and visibility that the lookup names. */
export function matchesLookup(metadata: Metadata, lookup: MetadataLookup): boolean {
  const { id, key, value, visibility, type, location, isExact } = lookup;
  if (id !== undefined && id !== metadata.id) return false;
  if (key !== undefined && key !== metadata.key) return false;
  if (value !== undefined && value !== metadata.value) return false;
  if (visibility !== undefined && visibility !== metadata.visibility) return false;
  if (type !== undefined && type !== classifyLocation(metadata)) return false;
  if (location === null) return true;
  return isExact ? isAtLocation(metadata, location) : meetsLocation(metadata, location);
}

/** Google's name of the kind of place: `SPREADSHEET`, `SHEET`, `ROW` or `COLUMN`. */
function classifyLocation({ sheet, axis, lines }: Metadata): string {
  if (sheet === null) return 'SPREADSHEET';
  return lines === null ? 'SHEET' : axis === 'rows' ? 'ROW' : 'COLUMN';
}

/** True if the metadata is on exactly this spreadsheet, sheet, row range or column range. */
function isAtLocation({ sheetId, axis, lines }: Metadata, location: LookupLocation): boolean {
  if (sheetId !== location.sheetId) return false;
  if (lines === null || location.lines === null) return lines === location.lines;
  return axis === location.lines.axis && lines.first === location.lines.first && lines.last + 1 === location.lines.end;
}

/** True if a cell belongs to both locations. */
function meetsLocation({ sheetId, axis, lines }: Metadata, location: LookupLocation): boolean {
  if (sheetId === null || location.sheetId === null) return true;
  if (sheetId !== location.sheetId) return false;
  if (lines === null || location.lines === null || axis !== location.lines.axis) return true;
  return lines.first < location.lines.end && lines.last >= location.lines.first;
}
