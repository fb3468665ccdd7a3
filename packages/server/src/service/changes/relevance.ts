import { type Area, getMovePieces, intersects, MAX_ROWS, type Move, type Snapshot } from '@cellwire/engine';
import { type ParsedAreas, parseStructure, type StructureText } from '@cellwire/store/stored-forms';
import { findStepAfter, type WatchedPosition, type WatchTrail } from './watch.ts';

interface RelevanceContext {
  readonly revision: number;
  readonly structure: StructureText | null;
  /** The newest state. */
  readonly snapshot: Snapshot;
}

/**
 * True if a commit wrote, recalculated, deleted or reordered followed cells. `below`: changes below the followed cells
 * count too, because a table may have ended there.
 */
export function isRelevant(
  { steps }: WatchTrail,
  { revision, structure, snapshot }: RelevanceContext,
  { written, derived, rest = [], moves = [] }: ParsedAreas,
  below: boolean,
): boolean {
  const [before, after] = [revision - 1, revision].map((at) => extendWatchedArea(findStepAfter(steps, at), below));
  const isIn = ([sheet, top, left, bottom, right]: ParsedAreas['written'][number]) =>
    overlapsWatchedArea(after, sheet, { top, left, bottom, right });
  const isGone = after?.area != null && !snapshot.hasSheet(after.sheet);
  if (isGone && parseStructure(structure).some(({ operation }) => 'deleteSheet' in operation)) return true;
  if (written.some(isIn) || derived.some(isIn)) return true;
  if (rest.some(([sheet]) => sheet === after?.sheet && after.area !== null)) return true;
  return moves.some((move) => reordersArea(move, before) || reordersArea(move, after));
}

/** The watched area, extended to the last row of the grid if `below` is true. */
function extendWatchedArea(step: WatchedPosition | null, below: boolean): WatchedPosition | null {
  return below && step?.area ? { ...step, area: { ...step.area, bottom: MAX_ROWS - 1 } } : step;
}

/** True if the area overlaps the watched one. */
function overlapsWatchedArea(step: WatchedPosition | null | undefined, sheet: number, area: Area): boolean {
  return step?.sheet === sheet && step.area !== null && intersects(step.area, area);
}

/** True if a move takes cells out of an area or reorders cells within it; false if it shifts the whole area. */
function reordersArea(move: Move, step: WatchedPosition | null | undefined): boolean {
  if (step?.area == null) return false;
  if (move.kind === 'insert') {
    if (move.sheet !== step.sheet) return false;
    const isRows = move.axis === 'rows';
    const [first, last] = isRows ? [step.area.top, step.area.bottom] : [step.area.left, step.area.right];
    const [from, to] = isRows ? [step.area.left, step.area.right] : [step.area.top, step.area.bottom];
    const isBeside = move.across !== undefined && (move.across.last < from || move.across.first > to);
    return move.at > first && move.at <= last && !isBeside;
  }
  const { pieces, lost } = getMovePieces(move);
  if (lost.some(({ sheet, area }) => overlapsWatchedArea(step, sheet, area))) return true;
  if (move.kind === 'delete') return false;
  return pieces.slice(0, 1).some(({ sheet, area }) => overlapsWatchedArea(step, sheet, area));
}
