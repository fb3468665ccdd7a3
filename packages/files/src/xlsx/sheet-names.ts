import { XLSX_SHEET_NAME_LENGTH } from '../limits/limits.ts';

/** Not allowed anywhere in a name; the apostrophe only not at its ends. */
const FORBIDDEN = /[:\\/?*[\]\0-\x1f]|^'|'$/g;
/** Excel keeps this name for itself. */
const RESERVED = 'history';

/**
 * The names that sheets get in an `.xlsx` file, by their own names, in order. A name that the format can hold is kept;
 * others (over 31 UTF-16 units, or with `: \ / ? * [ ]`, or an apostrophe at an end) are changed so that all stay
 * different without regard to case. Formulas, names and tables of the export must use these.
 */
export function xlsxSheetNames(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(names.filter(isAllowed).map((name) => name.toLowerCase()));
  const result = new Map<string, string>();
  for (const name of names) {
    if (isAllowed(name)) {
      result.set(name, name);
      continue;
    }
    const changed = firstFree(name.replace(FORBIDDEN, '_'), taken);
    taken.add(changed.toLowerCase());
    result.set(name, changed);
  }
  return result;
}

function isAllowed(name: string): boolean {
  return (
    name !== '' &&
    name.length <= XLSX_SHEET_NAME_LENGTH &&
    name.search(FORBIDDEN) < 0 &&
    name.toLowerCase() !== RESERVED
  );
}

/** A name like a given one that no other sheet has; `taken`: in lower case. */
export function freeSheetName(name: string, taken: ReadonlySet<string>): string {
  return firstFree(name.replace(FORBIDDEN, '_'), taken);
}

function firstFree(name: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const candidate = withSuffix(name, n === 1 ? '' : ` (${n})`);
    if (isAllowed(candidate) && !taken.has(candidate.toLowerCase())) return candidate;
  }
}

/** Cut to length without leaving half a character or a forbidden end. */
function withSuffix(name: string, suffix: string): string {
  const cut = name.slice(0, XLSX_SHEET_NAME_LENGTH - suffix.length).replace(/[\ud800-\udbff]$/, '');
  return (cut + suffix).replace(/'$/, '_');
}
