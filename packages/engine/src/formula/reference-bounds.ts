import { type Area, area } from '../grid/area.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import type { AreaNode, CellNode, Coordinate, Node } from './ast.ts';
import { REF_ERROR } from './nodes.ts';
import { transformTree, walkTree } from './walk.ts';

/** The position of a formula, zero-based. */
interface ReferenceCorner {
  readonly row: number;
  readonly column: number;
}

/** Returns the cells of a reference for a formula in a position; null if some are outside the grid. */
export function resolveBounds(node: CellNode | AreaNode, { row, column }: ReferenceCorner): Area | null {
  const [top, left, bottom, right] = listCorners(node);
  const rows = [resolveCoordinate(top, row), resolveCoordinate(bottom, row)] as const;
  const columns = [resolveCoordinate(left, column), resolveCoordinate(right, column)] as const;
  const bounds = area(Math.min(...rows), Math.min(...columns), Math.max(...rows), Math.max(...columns));
  const isInside = bounds.top >= 0 && bounds.left >= 0 && bounds.bottom < MAX_ROWS && bounds.right < MAX_COLUMNS;
  return isInside ? bounds : null;
}

/** The coordinates of a reference in the order top, left, bottom, right. */
function listCorners(node: CellNode | AreaNode): readonly [Coordinate, Coordinate, Coordinate, Coordinate] {
  if (node.k === 'cell') return [node.row, node.column, node.row, node.column];
  return [node.top, node.left, node.bottom, node.right];
}

/** Returns the row or column of a coordinate for a formula in row or column `formulaLine`. */
export function resolveCoordinate({ at, absolute }: Coordinate, formulaLine: number): number {
  return absolute ? at : formulaLine + at;
}

/** Returns the formula for entry in a cell: references outside the grid become `#REF!` permanently. */
export function replaceOutsideReferences(node: Node, position: ReferenceCorner): Node {
  return transformTree(node, (next) => {
    if (next.k !== 'cell' && next.k !== 'area') return next;
    return resolveBounds(next, position) === null ? REF_ERROR : next;
  });
}

/** Returns the area of cells in which all references of a formula are inside the grid. */
export function findCellsWithinGrid(node: Node): Area {
  let [top, left, bottom, right] = [0, 0, MAX_ROWS - 1, MAX_COLUMNS - 1];
  walkTree(node, (next) => {
    if (next.k !== 'cell' && next.k !== 'area') return true;
    const [first, start, last, end] = listCorners(next);
    for (const { at, absolute } of [first, last]) {
      if (absolute) continue;
      top = Math.max(top, -at);
      bottom = Math.min(bottom, MAX_ROWS - 1 - at);
    }
    for (const { at, absolute } of [start, end]) {
      if (absolute) continue;
      left = Math.max(left, -at);
      right = Math.min(right, MAX_COLUMNS - 1 - at);
    }
    return true;
  });
  return area(top, left, bottom, right);
}
