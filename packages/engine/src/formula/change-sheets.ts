import type { Node, SheetPart } from './ast.ts';
import type { ParseNames } from './scan.ts';
import { readSheetPart } from './sheets.ts';
import { transformTree } from './walk.ts';

/** Replaces the sheets of references. Returns the same tree if nothing changes. */
function replaceSheetParts(node: Node, change: (part: SheetPart) => SheetPart): Node {
  return transformTree(node, (next) => {
    if (next.k !== 'cell' && next.k !== 'area' && next.k !== 'name') return next;
    if (next.sheet === undefined) return next;
    const sheet = change(next.sheet);
    return sheet === next.sheet ? next : { ...next, sheet };
  });
}

/** Resolves references to missing sheets whose names now exist. */
export function resolveSheets(node: Node, names: ParseNames): Node {
  return replaceSheetParts(node, (part) => {
    if (!('missing' in part)) return part;
    const sheetPart = readSheetPart(part.missing, names);
    return 'missing' in sheetPart ? part : sheetPart;
  });
}

/** Turns references to one sheet into references to another. Returns the same tree if nothing changes. */
export function replaceSheet(node: Node, from: number, to: number): Node {
  return replaceSheetParts(node, (part) => ('id' in part && part.id === from ? { id: to } : part));
}

/**
 * Removes a sheet that is about to be deleted from the ends of 3-D references. As in Excel, the next sheet in the
 * direction of the other end replaces it. `order`: ids of all sheets, including the deleted one. A reference to only
 * that sheet keeps its id.
 */
export function removeSheetFromReferences(node: Node, id: number, order: readonly number[]): Node {
  return replaceSheetParts(node, (part) => {
    if (!('from' in part) || part.from === part.to) return part;
    if (part.from === id) return { from: findNeighbour(order, id, part.to), to: part.to };
    return part.to === id ? { from: part.from, to: findNeighbour(order, id, part.from) } : part;
  });
}

/** The neighbour of a sheet in the direction of the sheet `towards`. */
function findNeighbour(order: readonly number[], id: number, towards: number): number {
  const at = order.indexOf(id);
  return order[at + Math.sign(order.indexOf(towards) - at)] ?? towards;
}
