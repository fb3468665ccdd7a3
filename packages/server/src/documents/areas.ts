import type { CellAreas, ChangeSet } from '@cellwire/engine';
import type { StoredArea, StoredAreas } from '../store/commits.ts';

/** What a change wrote and recalculated, as the log keeps it (JSON text). */
export function areasText(change: ChangeSet): string {
  const areas: StoredAreas = { written: flat(change.written), derived: flat(change.derived) };
  return JSON.stringify(areas);
}

function flat(areas: readonly CellAreas[]): readonly StoredArea[] {
  return areas.flatMap(({ sheet, areas }) =>
    areas.map(({ top, left, bottom, right }): StoredArea => [sheet, top, left, bottom, right]),
  );
}
