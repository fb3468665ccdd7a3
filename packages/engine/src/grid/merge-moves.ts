import { type Area, area, contains, intersects } from './area.ts';
import { type LineMoves, mergeLineMoves } from './line-order.ts';
import {
  type CutMove,
  createLinesArea,
  getLineCount,
  getMovePieces,
  isWithin,
  type LineMove,
  type Move,
  moveBlocks,
  moveCell,
  offsetArea,
  type Span,
} from './move.ts';

/** Two lists of moves. Each is rewritten so that it can be applied after the other one. */
export interface MergedMoves {
  readonly first: readonly Move[];
  readonly second: readonly Move[];
}

/**
 * Maximum number of pairs of moves that are merged. Moves within parts of lines can split into more pieces each time.
 */
const MAX_PAIRS = 2_000;

/**
 * Merges two lists of moves that start from the same state. `second` followed by the returned `first` moves every cell
 * to the same position as `first` followed by the returned `second`. Null if moves cannot express the result, because
 * cells are cut over each other or into deleted lines, or because lines shifted within a part of the sheet cross lines
 * of the other axis. Never null for whole lines.
 */
export function mergeMoves(first: readonly Move[], second: readonly Move[]): MergedMoves | null {
  if (areWholeLines(first) && areWholeLines(second)) return mergeWholeLines(first, second);
  return new PairwiseMerge().mergeMoves(first, second);
}

/** True if all moves insert, delete or reorder whole lines. */
function areWholeLines(moves: readonly Move[]): moves is readonly LineMove[] {
  return moves.every((move) => move.kind !== 'carry' && getAcrossSpan(move) === undefined);
}

/** Merges moves of whole lines. Rows and columns are independent of each other, and so are sheets. */
function mergeWholeLines(first: readonly LineMove[], second: readonly LineMove[]): MergedMoves | null {
  const merged: { first: Move[]; second: Move[] } = { first: [], second: [] };
  for (const key of new Set([...first, ...second].map(createAxisKey))) {
    const ours = first.filter((move) => createAxisKey(move) === key);
    const theirs = second.filter((move) => createAxisKey(move) === key);
    const both =
      isNotEmpty(ours) && isNotEmpty(theirs) ? mergeLineMoves(ours, theirs) : { first: ours, second: theirs };
    if (both === null) return null;
    merged.first.push(...both.first);
    merged.second.push(...both.second);
  }
  return merged;
}

function createAxisKey({ sheet, axis }: LineMove): string {
  return `${sheet}:${axis}`;
}

function isNotEmpty(moves: readonly LineMove[]): moves is LineMoves {
  return moves.length > 0;
}

/** Merges each move of one list with each move of the other. */
class PairwiseMerge {
  private left = MAX_PAIRS;

  mergeMoves(first: readonly Move[], second: readonly Move[]): MergedMoves | null {
    if (first.length === 0 || second.length === 0) return { first, second };
    const [a, ...more] = first as [Move, ...Move[]];
    const [b, ...others] = second as [Move, ...Move[]];
    if (more.length > 0) {
      const step = this.mergeMoves([a], second);
      const rest = step && this.mergeMoves(more, step.second);
      return rest && { first: [...step.first, ...rest.first], second: rest.second };
    }
    const step = --this.left < 0 ? null : mergePair(a, b);
    const rest = step && this.mergeMoves(step.first, others);
    return rest && { first: rest.first, second: [...step.second, ...rest.second] };
  }
}

function mergePair(first: Move, second: Move): MergedMoves | null {
  if (first.kind === 'carry')
    return second.kind === 'carry' ? mergeCuts(first, second) : mergeCutWithLines(first, second);
  if (second.kind === 'carry') return mergeLinesWithCut(first, second);
  if (first.sheet !== second.sheet) return { first: [first], second: [second] };
  return first.axis === second.axis ? mergeSameAxis(first, second) : mergeCrossingAxes(first, second);
}

/** The lines to which a move is limited across its axis; undefined for all. */
function getAcrossSpan(move: LineMove): Span | undefined {
  return 'across' in move ? move.across : undefined;
}

function getFullAcrossSpan(move: LineMove): Span {
  return getAcrossSpan(move) ?? { first: 0, last: getLineCount(move.axis === 'rows' ? 'columns' : 'rows') - 1 };
}

/**
 * Merges two moves of lines on the same axis. The part that both affect is merged; the rest of each move does not
 * change.
 */
function mergeSameAxis(first: LineMove, second: LineMove): MergedMoves | null {
  const [one, other] = [getFullAcrossSpan(first), getFullAcrossSpan(second)];
  const common = { first: Math.max(one.first, other.first), last: Math.min(one.last, other.last) };
  if (common.first > common.last) return { first: [first], second: [second] };
  const isWhole = getAcrossSpan(first) === undefined && getAcrossSpan(second) === undefined;
  const merged = mergeLineMoves([first], [second], isWhole ? undefined : common);
  if (merged === null) return null;
  const ours = combineParts(first, subtractSpan(one, common), merged.first);
  const theirs = combineParts(second, subtractSpan(other, common), merged.second);
  return ours && theirs && { first: ours, second: theirs };
}

/** The parts of a span outside of an inner span. */
function subtractSpan({ first, last }: Span, inner: Span): readonly Span[] {
  const sides = [
    { first, last: inner.first - 1 },
    { first: inner.last + 1, last },
  ];
  return sides.filter((side) => side.first <= side.last);
}

/**
 * Combines the two parts of a move that was split across its lines: `innerMoves` replace it in the common part, and it
 * stays unchanged in `unchangedSpans`.
 */
function combineParts(
  move: LineMove,
  unchangedSpans: readonly Span[],
  innerMoves: readonly Move[],
): readonly Move[] | null {
  const [only] = innerMoves;
  const isSame =
    innerMoves.length === 1 &&
    only?.kind === move.kind &&
    'at' in only &&
    only.at === move.at &&
    only.count === move.count;
  if (isSame && only.kind !== 'reorder') return [move];
  if (unchangedSpans.length === 0)
    return innerMoves.map((one) => (getAcrossSpan(move) === undefined ? removeAcross(one) : one));
  if (move.kind === 'reorder') return null;
  return [...unchangedSpans.map((across): Move => ({ ...move, across })), ...innerMoves];
}

function removeAcross(move: Move): Move {
  if (move.kind !== 'insert' && move.kind !== 'delete') return move;
  const { across: _, ...whole } = move;
  return whole;
}

/**
 * Merges a move of rows with a move of columns. If a move is limited to a part of the other axis, its limits follow the
 * lines of that axis.
 */
function mergeCrossingAxes(first: LineMove, second: LineMove): MergedMoves | null {
  const [one, other] = [getAcrossSpan(first), getAcrossSpan(second)];
  if (one !== undefined && other !== undefined) {
    const areApart = one.last < second.at || other.last < first.at;
    return areApart ? { first: [first], second: [second] } : null;
  }
  return { first: followAcross(first, one, second), second: followAcross(second, other, first) };
}

/**
 * The move after another move of the lines to which its `across` is limited. Several moves if these lines are no longer
 * adjacent.
 */
function followAcross(move: LineMove, across: Span | undefined, other: LineMove): readonly Move[] {
  if (across === undefined || move.kind === 'reorder') return [move];
  const { sheet, axis } = other;
  const lines = createLinesArea(axis, across.first, across.last);
  const spans = moveBlocks(other, { sheet, area: lines }).map(({ area: { top, left, bottom, right } }) =>
    axis === 'rows' ? { first: top, last: bottom } : { first: left, last: right },
  );
  return spans.map((span): Move => ({ ...move, across: span }));
}

/** Merges a cut with a later move of lines. Null if source or target lines are deleted. */
function mergeCutWithLines(first: CutMove, second: LineMove): MergedMoves | null {
  const { moves, isLost } = followLines(first, second);
  return moves === null || isLost ? null : { first: moves, second: [second] };
}

/** Merges a move of lines with a later cut. Null if the cells were cut into deleted lines. */
function mergeLinesWithCut(first: LineMove, second: CutMove): MergedMoves | null {
  const { moves, isLost } = followLines(second, first);
  return moves === null || isLost ? null : { first: [first], second: moves };
}

interface AdjustedCut {
  /** Moves with the same effect; null if the pieces cannot be moved one after another. */
  readonly moves: readonly CutMove[] | null;
  /** True if target lines are deleted. */
  readonly isLost: boolean;
}

/** Adjusts a cut after lines moved. Omits pieces in deleted lines. */
function followLines(cut: CutMove, lines: LineMove): AdjustedCut {
  const rows = cut.row - cut.area.top;
  const columns = cut.column - cut.area.left;
  const moves: CutMove[] = [];
  let isLost = false;
  const parts = splitCut(cut, lines, rows, columns);
  for (const part of parts) {
    const from = moveCell(lines, cut.sheet, part.top, part.left);
    const to = moveCell(lines, cut.toSheet, part.top + rows, part.left + columns);
    isLost ||= to === null;
    if (from === null || to === null) continue;
    const taken = offsetArea(part, from.row - part.top, from.column - part.left);
    moves.push({ ...cut, area: taken, row: to.row, column: to.column });
  }
  if (cut.sheet !== cut.toSheet || !intersects(cut.area, offsetArea(cut.area, rows, columns))) {
    return { moves, isLost };
  }
  const [first] = parts as [Area];
  const isCutBothWays = parts.some(({ top }) => top !== first.top) && parts.some(({ left }) => left !== first.left);
  const isBent = parts.length > 1 && (lines.kind === 'reorder' || (isCutBothWays && rows !== 0 && columns !== 0));
  // A piece that is moved first must not overwrite a piece that is moved later.
  const isRows = isCutBothWays ? rows !== 0 : parts.some(({ top }) => top !== first.top);
  if ((isRows ? rows : columns) > 0) moves.reverse();
  return { moves: isBent ? null : moves, isLost };
}

/** Splits a cut area where its source or target lines move differently. */
function splitCut(cut: CutMove, lines: LineMove, rows: number, columns: number): readonly Area[] {
  const { pieces, lost } = getMovePieces(lines);
  const tops = new Set<number>([cut.area.top]);
  const lefts = new Set<number>([cut.area.left]);
  for (const { sheet, area: blockArea } of [...pieces, ...lost]) {
    for (const [of, down, right] of [
      [cut.sheet, 0, 0],
      [cut.toSheet, rows, columns],
    ] as const) {
      if (of !== sheet) continue;
      for (const row of [blockArea.top, blockArea.bottom + 1]) tops.add(row - down);
      for (const column of [blockArea.left, blockArea.right + 1]) lefts.add(column - right);
    }
  }
  const spans = (starts: ReadonlySet<number>, first: number, last: number) => {
    const inside = [...starts].filter((one) => one >= first && one <= last).sort((a, b) => a - b);
    return inside.map((one, i) => [one, (inside[i + 1] ?? last + 1) - 1] as const);
  };
  const { top, left, bottom, right } = cut.area;
  return spans(tops, top, bottom).flatMap(([first, last]) =>
    spans(lefts, left, right).map(([from, to]) => area(first, from, last, to)),
  );
}

/** Merges two cuts. They must not share cells, or the cells of `first` must be inside the source area of `second`. */
function mergeCuts(first: CutMove, second: CutMove): MergedMoves | null {
  const target = (one: CutMove) => offsetArea(one.area, one.row - one.area.top, one.column - one.area.left);
  const ours = [
    { sheet: first.sheet, area: first.area },
    { sheet: first.toSheet, area: target(first) },
  ];
  const theirs = [
    { sheet: second.sheet, area: second.area },
    { sheet: second.toSheet, area: target(second) },
  ];
  const [taken, put] = theirs as [(typeof theirs)[0], (typeof theirs)[0]];
  const meets = (a: (typeof theirs)[0], b: (typeof theirs)[0]) => a.sheet === b.sheet && intersects(a.area, b.area);
  const goesAlong = (one: (typeof theirs)[0]) => one.sheet === taken.sheet && isWithin(one.area, taken.area);
  const isClear = ours.every((one) => !meets(one, put) || (goesAlong(one) && put.sheet === taken.sheet));
  if (!isClear || !ours.every((one) => goesAlong(one) || !meets(one, taken))) return null;
  // A cell that is in both the source area and the target area would be both lost and kept.
  if (ours.some((one) => goesAlong(one) && meets(one, put))) return null;
  const there = (sheet: number, row: number, column: number) => {
    const isTaken = sheet === taken.sheet && contains(taken.area, row, column);
    if (!isTaken) return { sheet, row, column };
    return {
      sheet: put.sheet,
      row: row + put.area.top - taken.area.top,
      column: column + put.area.left - taken.area.left,
    };
  };
  const from = there(first.sheet, first.area.top, first.area.left);
  const to = there(first.toSheet, first.row, first.column);
  const moved: CutMove = {
    ...first,
    sheet: from.sheet,
    area: offsetArea(first.area, from.row - first.area.top, from.column - first.area.left),
    toSheet: to.sheet,
    row: to.row,
    column: to.column,
  };
  return { first: [moved], second: [second] };
}
