import type { Layout } from './layout.ts';
import type { Snapshot } from './snapshot.ts';

/** Sheets, defined names and tables that a document may come to; a sheet's own names count, too. */
export const MAX_SHEETS = 1_000;
export const MAX_NAMES = 10_000;
export const MAX_TABLES = 10_000;

/**
 * How much of a state every change of its structure goes through, whatever the cells: sheets, names, tables, and of the
 * sheets' layouts bands, merged ranges, areas and formulas of attachments.
 */
export function structureSize({ sheets, names, tables }: Pick<Snapshot, 'sheets' | 'names' | 'tables'>): number {
  const ofSheets = sheets.reduce((sum, { layout }) => sum + 1 + layoutSize(layout), 0);
  return ofSheets + names.length + tables.length;
}

function layoutSize({ columns, rows, merges, attachments }: Layout): number {
  const plain = columns.length + rows.length + merges.length;
  return attachments.reduce((sum, { areas, formulas }) => sum + areas.length + formulas.length, plain);
}

/** What there is too much of, and how many there may be; null: nothing that was not before. A file may bring more. */
export function findExcess(
  before: CountedParts,
  after: CountedParts,
): { readonly what: CountedPart; readonly limit: number } | null {
  if (!hasGrown(before, after)) return null;
  for (const [what, limit] of LIMITS) {
    if (after[what].length > Math.max(limit, before[what].length)) return { what, limit };
  }
  return null;
}

/** Every edit asks, and few bring any. */
function hasGrown({ sheets, names, tables }: CountedParts, after: CountedParts): boolean {
  const hasOthers = after.names.length > names.length || after.tables.length > tables.length;
  return hasOthers || after.sheets.length > sheets.length;
}

type CountedPart = 'sheets' | 'names' | 'tables';
type CountedParts = Readonly<Record<CountedPart, { readonly length: number }>>;

const LIMITS: readonly (readonly [what: CountedPart, limit: number])[] = [
  ['sheets', MAX_SHEETS],
  ['names', MAX_NAMES],
  ['tables', MAX_TABLES],
];
