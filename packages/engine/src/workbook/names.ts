import { getGrammar, nameKey, parse } from '../formula/index.ts';
import { readFormula } from '../graph/precedents.ts';
import { parseArea } from '../grid/a1.ts';
import type { LocaleId } from '../locale/index.ts';
import { findSheetByName, type Snapshot } from '../sheet/snapshot.ts';

/** Maximum characters of a defined name, as in Excel. */
const MAX_NAME_LENGTH = 255;
const NAME = /^[\p{L}_\\][\p{L}\p{M}\p{N}_.\\?]*$/u;
/** Matches a cell in `R1C1` style and its short forms. */
const R1C1 = /^(r[0-9]*c[0-9]*|r[0-9]*|c[0-9]*)$/i;

/** Returns the problem with the name of a defined name or table as a sentence; null if there is none. */
export function nameProblem(name: string): string | null {
  if (name === '') return 'a name must not be empty';
  if (name.length > MAX_NAME_LENGTH) return `a name must not have more than ${MAX_NAME_LENGTH} characters`;
  if (!NAME.test(name)) return 'a name begins with a letter or `_`, and has letters, digits, `_` and `.` alone';
  if (parseArea(name) !== null || R1C1.test(name)) return 'a name must not read as a cell';
  return /^(true|false)$/i.test(name) ? 'a name must not read as a value' : null;
}

/** Returns a table name that is similar to `name` and not in `usedNames`: `Orders2`. */
export function findFreeTableName(name: string, usedNames: ReadonlySet<string>): string {
  for (let n = 2; ; n++) {
    const [plain, apart] = [`${n}`, `_${n}`].map((end) => name.slice(0, MAX_NAME_LENGTH - end.length) + end);
    // With a number added, the name could be a cell, such as `AB2`.
    const free = plain !== undefined && nameProblem(plain) === null ? plain : apart!;
    if (!usedNames.has(nameKey(free))) return free;
  }
}

/**
 * Returns the reason why a formula text with `=` cannot define a name; null if it can. `locale`: the locale in which it
 * was typed.
 */
export function refersToProblem(text: string, locale: LocaleId | null): string | null {
  const node = parse(text, getGrammar(locale), { row: 0, column: 0 }, { findSheetId: () => -1 });
  return node.k === 'invalid' ? node.message : null;
}

/**
 * Returns the sheets that a formula reads by references, tables and defined names. `text`: with `=`, as typed in the
 * locale. Empty if it cannot be parsed.
 */
export function listReadSheets(text: string, locale: LocaleId | null, snapshot: Snapshot): ReadonlySet<number> {
  const { sheets } = snapshot;
  const sheetId = (name: string) => findSheetByName(sheets, name)?.id ?? -1;
  const node = parse(text, getGrammar(locale), { row: 0, column: 0 }, { findSheetId: sheetId });
  if (node.k === 'invalid') return new Set();
  const place = { sheet: NO_SHEET, column: 0, top: 0, bottom: 0 };
  return new Set(readFormula(node, place, snapshot).precedents.map(({ sheet }) => sheet));
}

/** A sheet id that does not exist: references without a sheet name are omitted. */
const NO_SHEET = -1;
