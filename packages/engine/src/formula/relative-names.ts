import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import type { Coordinate, Node } from './ast.ts';
import { createCoordinate } from './nodes.ts';
import { transformTree } from './walk.ts';

/*
 * The formula of a defined name is stored for A1, and its relative references wrap around the edges of the sheet: a
 * reference to the cell above is `A1048576`. Source: Microsoft, “Define and use names in formulas”.
 */

/**
 * Converts references of a name that are more than half a sheet away from A1: they become references to cells above or
 * to the left.
 */
export function wrapReferences(node: Node): Node {
  return mapOffsets(node, (at, size) => (at >= size / 2 ? at - size : at));
}

/** Converts references to cells above or to the left back to the form that is valid for A1. */
export function unwrapReferences(node: Node): Node {
  return mapOffsets(node, (at, size) => (at < 0 ? at + size : at));
}

type WrapOffset = (position: number, size: number) => number;

/** Applies `wrap` to all relative coordinates of a tree. */
function mapOffsets(node: Node, wrap: WrapOffset): Node {
  return transformTree(node, (next) => {
    if (next.k === 'cell') {
      const [row, column] = [moveCoordinate(next.row, wrap, MAX_ROWS), moveCoordinate(next.column, wrap, MAX_COLUMNS)];
      return row === next.row && column === next.column ? next : { ...next, row, column };
    }
    if (next.k !== 'area') return next;
    const [top, bottom] = moveBounds(next.top, next.bottom, wrap, MAX_ROWS);
    const [left, right] = moveBounds(next.left, next.right, wrap, MAX_COLUMNS);
    const isSame = top === next.top && bottom === next.bottom && left === next.left && right === next.right;
    return isSame ? next : { ...next, top, left, bottom, right };
  });
}

/** The coordinate with its wrapped offset; absolute coordinates do not change. */
function moveCoordinate(old: Coordinate, wrap: WrapOffset, size: number): Coordinate {
  if (old.absolute) return old;
  const at = wrap(old.at, size);
  return at === old.at ? old : createCoordinate(at, false);
}

/**
 * Moves both sides of an area. They do not move if their order would change: an area from the first to the last row is
 * a whole column.
 */
function moveBounds(
  first: Coordinate,
  last: Coordinate,
  wrap: WrapOffset,
  size: number,
): readonly [Coordinate, Coordinate] {
  const both = [moveCoordinate(first, wrap, size), moveCoordinate(last, wrap, size)] as const;
  const isOrdered = first.absolute !== last.absolute || both[0].at <= both[1].at;
  return isOrdered ? both : [first, last];
}
