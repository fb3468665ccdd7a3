import { randomInt } from 'node:crypto';
import { type Area, FIRST_SHEET_ID, type Sheet, type Snapshot } from '@cellwire/engine';
import { NEW_GRID } from '../../limits/google.ts';

/**
 * Kinds of attachments for data that a document cannot store elsewhere. They belong to the sheet's layout, so that they
 * follow structural edits and undo. Exported files omit them. The first text is the key, the second one JSON.
 */
export const KINDS = {
  /** An attachment whose area is the whole grid. It stores the size of the grid. */
  grid: 'google.grid',
  /** `SheetRecord`. */
  sheet: 'google.sheet',
  /** The original text of a formula, which is also the key. */
  formula: 'google.formula',
  namedRange: 'google.namedRange',
  metadata: 'google.developerMetadata',
  protectedRange: 'google.protectedRange',
  /** The key is that of the protected range. */
  unprotectedRange: 'google.unprotectedRange',
  filterView: 'google.filterView',
  /** `FilterColumn` of the basic filter or of a view. */
  filterColumn: 'google.filterColumn',
  banding: 'google.banding',
  conditionalFormat: 'google.conditionalFormat',
  validation: 'google.dataValidation',
  group: 'google.collapsedGroup',
} as const;

type StoredAttachment = Sheet['layout']['attachments'][number];

/** The greatest id of a sheet or stored object. */
const MAX_OBJECT_ID = 2 ** 31 - 1;

/**
 * Creates a new id of a sheet or stored object: a random integer, which clients are unlikely to choose. Of 1,000 random
 * ids, two are equal in one of 4,300 cases, so the caller says which ids are taken.
 */
export function createObjectId(isTaken: (id: number) => boolean): number {
  for (;;) {
    const id = randomInt(1, MAX_OBJECT_ID);
    if (!isTaken(id)) return id;
  }
}

export interface GridSize {
  readonly rows: number;
  readonly columns: number;
}

/**
 * Stored properties of a sheet; `kind`: the sheet for which they were stored, because a copied sheet contains a copy of
 * them.
 */
export interface SheetRecord {
  readonly of: number;
  readonly sheetId?: number;
  readonly rowGroupControlAfter?: boolean;
  readonly columnGroupControlAfter?: boolean;
}

export function listAttachments(sheet: Sheet, kind: string): readonly StoredAttachment[] {
  const { attachments } = sheet.layout;
  return attachments.length === 0 ? attachments : attachments.filter((attachment) => attachment.kind === kind);
}

/** Google's data of a sheet. A copied sheet does not take over Google's id of its source. */
export function readSheetRecord(sheet: Sheet): SheetRecord {
  const text = listAttachments(sheet, KINDS.sheet).at(-1)?.texts[1];
  const record = text === undefined ? { of: sheet.id } : (JSON.parse(text) as SheetRecord);
  if (record.of === sheet.id) return record;
  const { sheetId: _, ...rest } = record;
  return { ...rest, of: sheet.id };
}

/** The sheet's id for Google clients: stored, or else derived from the document's own id. */
export function readSheetId(sheet: Sheet): number {
  return readSheetRecord(sheet).sheetId ?? deriveSheetId(sheet.id);
}

/** The first sheet of a document gets 0. Others get numbers that clients are unlikely to choose. */
function deriveSheetId(id: number): number {
  if (id === FIRST_SHEET_ID) return 0;
  // Multiplication by an odd number is a bijection on 31 bits, so ids stay unique.
  return Math.imul(id, 0x2f6e2b1) & 0x7fffffff || 1;
}

/** The grid size of a sheet: as stored, and at least as large as the filled area. */
export function computeGridSize(sheet: Sheet): GridSize {
  const { rows, columns } = sheet.extent();
  const stored = readStoredGrid(sheet) ?? NEW_GRID;
  return { rows: Math.max(stored.rows, rows), columns: Math.max(stored.columns, columns) };
}

/** The number of rows and columns that Google's grid has; null if it was never set. */
function readStoredGrid(sheet: Sheet): GridSize | null {
  const areas = listAttachments(sheet, KINDS.grid).at(-1)?.areas ?? [];
  if (areas.length === 0) return null;
  // Cutting cells can split the stored area into pieces.
  return { rows: Math.max(...areas.map(getBottom)) + 1, columns: Math.max(...areas.map(getRight)) + 1 };
}

const getBottom = ({ bottom }: Area): number => bottom;
const getRight = ({ right }: Area): number => right;

export function findSheetById(snapshot: Snapshot, sheetId: number): Sheet | undefined {
  return snapshot.sheets.find((sheet) => readSheetId(sheet) === sheetId);
}

/** A stored object of a sheet, with its key and current area. For objects with formulas see `rules.ts`. */
export interface StoredObject {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly areas: readonly Area[];
}

/** The objects of Google's API that are stored as attachments of this kind, with their areas. */
export function readStoredObjects(sheet: Sheet, kind: string): readonly StoredObject[] {
  return listAttachments(sheet, kind).map(({ areas, texts: [key = '', json = '{}'] }) => ({
    key,
    value: JSON.parse(json) as StoredObject['value'],
    areas,
  }));
}
