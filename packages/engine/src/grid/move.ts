import { type Area, area, contains, intersection, intersects, subtract } from './area.ts';
import { MAX_COLUMNS, MAX_ROWS } from './limits.ts';

/** The axis of lines. Lines are the rows or the columns of a sheet. */
export type Axis = 'rows' | 'columns';

/** Lines from `first` to `last`, zero-based. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/**
 * A change of the positions of cells. Plain data with zero-based rows and columns: the log stores it, and readers of
 * the log apply it again. `across` limits rows to these columns, or columns to these rows; absent for whole lines.
 */
export type Move =
  /** Inserts `count` empty lines before line `at`. */
  | {
      readonly kind: 'insert' | 'delete';
      readonly sheet: number;
      readonly axis: Axis;
      readonly at: number;
      readonly count: number;
      readonly across?: Span;
    }
  /**
   * Moves `count` lines from line `at` on to the position before line `to`. `to` is neither one of these lines nor the
   * line after them.
   */
  | {
      readonly kind: 'reorder';
      readonly sheet: number;
      readonly axis: Axis;
      readonly at: number;
      readonly count: number;
      readonly to: number;
    }
  /** Cuts an area and pastes it over another. */
  | {
      readonly kind: 'carry';
      readonly sheet: number;
      readonly area: Area;
      readonly toSheet: number;
      readonly row: number;
      readonly column: number;
    };

export type CutMove = Extract<Move, { readonly kind: 'carry' }>;
export type LineMove = Exclude<Move, CutMove>;

/** An area of one sheet. */
export interface Block {
  readonly sheet: number;
  readonly area: Area;
}

/** A block that moves by a number of rows and columns. */
export interface Piece extends Block {
  readonly toSheet: number;
  readonly rows: number;
  readonly columns: number;
}

/**
 * The effect of a move on the grid: blocks that move and blocks that are lost. All other cells keep their positions.
 */
interface MovePieces {
  readonly pieces: readonly Piece[];
  readonly lost: readonly Block[];
}

const KNOWN = new WeakMap<Move, MovePieces>();

/** Returns the pieces of a move. They are cached for the move object. */
export function getMovePieces(move: Move): MovePieces {
  let pieces = KNOWN.get(move);
  if (!pieces) {
    pieces = splitAtMove(move);
    KNOWN.set(move, pieces);
  }
  return pieces;
}

function splitAtMove(move: Move): MovePieces {
  if (move.kind === 'carry') return splitAtCut(move);
  const { sheet, axis, at, count } = move;
  const end = getLineCount(axis);
  const across = 'across' in move ? move.across : undefined;
  const block = (first: number, last: number): Block => ({ sheet, area: createLinesArea(axis, first, last, across) });
  const piece = (first: number, last: number, offset: number): readonly Piece[] =>
    first > last
      ? []
      : [
          {
            ...block(first, last),
            toSheet: sheet,
            ...(axis === 'rows' ? { rows: offset, columns: 0 } : { rows: 0, columns: offset }),
          },
        ];
  switch (move.kind) {
    case 'insert':
      return { pieces: piece(at, end - 1 - count, count), lost: [block(Math.max(at, end - count), end - 1)] };
    case 'delete':
      return { pieces: piece(at + count, end - 1, -count), lost: [block(at, at + count - 1)] };
    case 'reorder': {
      const { to } = move;
      const down = to > at;
      const others = down ? piece(at + count, to - 1, -count) : piece(to, at - 1, count);
      return { pieces: [...piece(at, at + count - 1, down ? to - at - count : to - at), ...others], lost: [] };
    }
  }
}

function splitAtCut(move: Extract<Move, { kind: 'carry' }>): MovePieces {
  const { sheet, toSheet } = move;
  const rows = move.row - move.area.top;
  const columns = move.column - move.area.left;
  const target = offsetArea(move.area, rows, columns);
  const overwritten = sheet === toSheet ? subtract(target, move.area) : [target];
  return {
    pieces: [{ sheet, area: move.area, toSheet, rows, columns }],
    lost: overwritten.map((lost) => ({ sheet: toSheet, area: lost })),
  };
}

/** The number of lines of a grid. */
export function getLineCount(axis: Axis): number {
  return axis === 'rows' ? MAX_ROWS : MAX_COLUMNS;
}

/** The cells of lines, or their cells within `across`. */
export function createLinesArea(axis: Axis, first: number, last: number, across?: Span): Area {
  if (axis === 'rows') return area(first, across?.first ?? 0, last, across?.last ?? MAX_COLUMNS - 1);
  return area(across?.first ?? 0, first, across?.last ?? MAX_ROWS - 1, last);
}

/** Returns an area moved by a number of rows and columns. */
export function offsetArea(a: Area, rows: number, columns: number): Area {
  return area(a.top + rows, a.left + columns, a.bottom + rows, a.right + columns);
}

/** The destination of a moved block. */
export function getPieceTarget(piece: Piece): Block {
  return { sheet: piece.toSheet, area: offsetArea(piece.area, piece.rows, piece.columns) };
}

/** Returns the move that moves the same cells back. It does not restore lost cells. */
export function reverseMove(move: Move): Move {
  switch (move.kind) {
    case 'insert':
      return { ...move, kind: 'delete' };
    case 'delete':
      return { ...move, kind: 'insert' };
    case 'reorder': {
      const { at, count, to } = move;
      return to > at ? { ...move, at: to - count, to: at } : { ...move, at: to, to: at + count };
    }
    case 'carry': {
      const target = offsetArea(move.area, move.row - move.area.top, move.column - move.area.left);
      return {
        ...move,
        sheet: move.toSheet,
        area: target,
        toSheet: move.sheet,
        row: move.area.top,
        column: move.area.left,
      };
    }
  }
}

/** The sheets whose cells a move changes. */
export function listMoveSheets(move: Move): ReadonlySet<number> {
  return new Set(move.kind === 'carry' ? [move.sheet, move.toSheet] : [move.sheet]);
}

/** The position of a cell after a move; null if it is lost. */
export function moveCell(move: Move, sheet: number, row: number, column: number) {
  const { pieces, lost } = getMovePieces(move);
  for (const piece of pieces) {
    if (piece.sheet !== sheet || !contains(piece.area, row, column)) continue;
    return { sheet: piece.toSheet, row: row + piece.rows, column: column + piece.columns };
  }
  for (const block of lost) if (block.sheet === sheet && contains(block.area, row, column)) return null;
  return { sheet, row, column };
}

/** The positions of the cells of an area after a move. */
export function moveBlocks(move: Move, block: Block): readonly Block[] {
  const { pieces, lost } = getMovePieces(move);
  const blocks: Block[] = [];
  let rest: readonly Area[] = [block.area];
  for (const piece of pieces) {
    if (piece.sheet !== block.sheet) continue;
    const part = intersection(piece.area, block.area);
    if (!part) continue;
    blocks.push({ sheet: piece.toSheet, area: offsetArea(part, piece.rows, piece.columns) });
    rest = rest.flatMap((existingArea) => subtract(existingArea, piece.area));
  }
  for (const { sheet, area: lostArea } of lost) {
    if (sheet === block.sheet) rest = rest.flatMap((existing) => subtract(existing, lostArea));
  }
  for (const current of rest) blocks.push({ sheet: block.sheet, area: current });
  return blocks;
}

/** True if an area contains the same cells in the same order after a move, at any position. */
export function keepsAreaWhole(move: Move, block: Block): boolean {
  const { sheet, area } = block;
  const isOfOne = getMovePieces(move).pieces.some((piece) => piece.sheet === sheet && isWithin(area, piece.area));
  return isOfOne || !touchesBlock(move, block);
}

/** True if a move takes, deletes or overwrites a cell of the block. */
export function touchesBlock(move: Move, { sheet, area }: Block): boolean {
  const { pieces, lost } = getMovePieces(move);
  const meets = (other: Block) => other.sheet === sheet && intersects(other.area, area);
  return pieces.some((piece) => meets(piece) || meets(getPieceTarget(piece))) || lost.some(meets);
}

/** True if an area lies inside another. */
export function isWithin(inner: Area, outer: Area): boolean {
  return contains(outer, inner.top, inner.left) && contains(outer, inner.bottom, inner.right);
}

/** A reference to an area after a move; null if all its cells are lost. Follows Excel; see `moveSpan`. */
export function shiftReference(move: Move, { sheet, area: oldArea }: Block): Block | null {
  if (move.kind === 'carry') return computeReferenceAfterCut(move, { sheet, area: oldArea });
  if (move.sheet !== sheet) return { sheet, area: oldArea };
  const across = 'across' in move ? move.across : undefined;
  const isRows = move.axis === 'rows';
  if (across) {
    const [first, last] = isRows ? [oldArea.left, oldArea.right] : [oldArea.top, oldArea.bottom];
    if (first < across.first || last > across.last) return { sheet, area: oldArea };
  }
  const span = moveSpan(
    move,
    isRows ? { first: oldArea.top, last: oldArea.bottom } : { first: oldArea.left, last: oldArea.right },
  );
  if (!span) return null;
  const { first, last } = span;
  return {
    sheet,
    area: isRows ? area(first, oldArea.left, last, oldArea.right) : area(oldArea.top, first, oldArea.bottom, last),
  };
}

/**
 * Returns a referenced span after lines were inserted, deleted or reordered. An insertion inside it extends it, a
 * deletion shortens it. If it is inside the reordered lines, it moves with them; if it contains all reordered lines, it
 * does not change. Null if all its lines are deleted.
 */
function moveSpan(move: Exclude<Move, { kind: 'carry' }>, span: Span): Span | null {
  const { at, count } = move;
  const end = getLineCount(move.axis);
  if (move.kind !== 'reorder')
    return move.kind === 'insert'
      ? computeSpanAfterInsert(span, at, count, end)
      : computeSpanAfterDelete(span, at, count);
  const { to } = move;
  if (span.first >= at && span.last < at + count) {
    const by = to > at ? to - at - count : to - at;
    return { first: span.first + by, last: span.last + by };
  }
  if (span.first <= Math.min(at, to) && span.last >= Math.max(at + count, to) - 1) return span;
  const wider = computeSpanAfterInsert(span, to, count, end + count);
  return wider && computeSpanAfterDelete(wider, to > at ? at : at + count, count);
}

/**
 * A span of lines after lines were inserted at `firstLine`; null if it leaves the grid. `end`: number of lines of the
 * grid.
 */
function computeSpanAfterInsert({ first, last }: Span, firstLine: number, count: number, end: number): Span | null {
  const moved = {
    first: first < firstLine ? first : first + count,
    last: last < firstLine ? last : Math.min(last + count, end - 1),
  };
  return moved.first < end ? moved : null;
}

/** A span of lines after lines were deleted from `firstLine` on; null if nothing is left. */
function computeSpanAfterDelete({ first, last }: Span, firstLine: number, count: number): Span | null {
  const after = firstLine + count;
  if (first >= firstLine && last < after) return null;
  return {
    first: first < firstLine ? first : Math.max(firstLine, first - count),
    last: last < firstLine ? last : last < after ? firstLine - 1 : last - count,
  };
}

/** The cells that a reference means after cut cells were moved; null if none are left. */
function computeReferenceAfterCut(
  move: Extract<Move, { kind: 'carry' }>,
  { sheet, area: oldArea }: Block,
): Block | null {
  const rows = move.row - move.area.top;
  const columns = move.column - move.area.left;
  if (sheet === move.sheet && isWithin(oldArea, move.area)) {
    return { sheet: move.toSheet, area: offsetArea(oldArea, rows, columns) };
  }
  const isLost = sheet === move.toSheet && isWithin(oldArea, offsetArea(move.area, rows, columns));
  return isLost ? null : { sheet, area: oldArea };
}

/**
 * Splits the rows into ranges whose cells and references all move in the same way. Returns the first row of each range.
 */
export function findRowBoundaries(move: Move): readonly number[] {
  const bounds = new Set([0, MAX_ROWS]);
  const { pieces, lost } = getMovePieces(move);
  const add = ({ area: { top, bottom } }: Block) => bounds.add(top).add(bottom + 1);
  for (const piece of pieces) {
    add(piece);
    add(getPieceTarget(piece));
  }
  lost.forEach(add);
  return [...bounds];
}
