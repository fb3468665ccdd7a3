import { type Block, intersection, type Rearrangement, reverseRearrangement } from '@cellwire/engine';
import type { Database } from '@cellwire/store';
import { commitRearrangements, firstCommitAfter, rearrangementsSize } from '@cellwire/store/documents';
import {
  listRearrangements,
  parseAreas,
  parseStructure,
  type StructureOperation,
  withRowOrders,
} from '@cellwire/store/stored-forms';
import { readLog } from '../../documents/read-log.ts';
import type { RecentCommits } from '../../documents/recent-commits.ts';
import { MAX_REBASED_BYTES, MAX_REBASED_COMMITS } from '../../limits/history.ts';

/** The moves of cells and changes of sheets in one commit. */
export interface RebaseStep {
  readonly revision: number;
  readonly steps: readonly Rearrangement[];
  readonly operations: readonly StructureOperation[];
}

/** True if all commits from `base` to the newest are in memory with their areas. */
export function areCommitsKnown(recent: RecentCommits, base: number, latest: number): boolean {
  const later = recent.filter(({ revision }) => revision > base && revision <= latest);
  return later.length === latest - base && later.every(({ areas }) => areas !== null);
}

/** True if no commit from one revision to another moved cells or changed sheets, according to memory or the log. */
export async function isArrangementKept(
  database: Parameters<typeof readStepsBetween>[0],
  recent: RecentCommits,
  { id, from, to }: { readonly id: string; readonly from: number; readonly to: number },
): Promise<boolean> {
  if (isArrangedAs(recent, from, to)) return true;
  if (areCommitsKnown(recent, from, to)) return false;
  return (await readStepsBetween(database, id, from, to))?.length === 0;
}

/** True if no commit in memory from `base` to the newest moved cells or changed sheets. */
export function isArrangedAs(recent: RecentCommits, base: number, latest: number): boolean {
  if (base === latest) return true;
  const since = recent.filter(({ revision }) => revision > base && revision <= latest);
  return since.length === latest - base && since.every(({ areas, structural }) => !structural && isStill(areas));
}

/**
 * The parts of the cells that commits in memory after `base` wrote; null if they may have written any of them. The
 * cells must not have moved since.
 */
export function writtenPartsSince(
  recent: RecentCommits,
  base: number,
  cells: readonly Block[],
): readonly Block[] | null {
  const parts: Block[] = [];
  for (const { revision, areas } of recent) {
    if (revision <= base) continue;
    if (areas === null) return null;
    const { written, rest = [], isCut } = parseAreas(areas);
    if (isCut || rest.some(([sheet]) => cells.some((block) => block.sheet === sheet))) return null;
    for (const [sheet, top, left, bottom, right] of written) {
      for (const block of cells) {
        const area = block.sheet === sheet ? intersection(block.area, { top, left, bottom, right }) : null;
        if (area !== null) parts.push({ sheet, area });
      }
    }
  }
  return parts;
}

function isStill(areas: string | null): boolean {
  if (areas === null) return false;
  return !areas.includes('"moves":') && !areas.includes('"orders":') && !areas.includes('"restored":');
}

/**
 * The steps from a revision to a later one, the oldest first; null if the log does not reach back or there are too many
 * steps. A restore is replaced by the steps to the restored state. An undo directly after its revision cancels both, so
 * that cells deleted in between exist again.
 */
export async function readStepsBetween(
  database: Pick<Database, 'readOne' | 'readAll' | 'readInBackground'>,
  id: string,
  from: number,
  to: number,
): Promise<readonly RebaseStep[] | null> {
  if (from === to) return [];
  if (from < 0 || from > to) return null;
  const first = await database.readOne(firstCommitAfter({ id, after: from }));
  if (first?.revision !== from + 1) return null;
  const range = { id, after: from, to };
  const [[size]] = await readLog(database, range, [rearrangementsSize(range)]);
  const bytes = Number(size?.bytes ?? 0) + Number(size?.orderBytes ?? 0);
  if (Number(size?.commits) > MAX_REBASED_COMMITS || bytes > MAX_REBASED_BYTES) return null;
  const [rows] = await readLog(database, range, [commitRearrangements(range)]);
  let steps: readonly RebaseStep[] = [];
  for (const { revision, areas, row_orders: rowOrders, structure, undoes } of rows) {
    const read = withRowOrders(parseAreas(areas), rowOrders);
    if (read.restored !== undefined) {
      const restored = await readStepsToState(database, id, from, read.restored);
      if (restored === null) return null;
      // These steps now lead to this revision.
      steps = restored.map((one) => ({ ...one, revision }));
      continue;
    }
    const last = steps.at(-1);
    if (last !== undefined && last.revision === undoes) steps = steps.slice(0, -1);
    else {
      const operations = parseStructure(structure).map(({ operation }) => operation);
      steps = [...steps, { revision, steps: listRearrangements(read), operations }];
    }
  }
  return steps;
}

/** The steps from one revision to another, in either direction. */
async function readStepsToState(
  database: Pick<Database, 'readOne' | 'readAll' | 'readInBackground'>,
  id: string,
  from: number,
  to: number,
): Promise<readonly RebaseStep[] | null> {
  if (to < 0) return null;
  if (to >= from) return readStepsBetween(database, id, from, to);
  const forward = await readStepsBetween(database, id, to, from);
  return (
    forward?.toReversed().map(({ revision, steps, operations }) => ({
      revision,
      steps: steps.map(reverseRearrangement).reverse(),
      operations: operations.flatMap(reverseOperation).reverse(),
    })) ?? null
  );
}

/** The inverse of an operation on sheets; empty for other operations. */
function reverseOperation(operation: StructureOperation): readonly StructureOperation[] {
  const { addSheet, renameSheet, deleteSheet } = operation as Partial<Record<string, Readonly<Record<string, string>>>>;
  if (addSheet !== undefined) return [{ deleteSheet: { sheet: addSheet['name'] ?? '' } }];
  if (deleteSheet !== undefined) return [{ addSheet: { name: deleteSheet['sheet'] ?? '' } }];
  if (renameSheet === undefined) return [];
  return [{ renameSheet: { sheet: renameSheet['name'] ?? '', name: renameSheet['sheet'] ?? '' } }];
}
