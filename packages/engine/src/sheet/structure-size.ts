import type { Layout } from './layout.ts';
import type { Snapshot } from './snapshot.ts';

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
