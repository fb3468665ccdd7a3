import type { CallNode, Coordinate, Node, SheetPart } from '../formula/ast.ts';
import { findCallable } from '../functions/catalogue.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';

/** Maximum nesting of reference expressions whose bounds are determined. */
const MAX_DEPTH = 8;

/** Rows or columns, in any order. */
type Corners = readonly Coordinate[];

/** An area that contains all cells of a reference expression: the area between the outermost rows and columns. */
interface ReferenceBounds {
  readonly sheet: SheetPart | undefined;
  readonly rows: Corners;
  readonly columns: Corners;
}

/** Two opposite corners of an area, in any order. */
interface BoundedArea {
  readonly top: Coordinate;
  readonly left: Coordinate;
  readonly bottom: Coordinate;
  readonly right: Coordinate;
}

const ALL_ROWS: Corners = [fixLine(0), fixLine(MAX_ROWS - 1)];
const ALL_COLUMNS: Corners = [fixLine(0), fixLine(MAX_COLUMNS - 1)];

function fixLine(at: number): Coordinate {
  return { at, absolute: true };
}

/**
 * Returns bounds of the cells that a reference expression can mean, without calculating it. It can be a cell, an area, a
 * range between two references, a part of a reference (INDEX), or a moved reference (OFFSET) whose distance and size are
 * constants along at least one axis. Returns null for other expressions. `isShadowed`: true if a surrounding LET or
 * LAMBDA binds the name of a function.
 */
export function findReferenceBounds(
  node: Node,
  isShadowed: (name: string) => boolean,
  depth = 0,
): ReferenceBounds | null {
  if (depth > MAX_DEPTH) return null;
  const findBounds = (inner: Node) => findReferenceBounds(inner, isShadowed, depth + 1);
  switch (node.k) {
    case 'cell':
      return { sheet: node.sheet, rows: [node.row], columns: [node.column] };
    case 'area':
      return { sheet: node.sheet, rows: [node.top, node.bottom], columns: [node.left, node.right] };
    case 'parentheses':
      return findBounds(node.arg);
    case 'binary':
      return node.op === ':' ? joinBounds(findBounds(node.left), findBounds(node.right)) : null;
    case 'call': {
      const [first] = node.args;
      if (first === undefined || isShadowed(node.name)) return null;
      const refersTo = findCallable(node.name)?.refersTo;
      if (refersTo === 'part') return findBounds(first);
      return refersTo === 'offset' ? offsetBounds(findBounds(first), node) : null;
    }
    default:
      return null;
  }
}

function joinBounds(a: ReferenceBounds | null, b: ReferenceBounds | null): ReferenceBounds | null {
  if (a === null || b === null || !isSameSheet(a.sheet, b.sheet)) return null;
  return { sheet: a.sheet, rows: [...a.rows, ...b.rows], columns: [...a.columns, ...b.columns] };
}

function isSameSheet(a: SheetPart | undefined, b: SheetPart | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return 'id' in a && 'id' in b && a.id === b.id;
}

/** The bounds of OFFSET. Null if neither the rows nor the columns are known. */
function offsetBounds(base: ReferenceBounds | null, { args }: CallNode): ReferenceBounds | null {
  if (base === null) return null;
  const [, rows, columns, height, width] = args;
  const knownRows = offsetLines(base.rows, rows, height);
  const knownColumns = offsetLines(base.columns, columns, width);
  if (knownRows === null && knownColumns === null) return null;
  return { sheet: base.sheet, rows: knownRows ?? ALL_ROWS, columns: knownColumns ?? ALL_COLUMNS };
}

/** The first and last line of OFFSET along one axis; null if the distance or the size is calculated. */
function offsetLines(lines: Corners, distance: Node | undefined, size: Node | undefined): Corners | null {
  const by = readInteger(distance);
  if (by === null) return null;
  const moved = lines.map(({ at, absolute }) => ({ at: at + by, absolute }));
  if (size === undefined || size.k === 'missing') return moved;
  const count = readInteger(size);
  const [first] = moved;
  if (count === null || count === 0 || first === undefined) return null;
  if (moved.some(({ absolute }) => absolute !== first.absolute)) return null;
  const start = Math.min(...moved.map(({ at }) => at));
  const end = count > 0 ? start + count - 1 : start + count + 1;
  return [
    { at: start, absolute: first.absolute },
    { at: end, absolute: first.absolute },
  ];
}

/** The value of an argument that is an integer constant; null for other arguments. A missing argument is 0. */
function readInteger(node: Node | undefined): number | null {
  if (node === undefined || node.k === 'missing') return 0;
  const isNegative = node.k === 'unary' && node.op === '-';
  const size = isNegative ? node.arg : node;
  if (size.k !== 'number' || !Number.isInteger(size.value)) return null;
  return isNegative ? -size.value : size.value;
}

/**
 * Returns areas that together contain everything between the outermost corners: more than one only if some corners are
 * absolute and others relative. The bottom right corner comes first, so that an area that reaches the end of the grid
 * does not count as a reference with an open side, which would be clipped.
 */
export function listBoundedAreas({ rows, columns }: Pick<ReferenceBounds, 'rows' | 'columns'>): BoundedArea[] {
  return listSpans(rows).flatMap(([top, bottom]) =>
    listSpans(columns).map(([left, right]) => ({ top: bottom, left: right, bottom: top, right: left })),
  );
}

/** Spans whose union contains all lines between the outermost corners. */
function listSpans(corners: Corners): (readonly [Coordinate, Coordinate])[] {
  const fixed = findOutermost(corners.filter(({ absolute }) => absolute));
  const relative = findOutermost(corners.filter(({ absolute }) => !absolute));
  if (fixed.length === 0 || relative.length === 0) {
    const [first, last = first] = fixed.length > 0 ? fixed : relative;
    return first === undefined || last === undefined ? [] : [[first, last]];
  }
  return fixed.flatMap((from) => relative.map((to) => [from, to] as const));
}

/** The first and the last of corners that are all absolute or all relative; one if they are equal. */
function findOutermost(corners: Corners): Corners {
  if (corners.length === 0) return [];
  const sorted = corners.toSorted((a, b) => a.at - b.at);
  const [first, last] = [sorted[0]!, sorted[sorted.length - 1]!];
  return first.at === last.at ? [first] : [first, last];
}
