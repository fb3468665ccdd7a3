import { type Area, type Block, decodeOutline, type InverseOutline, sheetsOf } from '@cellwire/engine';
import { type Database, StoreError } from '@cellwire/store';
import { firstUndone, historySize, inverseOf } from '@cellwire/store/documents';
import { CONFLICT_STEP, FOLLOWING_MS } from '../../limits/history.ts';
import { isEnded } from '../calculation/worker.ts';
import type { DocumentsEnvironment } from '../environment.ts';
import { conflictsOf, together } from './conflicts.ts';
import { followed, isAsStored } from './followed.ts';
import type { Conflicts, UndoPlan, UndoQuestion, UndoSteps, WayBack } from './types.ts';

type Source = Pick<Database, 'readAll'>;

/**
 * Finds out how a revision is taken back: here if the log since is short and small, else in a thread that reads the
 * store. Null if what takes it back is not kept.
 */
export async function readUndoPlan(
  { database, threads }: Pick<DocumentsEnvironment, 'database' | 'threads'>,
  id: string,
  question: UndoQuestion,
  user: number | null,
): Promise<UndoPlan | null> {
  if (threads === undefined || (await isQuick(database, id, question, threads.pool.inline.bytes))) {
    return planUndo(database, id, question);
  }
  const { pool, store } = threads;
  const plan = await pool.read('undoPlan', { store, id, question }, { user, expectedMs: FOLLOWING_MS });
  if (isEnded(plan)) throw new StoreError(`Revision ${question.revision} of ${id} could not be read`, 'UNREADABLE');
  return plan;
}

/** Whether the commits that decide are few, and what takes them back is short. */
async function isQuick(database: Source, id: string, question: UndoQuestion, bytes: number): Promise<boolean> {
  const { revision, latest } = question;
  if (latest.revision - revision > CONFLICT_STEP) return false;
  const first = await firstConcerned(database, id, revision, latest.revision - CONFLICT_STEP);
  if (latest.revision - first > CONFLICT_STEP) return false;
  const [[size]] = await database.readAll([historySize({ id, from: first })]);
  return (size?.deltas ?? 0) + (size?.inverses ?? 0) + (size?.areas ?? 0) <= bytes;
}

/**
 * The first commit that was taken back by one that is later than the revision, or than such a one, and so on. Stops
 * below `floor`.
 */
async function firstConcerned(database: Source, id: string, revision: number, floor: number): Promise<number> {
  for (let first = revision; ; ) {
    const [[row]] = await database.readAll([firstUndone({ id, after: first })]);
    const undone = row?.first ?? first;
    if (undone >= first) return first;
    first = undone;
    if (first < floor) return first;
  }
}

const NO_CONFLICTS: Conflicts = { changed: [], redefined: [], unreachable: [] };

/** The same, read in this thread. */
export async function planUndo(database: Source, id: string, question: UndoQuestion): Promise<UndoPlan | null> {
  const { revision, isUndone, force, latest } = question;
  const [[row]] = await database.readAll([inverseOf({ id, revision })]);
  const bytes = row?.inverse ?? null;
  if (bytes === null) return null;
  const inverse = decodeOutline(bytes);
  const [block, ...others] = inverse.blocks;
  const plan = {
    sheets: [...sheetsOf(inverse)],
    changesSheets: changesSheets(inverse),
    onlyBlock: others.length === 0 ? (block ?? null) : null,
  };
  if (isUndone) return { ...plan, conflicts: NO_CONFLICTS, back: null };
  const first = await firstConcerned(database, id, revision, 0);
  const search = await conflictsOf(database, id, { revision, inverse }, { first, latest });
  const { conflicts } = search;
  const way = search.way ?? (force ? search.forced() : null);
  const isRefused = way === null || (isInTheWay(conflicts) && !force);
  const back = isRefused ? null : await stepsBack(database, id, { revision, bytes, inverse }, way);
  return { ...plan, conflicts, back };
}

/** Whether later commits have written the same cells, or defined the same names or tables. */
function isInTheWay({ changed, redefined, unreachable }: Conflicts): boolean {
  return changed.length + redefined.length + unreachable.length > 0;
}

/** Whether it makes, deletes, renames or moves sheets. */
function changesSheets({ head }: InverseOutline): boolean {
  return [head.gone, head.came, head.fields, head.order].some((one) => one !== undefined);
}

interface Stored {
  readonly revision: number;
  readonly bytes: Uint8Array;
  readonly inverse: InverseOutline;
}

/** What takes a revision back by a way; null where nothing leads to its states any more, or that takes too long. */
async function stepsBack(
  database: Source,
  id: string,
  { revision, bytes, inverse }: Stored,
  way: WayBack,
): Promise<UndoSteps | null> {
  if (isAsStored(inverse, way)) return { moves: [], content: bytes, blocks: packBlocks(inverse.blocks) };
  const { moves } = way;
  const { moves: _, ...others } = inverse.head;
  // Without what its states still hold, more than cells' places may differ.
  const isOnlyMoves = inverse.blocks.length + way.held.length === 0 && Object.keys(others).length === 0;
  if (isOnlyMoves && moves.length > 0) return { moves, content: null, blocks: packBlocks([]) };
  const content = await followed(database, id, revision, way);
  return content && { moves, content, blocks: packBlocks(decodeOutline(content).blocks) };
}

/** Blocks that are told one by one. */
const MAX_BLOCKS = 10_000;
const BLOCK_INTEGERS = 5;

/** Sheet, top, left, bottom and right of each block; of very many, one around all of a sheet. */
function packBlocks(blocks: readonly Block[]): Int32Array {
  const fewer = together(blocks);
  const told = fewer.length <= MAX_BLOCKS ? fewer : around(fewer);
  const packed = new Int32Array(told.length * BLOCK_INTEGERS);
  for (const [i, { sheet, area }] of told.entries()) {
    packed.set([sheet, area.top, area.left, area.bottom, area.right], i * BLOCK_INTEGERS);
  }
  return packed;
}

function around(blocks: readonly Block[]): readonly Block[] {
  const areas = new Map<number, Area>();
  for (const { sheet, area } of blocks) {
    const held = areas.get(sheet) ?? area;
    areas.set(sheet, {
      top: Math.min(held.top, area.top),
      left: Math.min(held.left, area.left),
      bottom: Math.max(held.bottom, area.bottom),
      right: Math.max(held.right, area.right),
    });
  }
  return [...areas].map(([sheet, area]) => ({ sheet, area }));
}

/** What `packBlocks` packed. */
export function unpackBlocks(packed: Int32Array): readonly Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < packed.length; at += BLOCK_INTEGERS) {
    const [sheet, top, left, bottom, right] = packed.subarray(at, at + BLOCK_INTEGERS) as unknown as Area5;
    blocks.push({ sheet, area: { top, left, bottom, right } });
  }
  return blocks;
}

type Area5 = readonly [sheet: number, top: number, left: number, bottom: number, right: number];
