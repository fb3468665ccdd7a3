import type { Layout } from './layout.ts';
import type { Snapshot } from './snapshot.ts';

/** Limits for sheets, defined names and tables of a document. Names of single sheets count too. */
export const MAX_SHEETS = 1_000;
export const MAX_NAMES = 10_000;
export const MAX_TABLES = 10_000;

/**
 * The amount of data that every change of the structure visits, apart from cells: sheets, names, tables, and in the
 * layouts of sheets the bands, merged ranges, areas and formulas of attachments.
 */
export function measureStructure({ sheets, names, tables }: Pick<Snapshot, 'sheets' | 'names' | 'tables'>): number {
  const ofSheets = sheets.reduce((sum, { layout }) => sum + 1 + measureLayout(layout), 0);
  return ofSheets + names.length + tables.length;
}

function measureLayout({ columns, rows, merges, attachments }: Layout): number {
  const plain = columns.length + rows.length + merges.length;
  return attachments.reduce((sum, { areas, formulas }) => sum + areas.length + formulas.length, plain);
}

/** Which limit a change exceeds; null if none. A file may exceed limits, so only growth counts. */
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

/** True if sheets, names or tables were added. A quick check, because it runs for every edit. */
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
