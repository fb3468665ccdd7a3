import type { Node } from './ast.ts';
import { nameKey } from './name-key.ts';
import { transform } from './walk.ts';

/**
 * Gives columns of one table other names in a tree: `names` by the keys of the old ones. An empty `table` stands for
 * references without a table's name, to the table around their cell. The same tree where nothing changes.
 */
export function renameColumns(node: Node, table: string, names: ReadonlyMap<string, string>): Node {
  const wanted = nameKey(table);
  return transform(node, (next) => {
    if (next.k !== 'table' || next.from === undefined || nameKey(next.table) !== wanted) return next;
    const from = names.get(nameKey(next.from)) ?? next.from;
    if (next.to === undefined) return from === next.from ? next : { ...next, from };
    const to = names.get(nameKey(next.to)) ?? next.to;
    return from === next.from && to === next.to ? next : { ...next, from, to };
  });
}

/** Gives tables other names in a tree: `names` by the keys of the old ones. The same tree where nothing changes. */
export function renameTables(node: Node, names: ReadonlyMap<string, string>): Node {
  return transform(node, (next) => {
    if (next.k === 'table') {
      const table = names.get(nameKey(next.table));
      return table === undefined ? next : { ...next, table };
    }
    const name = next.k === 'name' && next.sheet === undefined ? names.get(nameKey(next.name)) : undefined;
    return next.k === 'name' && name !== undefined ? { ...next, name } : next;
  });
}
