import { type Rearrangement, reversedRearrangement } from '@cellwire/engine';
import type { RecentCommits } from '../../documents/recent-commits.ts';
import { MAX_REBASED_COMMITS } from '../../limits/limits.ts';
import { commitRearrangements, firstCommitAfter } from '../../store/changes.ts';
import { type Operation, parseAreas, parseStructure, rearrangementsOf } from '../../store/commits.ts';
import type { Database } from '../../store/database.ts';

/** What one commit did to the places of cells and to sheets. */
export interface RebaseStep {
  readonly revision: number;
  readonly steps: readonly Rearrangement[];
  readonly operations: readonly Operation[];
}

/** Whether no commit after `base` up to the newest of `recent` moved cells or changed sheets, as far as is remembered. */
export function isArrangedAs(recent: RecentCommits, base: number, latest: number): boolean {
  if (base === latest) return true;
  const since = recent.filter(({ revision }) => revision > base && revision <= latest);
  return since.length === latest - base && since.every(({ areas, structural }) => !structural && isStill(areas));
}

function isStill(areas: string | null): boolean {
  if (areas === null) return false;
  return !areas.includes('"moves":') && !areas.includes('"orders":') && !areas.includes('"restored":');
}

/** The steps after a revision up to another, the oldest first; null if the log does not reach back, or they are too many. */
export async function stepsBetween(
  database: Pick<Database, 'read' | 'readOne'>,
  id: string,
  after: number,
  to: number,
): Promise<readonly RebaseStep[] | null> {
  if (after === to) return [];
  if (after > to || to - after > MAX_REBASED_COMMITS) return null;
  const first = await database.readOne(firstCommitAfter({ id, after }));
  if (first?.revision !== after + 1) return null;
  const rows = await database.read(commitRearrangements({ id, after, to }));
  const steps: RebaseStep[] = [];
  for (const { revision, areas, structure } of rows) {
    const read = parseAreas(areas);
    const operations = parseStructure(structure).map(({ operation }) => operation);
    const { restored } = read;
    if (restored === undefined) {
      steps.push({ revision, steps: rearrangementsOf(read), operations });
      continue;
    }
    const undone = await stepsBetween(database, id, restored, revision - 1);
    if (undone === null) return null;
    const back = undone.flatMap((one) => one.steps).map(reversedRearrangement);
    steps.push({ revision, steps: back.reverse(), operations });
  }
  return steps;
}
