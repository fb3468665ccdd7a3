import { type Area, MAX_COLUMNS, MAX_ROWS, type Sheet, type Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
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

/** The first and the last row or column of an area. */
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

/** The location of metadata as Google's API answers it. A sheet id of null means the spreadsheet. */
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
