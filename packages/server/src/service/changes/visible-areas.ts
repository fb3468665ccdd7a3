import { type Block, type Move, movedBlocks, piecesOf, targetOf } from '@cellwire/engine';
import type { ReadAreas } from '@cellwire/store/stored-forms';
import { MAX_FEED_RANGES } from '../../limits/notify.ts';

/**
 * The areas of a commit for a reader of some sheets only. Cells moved from invisible sheets count as written, because
 * their origin must not be shown.
 */
export function areasVisibleTo(areas: ReadAreas, isTold: (sheet: number) => boolean): ReadAreas {
  let came: readonly Block[] = [];
  for (const move of areas.moves ?? []) {
    const held = came.flatMap((block) => movedBlocks(move, block)).filter(({ sheet }) => isTold(sheet));
    came = [...held, ...incomingAreas(move, isTold)];
    if (came.length > MAX_FEED_RANGES) return { ...areas, isCut: true };
  }
  if (came.length === 0) return areas;
  const written = came.map(
    ({ sheet, area: { top, left, bottom, right } }) => [sheet, top, left, bottom, right] as const,
  );
  return { ...areas, written: [...areas.written, ...written] };
}

function incomingAreas(move: Move, isTold: (sheet: number) => boolean): readonly Block[] {
  if (move.kind !== 'carry' || isTold(move.sheet) || !isTold(move.toSheet)) return [];
  return piecesOf(move).pieces.map(targetOf);
}
