import type { Area, ChangeSet, EditOutcome, FirstAreas } from '@cellwire/engine';
import { cellCount } from '@cellwire/engine';
import { MAX_COMMIT_AREAS } from '../limits/limits.ts';
import type { StoredArea, StoredAreas, StoredRest } from '../store/commits.ts';

/**
 * What a change wrote and recalculated, as the log keeps it (JSON text). Every other cell of a sheet can change in one
 * commit: of so many areas the first are kept, and of the other cells their number.
 */
export function areasText(change: ChangeSet, outcomes: readonly EditOutcome[]): string {
  const { written, derived } = change.firstAreas(MAX_COMMIT_AREAS);
  const rest = [...written, ...derived].flatMap(({ sheet, left }): readonly StoredRest[] =>
    left === 0 ? [] : [[sheet, left]],
  );
  const changed = written.flatMap(({ areas }) => areas).reduce((sum, area) => sum + cellCount(area), 0);
  const asked = outcomes.reduce((sum, { cells }) => sum + cells, 0);
  const areas: StoredAreas = {
    written: flat(written),
    derived: flat(derived),
    ...(rest.length > 0 ? { rest } : {}),
    ...(change.moves.length > 0 ? { moves: change.moves } : {}),
    ...(asked > changed ? { named: namedAreas(outcomes) } : {}),
  };
  return JSON.stringify(areas);
}

const NO_AREAS: StoredAreas = { written: [], derived: [] };
const NO_AREAS_TEXT = JSON.stringify(NO_AREAS);

/** Whether a change wrote and recalculated nothing that is other than it was. */
export function saysNothing(areas: string): boolean {
  return areas === NO_AREAS_TEXT;
}

/** The area of the edits' cells on each sheet; what they name is one block as a rule. */
function namedAreas(outcomes: readonly EditOutcome[]): readonly StoredArea[] {
  const around = new Map<number, Area>();
  for (const { sheet, area, cells } of outcomes) {
    if (area === null || cells === 0) continue;
    const held = around.get(sheet) ?? area;
    around.set(sheet, {
      top: Math.min(held.top, area.top),
      left: Math.min(held.left, area.left),
      bottom: Math.max(held.bottom, area.bottom),
      right: Math.max(held.right, area.right),
    });
  }
  return [...around].map(([sheet, { top, left, bottom, right }]) => [sheet, top, left, bottom, right]);
}

function flat(sheets: readonly FirstAreas[]): readonly StoredArea[] {
  return sheets.flatMap(({ sheet, areas }) =>
    areas.map(({ top, left, bottom, right }): StoredArea => [sheet, top, left, bottom, right]),
  );
}
