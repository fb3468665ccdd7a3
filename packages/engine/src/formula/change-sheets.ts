import type { Node, SheetPart } from './ast.ts';
import type { ParseNames } from './scan.ts';
import { readSheetPart } from './sheets.ts';
import { transform } from './walk.ts';

/** Rebuilds a tree with other sheets in its references; the same tree where they all stay as they are. */
function replaceSheetParts(node: Node, change: (part: SheetPart) => SheetPart): Node {
  return transform(node, (next) => {
    if (next.k !== 'cell' && next.k !== 'area' && next.k !== 'name') return next;
    if (next.sheet === undefined) return next;
    const sheet = change(next.sheet);
    return sheet === next.sheet ? next : { ...next, sheet };
  });
}

/** Gives references whose sheets were missing the ids of those that now have the names. */
export function resolveSheets(node: Node, names: ParseNames): Node {
  return replaceSheetParts(node, (part) => {
    if (!('missing' in part)) return part;
    const found = readSheetPart(part.missing, names);
    return 'missing' in found ? part : found;
  });
}

/** References to one sheet become such to another; the same tree where there are none. */
export function replaceSheet(node: Node, from: number, to: number): Node {
  return replaceSheetParts(node, (part) => ('id' in part && part.id === from ? { id: to } : part));
}

/**
 * Takes a sheet that is about to be deleted out of the ends of 3-D references: the next sheet between them takes its
 * place, as in Excel. `order`: ids of all sheets, the deleted one included. A reference to it alone stays, without a sheet.
 */
export function removeSheetFromReferences(node: Node, id: number, order: readonly number[]): Node {
  return replaceSheetParts(node, (part) => {
    if (!('from' in part) || part.from === part.to) return part;
    if (part.from === id) return { from: findNeighbour(order, id, part.to), to: part.to };
    return part.to === id ? { from: part.from, to: findNeighbour(order, id, part.from) } : part;
  });
}

/** The neighbour of a sheet on the way to another. */
function findNeighbour(order: readonly number[], id: number, towards: number): number {
  const at = order.indexOf(id);
  return order[at + Math.sign(order.indexOf(towards) - at)] ?? towards;
}
