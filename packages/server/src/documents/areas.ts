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
  const areas: Written = { written: flat(written), derived: flat(derived) };
  const rest: StoredRest[] = [];
  for (const { sheet, left } of written) if (left > 0) rest.push([sheet, left]);
  for (const { sheet, left } of derived) if (left > 0) rest.push([sheet, left]);
  if (rest.length > 0) areas.rest = rest;
  if (change.moves.length > 0) areas.moves = change.moves;
  if (cellsAsked(outcomes) > cellsIn(written)) areas.named = namedAreas(outcomes);
  return JSON.stringify(areas);
}

/** Filled in member by member: every commit makes one, and most members are absent. */
type Written = { -readonly [K in keyof StoredAreas]: StoredAreas[K] };

function cellsAsked(outcomes: readonly EditOutcome[]): number {
  let asked = 0;
  for (const { cells } of outcomes) asked += cells;
  return asked;
}

function cellsIn(sheets: readonly FirstAreas[]): number {
  let count = 0;
  for (const { areas } of sheets) for (const area of areas) count += cellCount(area);
  return count;
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
  const stored: StoredArea[] = [];
  for (const { sheet, areas } of sheets) {
    for (const { top, left, bottom, right } of areas) stored.push([sheet, top, left, bottom, right]);
  }
  return stored;
}
