import type { SheetPart } from './ast.ts';
import type { ParseNames } from './scan.ts';

/** Characters of two sheet names with 255 code points each, and of the `:` between them. */
const MAX_TWO_NAMES = 2 * 2 * 255 + 1;

/** Returns the sheet part for an unquoted name. `a:b` may be one sheet or the sheets from `a` to `b`. */
export function readSheetPart(name: string, names: ParseNames): SheetPart {
  const id = names.findSheetId(name);
  if (id >= 0) return { id };
  if (name.length <= MAX_TWO_NAMES) {
    for (let colon = name.indexOf(':'); colon >= 0; colon = name.indexOf(':', colon + 1)) {
      const part = readSheetsPart(name.slice(0, colon), name.slice(colon + 1), names);
      if (!('missing' in part)) return part;
    }
  }
  return { missing: name };
}

/** The sheet part for the sheets from `first` to `last`; a missing part if one of them does not exist. */
export function readSheetsPart(first: string, last: string, names: ParseNames): SheetPart {
  const from = names.findSheetId(first);
  const to = from < 0 ? -1 : names.findSheetId(last);
  return to < 0 ? { missing: `${first}:${last}` } : { from, to };
}

/**
 * True for a sheet of another workbook: `[Book.xlsx]Sheet`, `C:\folder\[Book.xlsx]Sheet`. `[1]` is the workbook itself.
 */
export function isExternal(name: string): boolean {
  const open = name.indexOf('[');
  if (open < 0) return false;
  const before = name.charAt(open - 1);
  if (open > 0 && before !== '\\' && before !== '/') return false;
  return name.indexOf(']', open) > open + 1;
}

/** Prefix of the workbook that contains the formula, as files number it. */
const OWN_BOOK = '[0]';

/** Returns the sheet name in a text such as `[0]Sheet1`; undefined if the number is that of another workbook. */
export function findOwnSheetName(name: string): string | undefined {
  return name.startsWith(OWN_BOOK) ? name.slice(OWN_BOOK.length) : undefined;
}
