import { encodeInverse } from '../codec/inverse-writer.ts';
import type { Move } from '../grid/move.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import type { ApplyContext, Refusal } from './types.ts';
import { Workbook } from './workbook.ts';

/**
 * What takes a batch back after cells have changed places since: the difference between its two states once the cells
 * of both have gone the same way. The states share their table of formats.
 */
export function followedInverse(
  before: Snapshot,
  after: Snapshot,
  moves: readonly Move[],
  context: ApplyContext,
): Uint8Array | Refusal {
  const old = moved(before, moves, context);
  if ('kind' in old) return old;
  const now = moved(after, moves, context);
  if ('kind' in now) return now;
  return encodeInverse({ before: old, after: now });
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
