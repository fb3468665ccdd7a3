import type { AreaNode, CellNode, Coordinate, Node } from '../formula/ast.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';

/** The corners of an area. Coordinates are relative to the formula's cell, as in the tree. */
interface AreaCorners {
  readonly top: Coordinate;
  readonly left: Coordinate;
  readonly bottom: Coordinate;
  readonly right: Coordinate;
}

/**
 * Returns the area that SUMIF reads instead of its third argument: it begins in the same cell and has the size of the
 * first argument. It is larger if the size differs from formula to formula. Null if the argument has this size.
 */
export function findResizedArea(model: CellNode | AreaNode, target: CellNode | AreaNode): AreaCorners | null {
  const size = toCorners(model);
  const { top, left, bottom, right } = toCorners(target);
  const resizedBottom = moveCoordinate(top, size.top, size.bottom, MAX_ROWS - 1);
  const resizedRight = moveCoordinate(left, size.left, size.right, MAX_COLUMNS - 1);
  if (isSameCoordinate(resizedBottom, bottom) && isSameCoordinate(resizedRight, right)) return null;
  return { top, left, bottom: resizedBottom, right: resizedRight };
}

/** True for a node whose corners are known. */
export function isPlainReference(node: Node | undefined): node is CellNode | AreaNode {
  return node?.k === 'cell' || node?.k === 'area';
}

/** True for two columns of a table in the same rows. */
export function isColumnOfSameTable(a: Node, b: Node): boolean {
  if (a.k !== 'table' || b.k !== 'table' || a.table.toLowerCase() !== b.table.toLowerCase()) return false;
  if (a.from === undefined || b.from === undefined || a.to !== undefined || b.to !== undefined) return false;
  return a.items.length === b.items.length && a.items.every((item, i) => item === b.items[i]);
}

function toCorners(node: CellNode | AreaNode): AreaCorners {
  if (node.k === 'area') return node;
  return { top: node.row, left: node.column, bottom: node.row, right: node.column };
}

/** Moves a coordinate by the distance between two others; to the end of the grid if the distance differs by formula. */
function moveCoordinate(start: Coordinate, from: Coordinate, to: Coordinate, end: number): Coordinate {
  if (from.absolute !== to.absolute) return { absolute: true, at: end };
  const at = start.at + to.at - from.at;
  return { absolute: start.absolute, at: start.absolute ? Math.min(at, end) : at };
}

function isSameCoordinate(a: Coordinate, b: Coordinate): boolean {
  return a.absolute === b.absolute && a.at === b.at;
}
