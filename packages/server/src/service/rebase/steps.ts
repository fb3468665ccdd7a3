import {
  type Block,
  followRestoredLines,
  intersection,
  type Rearrangement,
  reverseRearrangement,
} from '@cellwire/engine';
import type { Database } from '@cellwire/store';
import { commitRearrangements, firstCommitAfter, rearrangementsSize } from '@cellwire/store/documents';
import {
  addRowOrders,
  listRearrangements,
  type ParsedAreas,
  parseAreas,
  parseStructure,
  type StoredOperation,
} from '@cellwire/store/stored-forms';
import { readLog } from '../../documents/read-log.ts';
import type { RecentCommits } from '../../documents/recent-commits.ts';
import { MAX_REBASED_BYTES, MAX_REBASED_COMMITS } from '../../limits/history.ts';

/** The moves of cells and changes of sheets in one commit. */
export interface RebaseStep {
  readonly revision: number;
  readonly steps: readonly Rearrangement[];
  readonly operations: readonly StoredOperation[];
}

/** Ids of sheets from here on downwards belong to no sheet. Each deletion uses its own. */
const FIRST_WAITING_SHEET = -2;

/** True if all commits after `base` up to `latest` are in memory with their areas. */
export function areCommitsKnown(recent: RecentCommits, base: number, latest: number): boolean {
  const later = filterCommitsBetween(recent, base, latest);
  return later.length === latest - base && later.every(({ areas }) => areas !== null);
}

/** True if all commits after `base` up to `latest` are in memory, and none moved cells or changed sheets. */
export function isArrangementUnchanged(recent: RecentCommits, base: number, latest: number): boolean {
  const later = filterCommitsBetween(recent, base, latest);
  return later.length === latest - base && later.every(({ areas, structural }) => !structural && hasNoMoves(areas));
}

/** The commits after `base` up to `latest`. */
function filterCommitsBetween(recent: RecentCommits, base: number, latest: number): RecentCommits {
  return recent.filter(({ revision }) => revision > base && revision <= latest);
}

/** True if the stored areas of a commit show that it moved no cells. Null means that they are not known. */
function hasNoMoves(areas: string | null): boolean {
  if (areas === null) return false;
  return !areas.includes('"moves":') && !areas.includes('"orders":') && !areas.includes('"restored":');
}

/**
 * The cells of the targets that commits in memory after `base` wrote; null if they may have written any of them. No
 * cells may have moved since `base`.
 */
export function findWrittenSince(
  recent: RecentCommits,
  base: number,
  targets: readonly Block[],
): readonly Block[] | null {
  const common: Block[] = [];
  for (const { revision, areas } of recent) {
    if (revision <= base) continue;
    const written = areas === null ? null : findWrittenTargets(parseAreas(areas), targets);
    if (written === null) return null;
    common.push(...written);
  }
  return common;
}

/**
 * The cells of the targets that a commit wrote; targets refer to the newest state. Null: the commit may have written
 * any cell. `mapBlocks`: maps cells to the newest state; null if they are split into too many pieces. Absent: no cells
 * moved since the commit.
 */
export function findWrittenTargets(
  { written, rest = [], restored, reordered, isCut }: ParsedAreas,
  targets: readonly Block[],
  mapBlocks: (block: Block) => readonly Block[] | null = (block) => [block],
): readonly Block[] | null {
  if (restored !== undefined || isCut) return null;
  // Values that only moved with their cells are not changed.
  if (reordered === true) return [];
  if (rest.some(([sheet]) => targets.some((target) => target.sheet === sheet))) return null;
  const common: Block[] = [];
  for (const [sheet, top, left, bottom, right] of written) {
    const blocks = mapBlocks({ sheet, area: { top, left, bottom, right } });
    if (blocks === null) return null;
    for (const block of blocks) {
      for (const target of targets) {
        const area = target.sheet === block.sheet ? intersection(target.area, block.area) : null;
        if (area !== null) common.push({ sheet: block.sheet, area });
      }
    }
  }
  return common;
}

/**
 * The steps from a revision to a later one, the oldest first; null if the log does not reach back or there are too many
 * steps. A restore is replaced by the steps to the restored state. An undo of a revision cancels both if no cells
 * moved in between, so that deleted cells exist again.
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
    const read = addRowOrders(parseAreas(areas), rowOrders);
    if (read.restored !== undefined) {
      const restored = await readStepsToState(database, id, from, read.restored);
      if (restored === null) return null;
      // The steps of the restored state now lead to the revision of the restore.
      steps = restored.map((one) => ({ ...one, revision }));
      continue;
    }
    const own = { revision, steps: listRearrangements(read), operations: parseStructure(structure) };
    const undone = undoes === null ? null : (removeUndoneSteps(steps, undoes) ?? restoreLines(steps, undoes, own));
    steps = undone ?? [...steps, own];
  }
  return steps;
}

/** The steps without an undone revision; null if it is not among them, or if later steps moved cells. */
function removeUndoneSteps(steps: readonly RebaseStep[], undone: number): readonly RebaseStep[] | null {
  const position = steps.findIndex(({ revision }) => revision === undone);
  const later = steps.slice(position + 1);
  if (position < 0 || later.some((step) => step.steps.length > 0)) return null;
  // Sheets between an undone change of sheets and its undo can have its names.
  const changesSheets = steps[position]?.steps.length === 0;
  return changesSheets && later.length > 0 ? null : [...steps.slice(0, position), ...later];
}

/** The steps with an undo that brings the cells of deleted lines back; null if it restores other things. */
function restoreLines(steps: readonly RebaseStep[], undone: number, undo: RebaseStep): readonly RebaseStep[] | null {
  const position = steps.findIndex(({ revision }) => revision === undone);
  const [deletion, ...between] = position < 0 ? [] : steps.slice(position);
  if (deletion === undefined) return null;
  const later = between.map((one) => one.steps);
  const followed = followRestoredLines(deletion.steps, later, undo.steps, FIRST_WAITING_SHEET - undone);
  if (followed === null) return null;
  const changed = [deletion, ...between, undo].map((one, i) => ({ ...one, steps: followed[i] ?? one.steps }));
  return [...steps.slice(0, position), ...changed];
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
function reverseOperation({ operation, sheets }: StoredOperation): readonly StoredOperation[] {
  const { addSheet, renameSheet, deleteSheet } = operation as Partial<Record<string, Readonly<Record<string, string>>>>;
  if (addSheet !== undefined) return [{ operation: { deleteSheet: { sheet: addSheet['name'] ?? '' } }, sheets }];
  if (deleteSheet !== undefined) return [{ operation: { addSheet: { name: deleteSheet['sheet'] ?? '' } }, sheets }];
  if (renameSheet === undefined) return [];
  const renamedBack = { renameSheet: { sheet: renameSheet['name'] ?? '', name: renameSheet['sheet'] ?? '' } };
  return [{ operation: renamedBack, sheets }];
}
