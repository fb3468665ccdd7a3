import { type Block, getMovePieces, getPieceTarget, type Move, moveBlocks } from '@cellwire/engine';
import type { ParsedAreas } from '@cellwire/store/stored-forms';
import { MAX_FEED_RANGES } from '../../limits/notify.ts';

/**
 * The areas of a commit for a reader of some sheets only. Cells moved from invisible sheets count as written, because
 * their origin must not be shown.
 */
export function filterVisibleAreas(areas: ParsedAreas, isVisible: (sheet: number) => boolean): ParsedAreas {
  let incoming: readonly Block[] = [];
  for (const move of areas.moves ?? []) {
    const blocks = incoming.flatMap((block) => moveBlocks(move, block)).filter(({ sheet }) => isVisible(sheet));
    incoming = [...blocks, ...listIncomingAreas(move, isVisible)];
    if (incoming.length > MAX_FEED_RANGES) return { ...areas, isCut: true };
  }
  if (incoming.length === 0) return areas;
  const written = incoming.map(
    ({ sheet, area: { top, left, bottom, right } }) => [sheet, top, left, bottom, right] as const,
  );
  return { ...areas, written: [...areas.written, ...written] };
}

/** The target areas of a move from a hidden sheet to a visible one: cells that appear for the reader. */
function listIncomingAreas(move: Move, isVisible: (sheet: number) => boolean): readonly Block[] {
  if (move.kind !== 'carry' || isVisible(move.sheet) || !isVisible(move.toSheet)) return [];
  return getMovePieces(move).pieces.map(getPieceTarget);
}
