import type { ChangeSet, FirstAreas } from '@cellwire/engine';
import { MAX_COMMIT_AREAS } from '../limits/limits.ts';
import type { StoredArea, StoredAreas, StoredRest } from '../store/commits.ts';

/**
 * What a change wrote and recalculated, as the log keeps it (JSON text). Every other cell of a sheet can change in one
 * commit: of so many areas the first are kept, and of the other cells their number.
 */
export function areasText(change: ChangeSet): string {
  const { written, derived } = change.firstAreas(MAX_COMMIT_AREAS);
  const rest = [...written, ...derived].flatMap(({ sheet, left }): readonly StoredRest[] =>
    left === 0 ? [] : [[sheet, left]],
  );
  const areas: StoredAreas = { written: flat(written), derived: flat(derived), ...(rest.length > 0 ? { rest } : {}) };
  return JSON.stringify(areas);
}

function flat(sheets: readonly FirstAreas[]): readonly StoredArea[] {
  return sheets.flatMap(({ sheet, areas }) =>
    areas.map(({ top, left, bottom, right }): StoredArea => [sheet, top, left, bottom, right]),
  );
}
