import { XLSX_SHEET_NAME_LENGTH } from '../limits/limits.ts';

/** Matches characters that names must not contain; the apostrophe only at the ends. */
const FORBIDDEN = /[:\\/?*[\]\0-\x1f]|^'|'$/g;
/** A name that Excel reserves. */
const RESERVED = 'history';

/**
 * Returns names of sheets for an `.xlsx` file, by their original names, in order. A valid name is kept. Others (over 31
 * UTF-16 units, with `: \ / ? * [ ]`, or with an apostrophe at an end) are changed so that all names differ
 * case-insensitively. Formulas, names and tables of the export must use the returned names.
 */
export function createXlsxSheetNames(names: readonly string[]): ReadonlyMap<string, string> {
  const used = new Set(names.filter(isAllowedSheetName).map((name) => name.toLowerCase()));
  const result = new Map<string, string>();
  for (const name of names) {
    if (isAllowedSheetName(name)) {
      result.set(name, name);
      continue;
    }
    const changed = findFreeName(name.replace(FORBIDDEN, '_'), used);
    used.add(changed.toLowerCase());
    result.set(name, changed);
  }
  return result;
}

function isAllowedSheetName(name: string): boolean {
  return (
    name !== '' &&
    name.length <= XLSX_SHEET_NAME_LENGTH &&
    name.search(FORBIDDEN) < 0 &&
    name.toLowerCase() !== RESERVED
  );
}

/** Returns a valid sheet name similar to `name` that is not in `used`, a set of names in lower case. */
export function createSheetName(name: string, used: ReadonlySet<string>): string {
  return findFreeName(name.replace(FORBIDDEN, '_'), used);
}

/** The name, shortened if needed, or with ` (2)` and so on, so that it is allowed and not in `used`. */
function findFreeName(name: string, used: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const candidate = appendSuffix(name, n === 1 ? '' : ` (${n})`);
    if (isAllowedSheetName(candidate) && !used.has(candidate.toLowerCase())) return candidate;
  }
}

/**
 * Appends a suffix to a name, which is shortened if needed. The shortened name does not end with half of a surrogate
 * pair or with a forbidden character.
 */
function appendSuffix(name: string, suffix: string): string {
  const cut = name.slice(0, XLSX_SHEET_NAME_LENGTH - suffix.length).replace(/[\ud800-\udbff]$/, '');
  return (cut + suffix).replace(/'$/, '_');
}
