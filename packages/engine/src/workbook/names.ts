import type { Node } from '../formula/ast.ts';
import { type Grammar, grammarOf, nameKey, parse, wrapped } from '../formula/index.ts';
import { readingOf } from '../graph/precedents.ts';
import { parseArea } from '../grid/a1.ts';
import { type Area, intersects, width } from '../grid/area.ts';
import type { LocaleId } from '../locale/index.ts';
import type { Draft } from '../sheet/draft.ts';
import type { NewHeader } from '../sheet/move-tables.ts';
import { type DefinedName, type Sheet, type Snapshot, sheetNamed } from '../sheet/snapshot.ts';
import { tableNamed } from '../sheet/tables.ts';
import type { Structure } from './structure.ts';
import { headerText, unique } from './table-headers.ts';
import type { Edit, Refusal } from './types.ts';

/** Edits of defined names and of tables. */
export type NamingEdit = Extract<Edit, { readonly kind: 'setName' | 'deleteName' | 'setTable' | 'deleteTable' }>;

/** Characters of a name of cells, as in Excel. */
const MAX_NAME_LENGTH = 255;
const NAME = /^[\p{L}_\\][\p{L}\p{M}\p{N}_.\\?]*$/u;
/** A cell by numbers, `R1C1`, and its short forms. */
const R1C1 = /^(r[0-9]*c[0-9]*|r[0-9]*|c[0-9]*)$/i;

/** Changes names and tables; gives the header cells that a new table gets, or why it cannot be. */
export function nameThings(
  edit: NamingEdit,
  draft: Draft,
  structure: Structure,
  read: (text: string, grammar: Grammar) => Node,
): readonly NewHeader[] | Refusal {
  const key = nameKey(edit.name);
  switch (edit.kind) {
    case 'setName': {
      const message = nameProblem(edit.name) ?? (tableNamed(edit.name, draft.tables) ? 'a table has that name' : null);
      if (message !== null) return { kind: 'refusal', reason: 'invalidName', message };
      const node = read(edit.refersTo, grammarOf(edit.locale ?? null));
      if (node.k === 'invalid') return { kind: 'refusal', reason: 'invalidFormula', message: node.message };
      const named: DefinedName = { name: edit.name, node: wrapped(node) };
      replaceNames(draft, scopedKey(edit.name, edit.scope), [
        edit.scope === undefined ? named : { ...named, sheet: edit.scope },
      ]);
      return [];
    }
    case 'deleteName': {
      const held = scopedKey(edit.name, edit.scope);
      if (!namesByScope(draft.names).has(held)) return { kind: 'refusal', reason: 'nameNotFound' };
      replaceNames(draft, held, []);
      return [];
    }
    case 'setTable':
      return setTable(edit, draft);
    case 'deleteTable': {
      const table = draft.tables.find(({ name }) => nameKey(name) === key);
      if (!table) return { kind: 'refusal', reason: 'tableNotFound' };
      structure.dissolveTable(table);
      return [];
    }
  }
}

type NamesByKey = Map<string, readonly DefinedName[]>;

const BY_SCOPE = new WeakMap<readonly DefinedName[], NamesByKey>();

/** What tells names apart: a sheet's own `rate` and the document's are two. */
function scopedKey(name: string, scope: number | undefined): string {
  return `${scope ?? ''}!${nameKey(name)}`;
}

function namesByScope(names: readonly DefinedName[]): NamesByKey {
  const known = BY_SCOPE.get(names);
  if (known !== undefined) return known;
  const found = Map.groupBy(names, ({ name, sheet }) => scopedKey(name, sheet));
  BY_SCOPE.set(names, found);
  return found;
}

/**
 * Replaces the names of a key; the new ones stand at the end. The index of the list goes on to the new list, so that a
 * batch that sets a thousand names builds it once.
 */
function replaceNames(draft: Draft, key: string, next: readonly DefinedName[]): void {
  const { names } = draft;
  const known = namesByScope(names);
  const held = known.get(key) ?? [];
  const others = held.reduce((list, one) => list.toSpliced(list.indexOf(one), 1), names);
  BY_SCOPE.delete(names);
  if (next.length === 0) known.delete(key);
  else known.set(key, next);
  draft.names = [...others, ...next];
  BY_SCOPE.set(draft.names, known);
}

/** What is wrong with the name of a cell or a table; null: nothing. */
export function nameProblem(name: string): string | null {
  if (name === '') return 'a name must not be empty';
  if (name.length > MAX_NAME_LENGTH) return `a name must not have more than ${MAX_NAME_LENGTH} characters`;
  if (!NAME.test(name)) return 'a name begins with a letter or `_`, and has letters, digits, `_` and `.` alone';
  if (parseArea(name) !== null || R1C1.test(name)) return 'a name must not read as a cell';
  return /^(true|false)$/i.test(name) ? 'a name must not read as a value' : null;
}

/** `Orders2`: a name like a table's that is not among the keys of those that are taken. */
export function freeTableName(name: string, taken: ReadonlySet<string>): string {
  for (let n = 2; ; n++) {
    const [plain, apart] = [`${n}`, `_${n}`].map((end) => name.slice(0, MAX_NAME_LENGTH - end.length) + end);
    // `AB2` is a cell.
    const free = plain !== undefined && nameProblem(plain) === null ? plain : (apart as string);
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
  return new Set(readingOf(node, place, snapshot).precedents.map(({ sheet }) => sheet));
}

/** No sheet has this id: references without a sheet are left out. */
const NO_SHEET = -1;

function setTable(
  { name, sheet: id, area }: Extract<NamingEdit, { readonly kind: 'setTable' }>,
  draft: Draft,
): readonly NewHeader[] | Refusal {
  const key = nameKey(name);
  const isName = draft.names.some((held) => nameKey(held.name) === key);
  const message = nameProblem(name) ?? (isName ? 'a defined name is called so' : null);
  if (message !== null) return { kind: 'refusal', reason: 'invalidName', message };
  const others = draft.tables.filter((held) => nameKey(held.name) !== key);
  if (others.some((held) => held.sheet === id && intersects(held.area, area))) {
    return { kind: 'refusal', reason: 'invalidTable', message: 'it overlaps another table' };
  }
  const columns = columnNames(draft, draft.sheet(id) as Sheet, area);
  draft.tables = [...others, { name, sheet: id, area, headerRow: true, totalsRow: false, columns }];
  return columns.flatMap((column, i): readonly NewHeader[] => {
    const held = headerText(draft, id, area.top, area.left + i);
    return held === column ? [] : [{ sheet: id, row: area.top, column: area.left + i, name: column }];
  });
}

function columnNames(draft: Draft, sheet: Sheet, area: Area): readonly string[] {
  const taken = new Set<string>();
  return Array.from({ length: width(area) }, (_, i) => {
    const text = headerText(draft, sheet.id, area.top, area.left + i) ?? `Column${i + 1}`;
    const name = unique(text, taken);
    taken.add(nameKey(name));
    return name;
  });
}
