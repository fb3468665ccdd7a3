import { splitSheetPrefix } from '@cellwire/engine';
import type { StructureOperation } from '@cellwire/store/stored-forms';

/** Maximum length in UTF-16 units: two quoted sheet names and the `:` between them, with every apostrophe doubled. */
const MAX_PREFIX_LENGTH = 2 * (2 * 2 * 255) + 3;
const NAME_CHARACTER = /[\p{L}\p{M}\p{N}_.:]/u;

/** Members of operations that hold a sheet's name. */
const SHEET_MEMBERS = ['sheet'];
const RANGE_MEMBERS = ['range', 'from', 'to'];
/** Members that may hold a formula, or a part of one. */
const FORMULA_MEMBERS = ['refersTo', 'find', 'with'];
/** Operations whose `name` is the name of a sheet. */
const SHEET_NAMING = new Set(['addSheet', 'renameSheet', 'duplicateSheet']);

/** The sheet names in an operation. */
export function listSheetNames(operation: StructureOperation): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [kind, members] of Object.entries(
    operation as Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  )) {
    const collectTexts = (keys: readonly string[]) =>
      keys.map((key) => members[key]).filter((one) => typeof one === 'string');
    for (const name of collectTexts(SHEET_NAMING.has(kind) ? [...SHEET_MEMBERS, 'name'] : SHEET_MEMBERS))
      names.add(name);
    for (const range of collectTexts(RANGE_MEMBERS)) {
      const sheet = splitSheetPrefix(range)?.sheet ?? null;
      if (sheet !== null) names.add(sheet);
    }
    for (const text of collectTexts([...FORMULA_MEMBERS, 'name']))
      for (const name of listPrefixes(text, '!')) names.add(name);
  }
  return names;
}

/** The names of tables that a formula of an operation refers to. */
export function listTableNames(operation: StructureOperation): ReadonlySet<string> {
  const members = Object.values(operation as Readonly<Record<string, Readonly<Record<string, unknown>>>>);
  const texts = members.flatMap((one) => FORMULA_MEMBERS.map((key) => one[key]));
  return new Set(texts.filter((one) => typeof one === 'string').flatMap((text) => [...listPrefixes(text, '[')]));
}

/**
 * The names before each `mark` in a text: sheets before `!`, tables before `[`. For `'a:b'!A1` these are `a:b`, `a` and
 * `b`, because `a:b` may be a sheet's name or a reference to all sheets from `a` to `b`.
 */
function* listPrefixes(text: string, mark: '!' | '['): Iterable<string> {
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    const name = text.charAt(at - 1) === "'" ? readQuotedName(text, at - 1) : readPlainName(text, at);
    if (name === '') continue;
    yield name;
    for (let colon = name.indexOf(':'); colon >= 0; colon = name.indexOf(':', colon + 1)) {
      yield name.slice(0, colon);
      yield name.slice(colon + 1);
    }
  }
}

/** The quoted name whose closing apostrophe is at `close`; empty: none. */
function readQuotedName(text: string, close: number): string {
  const least = Math.max(0, close - MAX_PREFIX_LENGTH);
  for (let at = close - 1; at >= least; at--) {
    if (text.charAt(at) !== "'") continue;
    if (text.charAt(at - 1) !== "'") return text.slice(at + 1, close).replaceAll("''", "'");
    at--;
  }
  return '';
}

/** The unquoted name that ends at a position of a formula's text. */
function readPlainName(text: string, end: number): string {
  let start = end;
  while (start > 0 && end - start < MAX_PREFIX_LENGTH) {
    const isPair = /[\uDC00-\uDFFF]/.test(text.charAt(start - 1));
    const before = isPair ? start - 2 : start - 1;
    if (!NAME_CHARACTER.test(text.slice(before, start))) break;
    start = before;
  }
  return text.slice(start, end);
}
