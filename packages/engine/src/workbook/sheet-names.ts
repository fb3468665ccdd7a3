import { getLocale } from '../locale/index.ts';
import type { LocaleId } from '../locale/locales.ts';
import type { Sheet } from '../sheet/snapshot.ts';

/** Maximum length of a sheet name in code points. */
const MAX_SHEET_NAME = 255;

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** The problem with a trimmed sheet name, as a sentence; null if there is none. */
export function sheetNameProblem(name: string): string | null {
  const length = [...name].length;
  if (length === 0) return 'The sheet name must not be empty';
  if (length > MAX_SHEET_NAME) return `The sheet name must have at most ${MAX_SHEET_NAME} characters`;
  if (CONTROL.test(name)) return 'The sheet name must not contain control characters';
  return null;
}

/** Finds sheets by name. */
interface NamedSheets {
  readonly sheets: readonly Sheet[];
  sheetByName(name: string): Sheet | undefined;
}

/** True if a sheet other than `except` has the name in any letter case. */
export function isSheetNameTaken(name: string, workbook: NamedSheets, except: number | null): boolean {
  const sheet = workbook.sheetByName(name);
  return sheet !== undefined && sheet.id !== except;
}

/** Returns a sheet name that is similar to `name` and that no sheet has: `Orders 2`. */
export function findFreeSheetName(name: string, workbook: NamedSheets): string {
  for (let n = 2; ; n++) {
    const end = ` ${n}`;
    const free = [...name].slice(0, MAX_SHEET_NAME - end.length).join('') + end;
    if (!isSheetNameTaken(free, workbook, null)) return free;
  }
}

/**
 * Returns the name of a new sheet: the word of the locale and a number. It is the smallest free number that is greater
 * than the number of sheets (`Лист3`, `Sheet3`).
 */
export function createDefaultSheetName(locale: LocaleId, workbook: NamedSheets): string {
  const word = getLocale(locale).sheetWord;
  for (let n = workbook.sheets.length + 1; ; n++) {
    const name = `${word}${n}`;
    if (!isSheetNameTaken(name, workbook, null)) return name;
  }
}
