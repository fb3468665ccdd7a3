import { Sheet, Snapshot } from './snapshot.ts';

/**
 * Returns a state with the same sheets, layouts, names and tables, but without cells. The time depends only on the
 * number of sheets.
 */
export function removeCells(snapshot: Snapshot): Snapshot {
  const sheets = snapshot.sheets.map((sheet) => new Sheet(sheet.revision, toSheetFields(sheet)));
  return new Snapshot({ ...toSnapshotFields(snapshot), sheets, hasClock: false });
}

function toSheetFields({ id, name, hidden, color, hiddenRows, layout }: Sheet) {
  return { id, name, hidden, color, hiddenRows, layout, columns: [], spills: new Map() };
}

function toSnapshotFields({ revision, settings, names, tables, formats, carried, nextSheetId }: Snapshot) {
  return { revision, settings, names, tables, formats, carried, nextSheetId };
}
