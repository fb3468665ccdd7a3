import { nameKey } from '../formula/index.ts';
import { localeOf } from '../locale/index.ts';
import type { LocaleId } from '../locale/locales.ts';
import type { Sheet } from '../sheet/snapshot.ts';

/** Code points of a sheet's name. */
export const MAX_SHEET_NAME = 255;

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** What is wrong with a sheet's name (already trimmed), as a sentence; null when it is fine. */
export function sheetNameProblem(name: string): string | null {
  const length = [...name].length;
  if (length === 0) return 'The sheet name must not be empty';
  if (length > MAX_SHEET_NAME) return `The sheet name must have at most ${MAX_SHEET_NAME} characters`;
  if (CONTROL.test(name)) return 'The sheet name must not contain control characters';
  return null;
}

export function isTaken(name: string, sheets: readonly Sheet[], except: number | null): boolean {
  const key = nameKey(name);
  return sheets.some((sheet) => sheet.id !== except && nameKey(sheet.name) === key);
}

/** `Лист3`, `Sheet3`: the smallest free number greater than the number of sheets. */
export function defaultSheetName(locale: LocaleId, sheets: readonly Sheet[]): string {
  const word = localeOf(locale).sheetWord;
  for (let n = sheets.length + 1; ; n++) {
    const name = `${word}${n}`;
    if (!isTaken(name, sheets, null)) return name;
  }
}
