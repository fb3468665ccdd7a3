import { type Block, type Move, movedBlocks, piecesOf, targetOf } from '@cellwire/engine';
import type { ReadAreas } from '@cellwire/store/stored-forms';
import { MAX_FEED_RANGES } from '../../limits/notify.ts';

/**
 * The areas of a commit as they are for somebody who is told of some sheets only: cells that came to these from others
 * were written there, as there is no place to tell that they left.
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
