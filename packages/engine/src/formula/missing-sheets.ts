import type { Node, SheetPart } from './ast.ts';
import { some, transform } from './walk.ts';

function sheetOf(node: Node): SheetPart | undefined {
  return node.k === 'cell' || node.k === 'area' || node.k === 'name' ? node.sheet : undefined;
}

/** Whether a reference names a sheet that did not exist when it was read. */
export function hasMissingSheet(node: Node): boolean {
  return some(node, (next) => {
    const sheet = sheetOf(next);
    return sheet !== undefined && 'missing' in sheet;
  });
}

/**
 * Gives the references to a missing sheet of this name (in any case) the id of the sheet that now has it. A 3-D
 * reference (`Sheet1:Sheet3`) with a missing end keeps it: read its text anew.
 */
export function resolveMissingSheets(node: Node, name: string, id: number): Node {
  const wanted = name.toLowerCase();
  return transform(node, (next) => {
    const sheet = sheetOf(next);
    const met = sheet !== undefined && 'missing' in sheet && sheet.missing.toLowerCase() === wanted;
    return met ? ({ ...next, sheet: { id } } as Node) : next;
  });
}
