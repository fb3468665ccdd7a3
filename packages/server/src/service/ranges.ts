import {
  type Area,
  areaText,
  cellText,
  columnName,
  MAX_COLUMNS,
  MAX_ROWS,
  nameKey,
  type OpenArea,
  parseArea,
  quoteSheetName,
  type Snapshot,
  splitSheetPrefix,
  WHOLE_SHEET,
} from '@cellwire/engine';
import { measureLongest } from './longest.ts';
import { INVALID_RANGE, isRefusal, type Refusal, SHEET_NOT_FOUND } from './refusal.ts';

export type SnapshotSheet = Snapshot['sheets'][number];

/** The cells that a range names in one snapshot. */
export interface RangeTarget<S = SnapshotSheet> {
  readonly sheet: S;
  readonly area: OpenArea;
}

/** A parsed range; its sheet may not exist. */
export interface ParsedRange {
  /** Null: the first sheet. */
  readonly sheet: string | null;
  /**
   * The text may not be a range: a bare word that is not A1, or `a!b!A1` without quotes. It is valid only if a sheet
   * has that name.
   */
  readonly isAmbiguous: boolean;
  readonly area: OpenArea;
}

export function parseRange(text: string): ParsedRange | Refusal {
  const parts = splitSheetPrefix(text);
  if (parts === null) return INVALID_RANGE;
  const { sheet, quoted, rest } = parts;
  if (sheet !== null && rest === '') return { sheet, isAmbiguous: false, area: WHOLE_SHEET };
  const area = parseArea(rest);
  if (area !== null) return { sheet, isAmbiguous: !quoted && sheet !== null && sheet.includes('!'), area };
  return sheet === null ? { sheet: rest, isAmbiguous: true, area: WHOLE_SHEET } : INVALID_RANGE;
}

/** Finds a document's sheet by name, with an index for repeated calls; null: the first sheet. */
export type SheetFinder<S> = (name: string | null) => S | undefined;

/** A function that finds a sheet by name, without regard to case. The name null means the first sheet. */
export function createSheetFinder<S extends { readonly name: string }>(sheets: readonly S[]): SheetFinder<S> {
  let byKey: ReadonlyMap<string, S> | null = null;
  return (name) => {
    if (name === null) return sheets[0];
    byKey ??= new Map(sheets.map((sheet) => [nameKey(sheet.name), sheet]));
    return byKey.get(nameKey(name));
  };
}

/** The cells that a range names among a document's sheets. */
export function locateRange<S>(findSheet: SheetFinder<S>, range: ParsedRange): RangeTarget<S> | Refusal {
  const sheet = findSheet(range.sheet);
  return sheet === undefined ? refuseMissingSheet(range) : { sheet, area: range.area };
}

/** The refusal of a range whose sheet does not exist. */
function refuseMissingSheet({ isAmbiguous }: ParsedRange): Refusal {
  return isAmbiguous ? INVALID_RANGE : SHEET_NOT_FOUND;
}

/** Parses A1 text and finds its sheet; refused if either is not valid. */
export function resolveRange(snapshot: Snapshot, text: string): RangeTarget | Refusal {
  const range = parseRange(text);
  if (isRefusal(range)) return range;
  const sheet = range.sheet === null ? snapshot.sheets[0] : snapshot.sheetByName(range.sheet);
  return sheet === undefined ? refuseMissingSheet(range) : { sheet, area: range.area };
}

/** An area in A1 form; whole rows and columns without cells: `3:7`, `A:C`. */
export function formatRange({ top, left, bottom, right }: Area): string {
  if (left === 0 && right === MAX_COLUMNS - 1) return `${top + 1}:${bottom + 1}`;
  if (top === 0 && bottom === MAX_ROWS - 1) return `${columnName(left)}:${columnName(right)}`;
  return areaText({ top, left, bottom, right });
}

/** Formats a range as `Sheet1!A1:B2`, with quotes around the name if necessary. */
export function formatQualifiedRange(sheetName: string, cells: string): string {
  return `${quoteSheetName(sheetName)}!${cells}`;
}

/** The range that a block of values fills from the first cell of `range`; returns `range` if it cannot be parsed. */
export function formatBlockRange(range: string, values: readonly (readonly unknown[])[]): string {
  const first = parseRange(range);
  if (isRefusal(first)) return range;
  const { top, left } = first.area;
  const right = left + Math.max(1, measureLongest(values)) - 1;
  const prefix = range.slice(0, range.lastIndexOf('!') + 1);
  return `${prefix}${cellText(top, left)}:${cellText(top + values.length - 1, right)}`;
}
