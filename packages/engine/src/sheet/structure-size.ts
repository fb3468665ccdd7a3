import type { Layout } from './layout.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Limits for the numbers of sheets, defined names and tables of a document. Names that are scoped to a sheet count too.
 */
export const MAX_SHEETS = 1_000;
export const MAX_NAMES = 10_000;
export const MAX_TABLES = 10_000;

/**
 * Measures the data, apart from cells, that every change of the structure reads: the number of sheets, names, tables,
 * and of the bands, merged ranges, areas and formulas of attachments in the layouts of sheets.
 */
export function measureStructure({ sheets, names, tables }: Pick<Snapshot, 'sheets' | 'names' | 'tables'>): number {
  const sheetsSize = sheets.reduce((sum, { layout }) => sum + 1 + measureLayout(layout), 0);
  return sheetsSize + names.length + tables.length;
}

function measureLayout({ columns, rows, merges, attachments }: Layout): number {
  const plain = columns.length + rows.length + merges.length;
  return attachments.reduce((sum, { areas, formulas }) => sum + areas.length + formulas.length, plain);
}

/**
 * Returns the limit that a change exceeds; null if there is none. A file may already exceed limits, so only additions
 * count.
 */
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
