import type { Node } from './ast.ts';
import { nameKey } from './name-key.ts';
import { transformTree } from './walk.ts';

/** New column names, by the `nameKey` of the old names. */
type RenamedColumns = ReadonlyMap<string, string>;

/**
 * Renames columns of one table in a tree. An empty `table` selects references without a table name, which mean the
 * table that contains their cell. Returns the same tree if nothing changes.
 */
export function renameColumns(node: Node, table: string, names: RenamedColumns): Node {
  return renameColumnsInTables(node, new Map([[nameKey(table), names]]));
}

/** Renames columns of several tables; `tables` by table key. */
export function renameColumnsInTables(node: Node, tables: ReadonlyMap<string, RenamedColumns>): Node {
  return transformTree(node, (next) => {
    const names = next.k === 'table' ? tables.get(nameKey(next.table)) : undefined;
    if (next.k !== 'table' || next.from === undefined || names === undefined) return next;
    const from = names.get(nameKey(next.from)) ?? next.from;
    if (next.to === undefined) return from === next.from ? next : { ...next, from };
    const to = names.get(nameKey(next.to)) ?? next.to;
    return from === next.from && to === next.to ? next : { ...next, from, to };
  });
}

/**
 * Renames tables in a tree. `names`: new names, by the `nameKey` of the old ones. Returns the same tree if nothing
 * changes.
 */
export function renameTables(node: Node, names: ReadonlyMap<string, string>): Node {
  return transformTree(node, (next) => {
    if (next.k === 'table') {
      const table = names.get(nameKey(next.table));
      return table === undefined ? next : { ...next, table };
    }
    const name = next.k === 'name' && next.sheet === undefined ? names.get(nameKey(next.name)) : undefined;
    return next.k === 'name' && name !== undefined ? { ...next, name } : next;
  });
}
