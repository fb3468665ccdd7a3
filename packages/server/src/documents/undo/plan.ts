import { type Area, type Block, decodeOutline, type InverseOutline, listChangedSheets, union } from '@cellwire/engine';
import { type Database, StoreError } from '@cellwire/store';
import { firstUndone, historySize, inverseOf } from '@cellwire/store/documents';
import { CONFLICT_STEP, FOLLOWING_MS } from '../../limits/history.ts';
import { isEndedTask } from '../calculation/worker.ts';
import type { DocumentsEnvironment } from '../environment.ts';
import { findConflicts, mergeBlocks } from './conflicts.ts';
import { canApplyStoredInverse, computeInverse } from './inverse-after-moves.ts';
import type { Conflicts, UndoPath, UndoPlan, UndoPlanRequest, UndoSteps } from './types.ts';

type UndoPlanSource = Pick<Database, 'readAll'>;

/**
 * Plans the undo of a revision: in this thread if the log since then is short and small, else in a thread that reads
 * the store. Null if the data for it is no longer retained.
 */
export async function readUndoPlan(
  { database, threads }: Pick<DocumentsEnvironment, 'database' | 'threads'>,
  id: string,
  request: UndoPlanRequest,
  user: number | null,
): Promise<UndoPlan | null> {
  if (threads === undefined || (await isQuickPlan(database, id, request, threads.pool.inline.bytes))) {
    return planUndo(database, id, request);
  }
  const { pool, store } = threads;
  const plan = await pool.runReadTask('undoPlan', { store, id, question: request }, { user, expectedMs: FOLLOWING_MS });
  if (isEndedTask(plan)) throw new StoreError(`Revision ${request.revision} of ${id} could not be read`, 'UNREADABLE');
  return plan;
}

/** Whether few commits are relevant, and the inverse is small. */
async function isQuickPlan(
  database: UndoPlanSource,
  id: string,
  request: UndoPlanRequest,
  bytes: number,
): Promise<boolean> {
  const { revision, latest } = request;
  if (latest.revision - revision > CONFLICT_STEP) return false;
  const first = await findFirstRelevant(database, id, revision, latest.revision - CONFLICT_STEP);
  if (latest.revision - first > CONFLICT_STEP) return false;
  const [[size]] = await database.readAll([historySize({ id, from: first })]);
  return (size?.deltas ?? 0) + (size?.inverses ?? 0) + (size?.areas ?? 0) <= bytes;
}

/**
 * The first commit that was undone by a commit later than the revision, or later than another such commit,
 * transitively. Stops below `floor`.
 */
async function findFirstRelevant(
  database: UndoPlanSource,
  id: string,
  revision: number,
  floor: number,
): Promise<number> {
  for (let first = revision; ; ) {
    const [[row]] = await database.readAll([firstUndone({ id, after: first })]);
    const undone = row?.first ?? first;
    if (undone >= first) return first;
    first = undone;
    if (first < floor) return first;
  }
}

const NO_CONFLICTS: Conflicts = { changed: [], redefined: [], unreachable: [] };

/** Plans the undo of a revision like `readUndoPlan`, always in this thread. */
export async function planUndo(
  database: UndoPlanSource,
  id: string,
  request: UndoPlanRequest,
): Promise<UndoPlan | null> {
  const { revision, isUndone, force, latest } = request;
  const [[row]] = await database.readAll([inverseOf({ id, revision })]);
  const bytes = row?.inverse ?? null;
  if (bytes === null) return null;
  const inverse = decodeOutline(bytes);
  const [block, ...others] = inverse.blocks;
  const plan = {
    sheets: [...listChangedSheets(inverse)],
    changesSheets: changesSheets(inverse),
    onlyBlock: others.length === 0 ? (block ?? null) : null,
  };
  if (isUndone) return { ...plan, conflicts: NO_CONFLICTS, back: null };
  const first = await findFirstRelevant(database, id, revision, 0);
  const search = await findConflicts(database, id, { revision, inverse }, { first, latest });
  const { conflicts } = search;
  const path = search.undoPath ?? (force ? search.createForcedPath() : null);
  const isRefused = path === null || (preventsUndo(conflicts) && !force);
  const back = isRefused ? null : await computeUndoSteps(database, id, { revision, bytes, inverse }, path);
  return { ...plan, conflicts, back };
}

/** Whether later commits wrote the same cells, or defined the same names or tables. */
function preventsUndo({ changed, redefined, unreachable }: Conflicts): boolean {
  return changed.length + redefined.length + unreachable.length > 0;
}

/** Whether a batch creates, deletes, renames or moves sheets. */
function changesSheets({ head }: InverseOutline): boolean {
  return [head.gone, head.came, head.fields, head.order].some((one) => one !== undefined);
}

interface StoredCommit {
  readonly revision: number;
  readonly bytes: Uint8Array;
  readonly inverse: InverseOutline;
}

/** The steps that undo a revision. Null if the data for its states is no longer retained, or it takes too long. */
async function computeUndoSteps(
  database: UndoPlanSource,
  id: string,
  { revision, bytes, inverse }: StoredCommit,
  path: UndoPath,
): Promise<UndoSteps | null> {
  if (canApplyStoredInverse(inverse, path)) return { moves: [], content: bytes, blocks: packBlocks(inverse.blocks) };
  const { moves } = path;
  const { moves: _, ...others } = inverse.head;
  // If the states contain held commits, more than the positions of cells may differ.
  const isOnlyMoves = inverse.blocks.length + path.held.length === 0 && Object.keys(others).length === 0;
  if (isOnlyMoves && moves.length > 0) return { moves, content: null, blocks: packBlocks([]) };
  const content = await computeInverse(database, id, revision, path);
  return content && { moves, content, blocks: packBlocks(decodeOutline(content).blocks) };
}

/** Maximum number of blocks listed individually. */
const MAX_BLOCKS = 10_000;
const BLOCK_INTEGERS = 5;

/**
 * Sheet, top, left, bottom and right of each block. If there are too many blocks, one bounding block for each sheet.
 */
function packBlocks(blocks: readonly Block[]): Int32Array {
  const fewer = mergeBlocks(blocks);
  const packable = fewer.length <= MAX_BLOCKS ? fewer : boundBlocksBySheet(fewer);
  const packed = new Int32Array(packable.length * BLOCK_INTEGERS);
  for (const [i, { sheet, area }] of packable.entries()) {
    packed.set([sheet, area.top, area.left, area.bottom, area.right], i * BLOCK_INTEGERS);
  }
  return packed;
}

/** One block for each sheet that encloses all blocks of the sheet. */
function boundBlocksBySheet(blocks: readonly Block[]): readonly Block[] {
  const areas = new Map<number, Area>();
  for (const { sheet, area } of blocks) {
    areas.set(sheet, union(areas.get(sheet) ?? area, area));
  }
  return [...areas].map(([sheet, area]) => ({ sheet, area }));
}

/** Decodes the result of `packBlocks`. */
export function unpackBlocks(packed: Int32Array): readonly Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < packed.length; at += BLOCK_INTEGERS) {
    const [sheet, top, left, bottom, right] = packed.subarray(at, at + BLOCK_INTEGERS) as unknown as PackedBlock;
    blocks.push({ sheet, area: { top, left, bottom, right } });
  }
  return blocks;
}

type PackedBlock = readonly [sheet: number, top: number, left: number, bottom: number, right: number];
