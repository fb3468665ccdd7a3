import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Area, type CellData, pageBytes, type Snapshot } from '@cellwire/engine';
import type { Database } from '@cellwire/store';
import type { Documents } from '../../src/documents/types.ts';
import { LARGE_DOCUMENT_CHUNKS } from '../../src/limits/open-documents.ts';
import { createInstallation, getFirstSheetId, openDocument, openInstallation, SETTINGS } from './support.ts';

const CHUNK_ROWS = 256;
export const COLUMNS = 8;
export const ROWS = (LARGE_DOCUMENT_CHUNKS / COLUMNS) * CHUNK_ROWS + 10;

/** Areas at the edges of chunks and of the sheet, and beyond it. */
export const AREAS: readonly Area[] = [
  { top: 700, left: 0, bottom: 701, right: 99 },
  { top: 0, left: 0, bottom: 99, right: COLUMNS - 1 },
  { top: 255, left: 1, bottom: 256, right: 2 },
  { top: 30_000, left: 3, bottom: 31_000, right: 3 },
  { top: ROWS - 5, left: 0, bottom: ROWS + 700, right: COLUMNS + 3 },
];

/** This column has a cell in every row. The others have the rows of `AREAS`, and eight rows of each chunk. */
const FULL_COLUMN = 3;
const ROW_SPACING = 32;

const isInArea = (row: number) => AREAS.some(({ top, bottom }) => row >= top && row <= bottom);

export const CELLS: readonly CellData[] = Array.from({ length: ROWS * COLUMNS }, (_, i) => ({
  row: Math.floor(i / COLUMNS),
  column: i % COLUMNS,
  i,
}))
  .filter(({ row, column }) => column === FULL_COLUMN || row % ROW_SPACING === 0 || isInArea(row))
  .map(({ row, column, i }) => ({ row, column, value: row === 0 ? `column ${column}` : i / 8 }));

/** Creates a document with enough chunks to be read in part. One column has cells only at its ends. */
async function createLargeDocument(documents: Documents): Promise<string> {
  const cells: CellData[] = [...CELLS];
  for (const row of [3, ROWS - 1]) cells.push({ row, column: COLUMNS + 1, value: 'sparse' });
  const look = { hidden: false, color: null, hiddenRows: [], columnFormats: new Map<number, string>() };
  const data = { settings: SETTINGS, names: [], tables: [], sheets: [{ ...look, name: 'Large', cells }] };
  const document = { ownerId: 1, title: 'T', type: 'table', format: 'collaborative' } as const;
  const created = await documents.create({ ...document, content: { kind: 'data', data } });
  assert.ok(created.kind === 'created');
  return created.id;
}

/** The cells of areas of the first sheet as the API shows them. */
export function formatAreas(snapshot: Snapshot, areas: readonly Area[]): readonly string[] {
  return areas.map((area) => new TextDecoder().decode(pageBytes(snapshot, getFirstSheetId(snapshot), area, 'ROWS')));
}

/** A process with a large open document, and another process that has not opened it. */
export async function openInOneOfTwo(t: TestContext, wrap?: (database: Database) => Database) {
  const first = await createInstallation(t);
  const id = await createLargeDocument(first.documents);
  const document = await openDocument(first.documents, id);
  return { first, id, document, second: openInstallation(t, first.folder, wrap) };
}
