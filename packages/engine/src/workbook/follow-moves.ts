import { ChangeLog } from '../calc/change-log.ts';
import { encodeInverse } from '../codec/inverse-writer.ts';
import { type Block, type Move, movedBlocks } from '../grid/move.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import type { ApplyContext, Refusal } from './types.ts';
import { Workbook } from './workbook.ts';

/** How the cells of the states before and after a batch come to the same places. */
export interface FollowedMoves {
  readonly before: readonly Move[];
  readonly after: readonly Move[];
  /** The cells that it wrote, or lost, by where they are in the state before; null: whatever is another input by then. */
  readonly written: readonly Block[] | null;
}

/**
 * What takes a batch back after cells have changed places since, itself or by others: the difference between its two
 * states once the cells of both are where they are to be. The states share their table of formats.
 */
export function followedInverse(
  before: Snapshot,
  after: Snapshot,
  moves: FollowedMoves,
  context: ApplyContext,
): Uint8Array | Refusal {
  const old = moved(before, moves.before, context);
  if ('kind' in old) return old;
  const now = moved(after, moves.after, context);
  if ('kind' in now) return now;
  if (moves.written === null) return encodeInverse({ before: old, after: now });
  const written = new ChangeLog();
  for (const block of moves.written) {
    const places = moves.before.reduce<readonly Block[]>(
      (held, move) => held.flatMap((one) => movedBlocks(move, one)),
      [block],
    );
    for (const { sheet, area } of places) written.addArea(sheet, area);
  }
  return encodeInverse({ before: old, after: now, written: written.areas(), areFollowed: true });
}

function moved(state: Snapshot, moves: readonly Move[], context: ApplyContext): Snapshot | Refusal {
  const workbook = Workbook.open(state);
  const there = moves.filter(
    (move) => state.hasSheet(move.sheet) && (move.kind !== 'carry' || state.hasSheet(move.toSheet)),
  );
  const applied = workbook.apply(
    there.map((move) => ({ kind: 'moveCells', move })),
    context,
  );
  return applied.kind === 'refusal' ? applied : workbook.head;
}
