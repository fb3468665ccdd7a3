import { grammarOf, nameKey, parse } from '../formula/index.ts';
import { readFormula } from '../graph/precedents.ts';
import { parseArea } from '../grid/a1.ts';
import type { LocaleId } from '../locale/index.ts';
import { type Snapshot, sheetNamed } from '../sheet/snapshot.ts';

/** Characters of a name of cells, as in Excel. */
const MAX_NAME_LENGTH = 255;
const NAME = /^[\p{L}_\\][\p{L}\p{M}\p{N}_.\\?]*$/u;
/** A cell by numbers, `R1C1`, and its short forms. */
const R1C1 = /^(r[0-9]*c[0-9]*|r[0-9]*|c[0-9]*)$/i;

/** What is wrong with the name of a cell or a table; null: nothing. */
export function nameProblem(name: string): string | null {
  if (name === '') return 'a name must not be empty';
  if (name.length > MAX_NAME_LENGTH) return `a name must not have more than ${MAX_NAME_LENGTH} characters`;
  if (!NAME.test(name)) return 'a name begins with a letter or `_`, and has letters, digits, `_` and `.` alone';
  if (parseArea(name) !== null || R1C1.test(name)) return 'a name must not read as a cell';
  return /^(true|false)$/i.test(name) ? 'a name must not read as a value' : null;
}

/** `Orders2`: a name like a table's that is not among the keys of those that are taken. */
export function findFreeTableName(name: string, taken: ReadonlySet<string>): string {
  for (let n = 2; ; n++) {
    const [plain, apart] = [`${n}`, `_${n}`].map((end) => name.slice(0, MAX_NAME_LENGTH - end.length) + end);
    // `AB2` is a cell.
    const free = plain !== undefined && nameProblem(plain) === null ? plain : apart!;
    if (!taken.has(nameKey(free))) return free;
  }
}

/** Why a text, with `=`, as people of a locale type it, cannot be what a name refers to; null: it can. */
export function refersToProblem(text: string, locale: LocaleId | null): string | null {
  const node = parse(text, grammarOf(locale), { row: 0, column: 0 }, { sheetId: () => -1 });
  return node.k === 'invalid' ? node.message : null;
}

/**
 * The sheets that a formula reads by references, tables and defined names. `text`: with `=`, as people of a locale type
 * it; empty if it cannot be parsed.
 */
export function sheetsReadBy(text: string, locale: LocaleId | null, snapshot: Snapshot): ReadonlySet<number> {
  const { sheets } = snapshot;
  const sheetId = (name: string) => sheetNamed(sheets, name)?.id ?? -1;
  const node = parse(text, grammarOf(locale), { row: 0, column: 0 }, { sheetId });
  if (node.k === 'invalid') return new Set();
  const place = { sheet: NO_SHEET, column: 0, top: 0, bottom: 0 };
  return new Set(readFormula(node, place, snapshot).precedents.map(({ sheet }) => sheet));
}

/** No sheet has this id: references without a sheet are left out. */
const NO_SHEET = -1;
