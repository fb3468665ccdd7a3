import { nameViews, type Sheet, type Snapshot } from '@cellwire/engine';
import { parseA1 } from '../a1.ts';
import { DEFAULT_FORMAT, omitEmptyMembers } from '../format/cell-format.ts';
import { SPREADSHEET_THEME, toColorForms } from '../format/color.ts';
import type { RequestObject } from '../json.ts';
import { toGridRange } from './filters.ts';
import { computeGridSize, KINDS, listAttachments, readSheetId, readSheetRecord } from './state.ts';
import { readSheetView } from './views.ts';

export const TAB = { color: 'tabColor', style: 'tabColorStyle' };

/** `SheetProperties`. */
export function describeSheet(sheet: Sheet, index: number): Readonly<Record<string, unknown>> {
  const { rows, columns } = computeGridSize(sheet);
  const { frozenRows, frozenColumns, hidesGridlines, isRightToLeft } = readSheetView(sheet);
  const { rowGroupControlAfter, columnGroupControlAfter } = readSheetRecord(sheet);
  return {
    sheetId: readSheetId(sheet),
    title: sheet.name,
    index,
    sheetType: 'GRID',
    gridProperties: omitEmptyMembers({
      rowCount: rows,
      columnCount: columns,
      frozenRowCount: frozenRows,
      frozenColumnCount: frozenColumns,
      hideGridlines: hidesGridlines,
      rowGroupControlAfter,
      columnGroupControlAfter,
    }),
    ...(sheet.hidden ? { hidden: true } : {}),
    ...(sheet.color === null ? {} : toColorForms(sheet.color.toLowerCase(), TAB)),
    ...(isRightToLeft ? { rightToLeft: true } : {}),
  };
}

/** `SpreadsheetProperties`. */
export function describeSpreadsheet({ settings }: Snapshot, title: string): object {
  return {
    title,
    locale: settings.locale.replace('-', '_'),
    autoRecalc: 'ON_CHANGE',
    timeZone: settings.timeZone,
    defaultFormat: DEFAULT_FORMAT,
    spreadsheetTheme: SPREADSHEET_THEME,
  };
}

/** A defined name in its scope. */
export interface NameKey {
  readonly name: string;
  /** The document's own id of the sheet that has the name; absent for a name of the document. */
  readonly scope?: number;
}

/** A defined name as Google clients see it. */
export interface DefinedRange extends NameKey {
  readonly id: string;
  /** `NamedRange`. */
  readonly answer: { readonly namedRangeId: string; readonly name: string; readonly range: RequestObject };
}

/** Names of ranges, without names of other formulas. */
export function listNamedRanges(snapshot: Snapshot): readonly DefinedRange[] {
  const storedIds = readStoredNameIds(snapshot);
  const sheets = new Map(
    snapshot.sheets.map((sheet) => [sheet, { sheetId: readSheetId(sheet), grid: computeGridSize(sheet) }]),
  );
  return nameViews(snapshot).flatMap(({ refersTo }, index): readonly DefinedRange[] => {
    const { name = '', sheet: scope } = snapshot.names[index] ?? {};
    const parts = parseA1(refersTo.replace(/^=/, '').replaceAll('$', ''));
    if (parts?.sheet == null || parts.range === null) return [];
    const sheet = snapshot.sheetByName(parts.sheet);
    const found = sheet && sheets.get(sheet);
    if (found === undefined) return [];
    const { sheetId, grid } = found;
    const { top, left, bottom, right } = parts.range;
    const range = { top, left, bottom: bottom ?? grid.rows - 1, right: right ?? grid.columns - 1 };
    const key = { name, ...(scope !== undefined && { scope }) };
    const id = storedIds.get(JSON.stringify(key)) ?? hashNameId(key);
    const answer = { namedRangeId: id, name, range: toGridRange(sheetId, range) };
    return [{ ...key, id, answer }];
  });
}

/** The stored ids of names, by the JSON of a `NameKey`. */
function readStoredNameIds({ sheets }: Snapshot): ReadonlyMap<string, string> {
  const attachments = sheets.flatMap((sheet) => listAttachments(sheet, KINDS.namedRange));
  return new Map(attachments.map(({ texts: [id = '', key = ''] }) => [key, id]));
}

/** The id of a name without a stored one. */
export function hashNameId({ name, scope }: NameKey): string {
  return hashText(`${scope === undefined ? '' : `${scope}!`}${name.toLowerCase()}`);
}

/** Computes a 32-bit FNV-1a hash. */
function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return String(hash);
}
