import {
  type Area,
  areaText,
  MAX_COLUMNS,
  MAX_ROWS,
  parseArea,
  quoteSheetName,
  splitSheetPrefix,
} from '@cellwire/engine';

/** Parses a range with a sheet name; null if it is none. */
export function parseSheetRange(range: string): { readonly sheet: string; readonly area: Area } | null {
  const prefix = splitSheetPrefix(range);
  if (prefix === null || prefix.sheet === null) return null;
  if (prefix.rest === '') {
    return { sheet: prefix.sheet, area: { top: 0, left: 0, bottom: MAX_ROWS - 1, right: MAX_COLUMNS - 1 } };
  }
  const area = parseArea(prefix.rest);
  return area === null ? null : { sheet: prefix.sheet, area };
}

/** Adds the sheet's name to a range. */
export function qualifyRange(sheet: string, range: string): string {
  return `${quoteSheetName(sheet)}!${range}`;
}

export function formatSheetRange(sheet: string, area: Area): string {
  return `${quoteSheetName(sheet)}!${areaText(area)}`;
}
