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
import { INVALID_RANGE, isRefusal, type Refusal, SHEET_NOT_FOUND } from './refusal.ts';

export type Sheet = Snapshot['sheets'][number];

/** The cells that a range names in one snapshot. */
export interface Target<S = Sheet> {
  readonly sheet: S;
  readonly area: OpenArea;
}

/** A range's text taken apart; whether its sheet exists is not yet asked. */
export interface RangeText {
  /** Null: the first sheet. */
  readonly sheet: string | null;
  /** A bare word that is no A1, or `a!b!A1` without quotes: no range at all unless a sheet is called so. */
  readonly doubtful: boolean;
  readonly area: OpenArea;
}

export function parseRange(text: string): RangeText | Refusal {
  const parts = splitSheetPrefix(text);
  if (parts === null) return INVALID_RANGE;
  const { sheet, quoted, rest } = parts;
  if (sheet !== null && rest === '') return { sheet, doubtful: false, area: WHOLE_SHEET };
  const area = parseArea(rest);
  if (area !== null) return { sheet, doubtful: !quoted && sheet !== null && sheet.includes('!'), area };
  return sheet === null ? { sheet: rest, doubtful: true, area: WHOLE_SHEET } : INVALID_RANGE;
}

/** Finds a document's sheets by name, as often as a batch has blocks; null: the first sheet. */
export type FindSheet<S> = (name: string | null) => S | undefined;

export function sheetFinder<S extends { readonly name: string }>(sheets: readonly S[]): FindSheet<S> {
  let byKey: ReadonlyMap<string, S> | null = null;
  return (name) => {
    if (name === null) return sheets[0];
    byKey ??= new Map(sheets.map((sheet) => [nameKey(sheet.name), sheet]));
    return byKey.get(nameKey(name));
  };
}

/** The cells that a range names among a document's sheets (decisions §1.3–1.6). */
export function locate<S>(find: FindSheet<S>, { sheet: name, doubtful, area }: RangeText): Target<S> | Refusal {
  const sheet = find(name);
  if (sheet !== undefined) return { sheet, area };
  return doubtful ? INVALID_RANGE : SHEET_NOT_FOUND;
}

export function resolveRange(snapshot: Snapshot, text: string): Target | Refusal {
  const range = parseRange(text);
  return isRefusal(range) ? range : locate(sheetFinder(snapshot.sheets), range);
}

/** An area in A1 form; whole rows and columns by their lines alone: `3:7`, `A:C`. */
export function rangeText({ top, left, bottom, right }: Area): string {
  if (left === 0 && right === MAX_COLUMNS - 1) return `${top + 1}:${bottom + 1}`;
  if (top === 0 && bottom === MAX_ROWS - 1) return `${columnName(left)}:${columnName(right)}`;
  return areaText({ top, left, bottom, right });
}

/** `Sheet1!A1:B2`, the name quoted where needed. */
export function withSheet(sheetName: string, cells: string): string {
  return `${quoteSheetName(sheetName)}!${cells}`;
}

/** The range that values fill from the first cell of another one; the text itself if it is no range. */
export function blockRange(range: string, values: readonly (readonly unknown[])[]): string {
  const first = parseRange(range);
  if (isRefusal(first)) return range;
  const { top, left } = first.area;
  const right = left + Math.max(1, ...values.map(({ length }) => length)) - 1;
  const prefix = range.slice(0, range.lastIndexOf('!') + 1);
  return `${prefix}${cellText(top, left)}:${cellText(top + values.length - 1, right)}`;
}
