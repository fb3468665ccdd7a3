import { randomInt } from 'node:crypto';
import { type Area, FIRST_SHEET_ID, type Sheet, type Snapshot } from '@cellwire/engine';
import { NEW_GRID } from '../../limits/google.ts';

/**
 * Kinds of attachments that hold what a document has no other place for. They stand in the sheet's layout, so that they
 * follow structural edits and undo, and files leave them out. The first text is the key, the second JSON.
 */
export const KINDS = {
  /** Its area is the grid. */
  grid: 'google.grid',
  /** `SheetRecord`. */
  sheet: 'google.sheet',
  /** A formula as it was typed; the key is its text. */
  formula: 'google.formula',
  namedRange: 'google.namedRange',
  metadata: 'google.developerMetadata',
  protectedRange: 'google.protectedRange',
  filterView: 'google.filterView',
  /** `FilterColumn` of the basic filter or of a view. */
  filterColumn: 'google.filterColumn',
  banding: 'google.banding',
  conditionalFormat: 'google.conditionalFormat',
  validation: 'google.dataValidation',
  group: 'google.collapsedGroup',
} as const;

type Attachment = Sheet['layout']['attachments'][number];

/** An id of a sheet or of a stored object: whole numbers that clients are unlikely to choose themselves. */
export function newObjectId(): number {
  return randomInt(1, 2 ** 31 - 1);
}

export interface Grid {
  readonly rows: number;
  readonly columns: number;
}

/** What is stored of a sheet's properties; `of`: the sheet that it was stored for, as a copy of a sheet copies it. */
export interface SheetRecord {
  readonly of: number;
  readonly sheetId?: number;
  readonly rowGroupControlAfter?: boolean;
  readonly columnGroupControlAfter?: boolean;
}

export function attachmentsOf(sheet: Sheet, kind: string): readonly Attachment[] {
  const { attachments } = sheet.layout;
  return attachments.length === 0 ? attachments : attachments.filter((held) => held.kind === kind);
}

export function recordOf(sheet: Sheet): SheetRecord {
  const text = attachmentsOf(sheet, KINDS.sheet).at(-1)?.texts[1];
  const record = text === undefined ? { of: sheet.id } : (JSON.parse(text) as SheetRecord);
  if (record.of === sheet.id) return record;
  const { sheetId: _, ...rest } = record;
  return { ...rest, of: sheet.id };
}

/** The id under which Google clients know a sheet: stored, else made of the document's own id of it. */
export function sheetIdOf(sheet: Sheet): number {
  return recordOf(sheet).sheetId ?? madeSheetId(sheet.id);
}

/** The first sheet of a document is 0. Others get numbers that clients are unlikely to choose. */
function madeSheetId(id: number): number {
  if (id === FIRST_SHEET_ID) return 0;
  // Multiplication by an odd number maps 31 bits onto themselves: no two sheets get the same one.
  return Math.imul(id, 0x2f6e2b1) & 0x7fffffff || 1;
}

/** The grid of a sheet: as stored, and at least as large as what is filled. */
export function gridOf(sheet: Sheet): Grid {
  const { rows, columns } = sheet.extent();
  const stored = storedGrid(sheet) ?? NEW_GRID;
  return { rows: Math.max(stored.rows, rows), columns: Math.max(stored.columns, columns) };
}

function storedGrid(sheet: Sheet): Grid | null {
  const areas = attachmentsOf(sheet, KINDS.grid).at(-1)?.areas ?? [];
  if (areas.length === 0) return null;
  // Cells that were cut may have left the area in pieces.
  return { rows: Math.max(...areas.map(bottomOf)) + 1, columns: Math.max(...areas.map(rightOf)) + 1 };
}

const bottomOf = ({ bottom }: Area): number => bottom;
const rightOf = ({ right }: Area): number => right;

export function sheetWithId(snapshot: Snapshot, sheetId: number): Sheet | undefined {
  return snapshot.sheets.find((sheet) => sheetIdOf(sheet) === sheetId);
}

/** A stored object of a sheet, with its key and the area that it has now. */
export interface StoredObject {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly areas: readonly Area[];
}

export function objectsOf(sheet: Sheet, kind: string): readonly StoredObject[] {
  return attachmentsOf(sheet, kind).map(({ areas, texts: [key = '', json = '{}'] }) => ({
    key,
    value: JSON.parse(json) as StoredObject['value'],
    areas,
  }));
}
