import { type Area, area } from '../grid/area.ts';
import { type Block, type Move, shiftReference } from '../grid/move.ts';
import type { AreaNode, CellNode, Coordinate, Node, SheetPart } from './ast.ts';
import { createCoordinate, REF_ERROR } from './nodes.ts';
import { resolveBounds, resolveCoordinate } from './reference-bounds.ts';
import { transformTree, walkTree } from './walk.ts';

/** Sheet id of formulas whose references moves do not change. */
const NO_SHEET = -1;

/** The position of a formula. For a defined name: no sheet (-1) and the cell A1. */
export interface FormulaPosition {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
}

/** The position of a defined name's formula. */
export const NAME_PLACE: FormulaPosition = { sheet: NO_SHEET, row: 0, column: 0 };

/**
 * Returns a formula's tree after cells moved. References follow their cells, and the formula itself moves from `from`
 * to `to`. References to deleted cells become `#REF!`. References to several sheets do not change. Returns the same
 * tree if nothing changes.
 */
export function moveReferences(node: Node, move: Move, from: FormulaPosition, to: FormulaPosition): Node {
  return transformTree(node, (next) => {
    if (next.k !== 'cell' && next.k !== 'area') return next;
    return moveReference(next, move, from, to);
  });
}

/** The nodes that a move can change. */
export type MovableReference = CellNode | AreaNode;

/** The references of a tree that a move can change, in reading order. */
export function findMovableReferences(node: Node): readonly MovableReference[] {
  const references: MovableReference[] = [];
  walkTree(node, (next) => {
    if (next.k === 'cell' || next.k === 'area') references.push(next);
    return true;
  });
  return references;
}

/** Replaces the references that `findMovableReferences` returns, in the same order. */
export function replaceReferences(node: Node, references: readonly Node[]): Node {
  let at = 0;
  return transformTree(node, (next) => (next.k === 'cell' || next.k === 'area' ? references[at++]! : next));
}

/** Returns one reference of a formula after cells moved; see `moveReferences`. */
export function moveReference(node: MovableReference, move: Move, from: FormulaPosition, to: FormulaPosition): Node {
  const sheet = findReferencedSheet(node.sheet, from.sheet);
  const bounds = resolveBounds(node, from);
  // A reference outside the grid stays `#REF!`, even if the formula moves to a position where it would be inside.
  if (bounds === null) return from === NAME_PLACE ? node : REF_ERROR;
  const moved =
    sheet === null
      ? { sheet: null, area: bounds }
      : shiftReference(move, findReferencedBlock(node, sheet, bounds, move));
  if (moved === null) return REF_ERROR;
  const part = rebuildSheetPart(node.sheet, sheet, moved.sheet, to.sheet);
  return rebuildReference(node, part, keepWholeSides(node, bounds, moved.area), from, to);
}

/** The sheet of a reference; null if there are several or if it is missing. */
function findReferencedSheet(part: SheetPart | undefined, ownSheet: number): number | null {
  if (part === undefined) return ownSheet;
  return 'id' in part ? part.id : null;
}

/**
 * Returns the cells that decide how a reference follows moves. Whole columns and rows follow only moves across them;
 * areas open at the bottom follow their first row.
 */
function findReferencedBlock(node: MovableReference, sheet: number, bounds: Area, move: Move): Block {
  if (node.k === 'cell' || move.kind === 'carry') return { sheet, area: bounds };
  const along = move.axis === 'rows' ? 'columns' : 'rows';
  if (node.whole === along) return { sheet: NO_SHEET, area: bounds };
  return { sheet, area: bounds };
}

/** Gives the moved area of whole rows or columns its full length again; an open area stays open. */
function keepWholeSides(node: MovableReference, before: Area, moved: Area): Area {
  if (node.k === 'cell') return moved;
  if (node.whole === 'columns') return area(before.top, moved.left, before.bottom, moved.right);
  if (node.whole === 'rows') return area(moved.top, before.left, moved.bottom, before.right);
  return node.open ? area(moved.top, moved.left, before.bottom, moved.right) : moved;
}

/**
 * Returns the sheet part of a reference for the formula's new position. It is omitted for the formula's own sheet,
 * unless the text named that sheet before.
 */
function rebuildSheetPart(
  part: SheetPart | undefined,
  oldSheet: number | null,
  newSheet: number | null,
  ownSheet: number,
): SheetPart | undefined {
  if (oldSheet === null || newSheet === null || newSheet < 0) return part;
  if (part !== undefined) return oldSheet === newSheet ? part : { id: newSheet };
  return newSheet === ownSheet ? undefined : { id: newSheet };
}

/**
 * Builds the reference to the moved cells for the formula's new position. Corners stay absolute or relative and keep
 * their order.
 */
function rebuildReference(
  node: MovableReference,
  part: SheetPart | undefined,
  moved: Area,
  from: FormulaPosition,
  to: FormulaPosition,
): Node {
  const sheet = part === undefined ? {} : { sheet: part };
  if (node.k === 'cell') {
    const next = {
      row: moveCoordinate(node.row, moved.top, to.row),
      column: moveCoordinate(node.column, moved.left, to.column),
    };
    if (next.row === node.row && next.column === node.column && part === node.sheet) return node;
    return { k: 'cell', ...sheet, ...next };
  }
  const isUpside = resolveCoordinate(node.top, from.row) > resolveCoordinate(node.bottom, from.row);
  const isMirrored = resolveCoordinate(node.left, from.column) > resolveCoordinate(node.right, from.column);
  const next = {
    top: moveCoordinate(node.top, isUpside ? moved.bottom : moved.top, to.row),
    left: moveCoordinate(node.left, isMirrored ? moved.right : moved.left, to.column),
    bottom: moveCoordinate(node.bottom, isUpside ? moved.top : moved.bottom, to.row),
    right: moveCoordinate(node.right, isMirrored ? moved.left : moved.right, to.column),
  };
  const same =
    next.top === node.top &&
    next.left === node.left &&
    next.bottom === node.bottom &&
    next.right === node.right &&
    part === node.sheet;
  if (same) return node;
  const kind = { ...(node.whole ? { whole: node.whole } : {}), ...(node.open ? { open: node.open } : {}) };
  return { k: 'area', ...sheet, ...next, ...kind };
}

/** The coordinate of a moved row or column `line`, of the same kind (absolute or relative) as `old`. */
function moveCoordinate(old: Coordinate, line: number, formulaLine: number): Coordinate {
  const next = old.absolute ? line : line - formulaLine;
  return next === old.at ? old : createCoordinate(next, old.absolute);
}
