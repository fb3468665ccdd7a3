import type { ChangeLog } from '../calc/change-log.ts';
import { nameKey } from '../formula/index.ts';
import { formatForDisplay } from '../locale/index.ts';
import { FORMULA } from '../sheet/cell-kind.ts';
import type { Draft } from '../sheet/draft.ts';
import type { Table } from '../sheet/snapshot.ts';
import { isError } from '../value/scalar.ts';

/**
 * Finds the columns of a table whose header cells have a new text. Returns new names by the keys of the old names. An
 * empty header, an error or a formula does not rename a column.
 */
export function findRenamedColumns(
  table: Table,
  draft: Draft,
  changed: readonly ChangeLog[],
): ReadonlyMap<string, string> {
  const { headerRow, area, sheet } = table;
  const names = new Map<string, string>();
  const isChanged = (_: string, i: number) => changed.some((log) => log.has(sheet, area.top, area.left + i));
  const others = headerRow ? table.columns.filter(isChanged) : [];
  if (others.length === 0) return names;
  const used = new Set(table.columns.filter((name) => !others.includes(name)).map(nameKey));
  for (const old of others) {
    const text = readHeaderText(draft, sheet, area.top, area.left + table.columns.indexOf(old));
    const name = makeUnique(text ?? old, used);
    used.add(nameKey(name));
    if (name !== old) names.set(nameKey(old), name);
  }
  return names;
}

/**
 * Returns the zero-based columns of a table whose header cells differ from their names. A number that was added to the
 * name to make it unique is not a difference.
 */
export function findOtherHeaders({ sheet, area, columns }: Table, draft: Draft): readonly number[] {
  const keys = columns.map(nameKey);
  return columns.flatMap((name, i) => {
    const text = readHeaderText(draft, sheet, area.top, area.left + i);
    if (text === null || text === name) return [];
    const [key, said] = [nameKey(name), nameKey(text)];
    const isNumbered = keys.includes(said) && key.startsWith(said) && /^[0-9]+$/.test(key.slice(said.length));
    return isNumbered ? [] : [i];
  });
}

/** Returns a table with renamed columns. */
export function renameTableColumns(table: Table, names: ReadonlyMap<string, string>): Table {
  return { ...table, columns: table.columns.map((name) => names.get(nameKey(name)) ?? name) };
}

/** The text of a header cell; null if it is empty, an error or a formula. */
export function readHeaderText(draft: Draft, sheetId: number, row: number, column: number): string | null {
  const sheet = draft.sheet(sheetId);
  const value = sheet?.value(row, column) ?? null;
  if (!sheet || value === null || value === '' || isError(value)) return null;
  if ((sheet.kind(row, column) & FORMULA) !== 0) return null;
  const { locale, dateSystem } = draft.settings;
  return formatForDisplay(value, draft.formats.code(sheet.format(row, column)), locale, dateSystem);
}

/** Returns the name; if it is used, the name with the smallest number from 2 on that makes it unique. */
export function makeUnique(name: string, usedNames: ReadonlySet<string>): string {
  if (!usedNames.has(nameKey(name))) return name;
  for (let n = 2; ; n++) if (!usedNames.has(nameKey(`${name}${n}`))) return `${name}${n}`;
}
