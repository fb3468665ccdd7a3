import {
  applyDelta,
  CheckpointReader,
  type KnownFormats,
  receiveChange,
  type SharedMemory,
  type Snapshot,
  type StoredChunk,
} from '@cellwire/engine';
import { inSlices } from '../event-loop/slices.ts';
import { CHUNK_PAGE_ROWS, LOADING_MS, MAX_CHUNKS, MAX_CLOCK_SKEW_MS, MAX_PAGED_READS } from '../limits/limits.ts';
import {
  BEFORE_ALL_CHUNKS,
  checkpointOf,
  checkpointRevision,
  chunksAfter,
  chunksSize,
  metaSize,
} from '../store/checkpoints.ts';
import { commitsAfterCheckpoint, deltasSize } from '../store/commits.ts';
import { type Database, type RowsOf, StoreError } from '../store/database.ts';
import { documentHead } from '../store/documents.ts';
import { isEnded } from './calculation/worker.ts';
import { type Day, dayOf } from './day.ts';
import type { DocumentsEnvironment, Threads } from './environment.ts';
import type { FileShelf } from './file-shelf.ts';
import type { RecentCommits } from './recent-commits.ts';

/** A document at one commit. */
export interface State {
  readonly snapshot: Snapshot;
  /** Names the commit; see `documents.head`. */
  readonly head: string;
  /** When its volatile functions were evaluated, by the clock of whoever did. */
  readonly calculatedAt: number;
  /** When the commit was made: never before the one before it, whatever the clocks do. */
  readonly committedAt: number;
  /** The day that its volatile functions are of; null without any. */
  readonly day: Day | null;
  /** Ends with this commit. */
  readonly recent: RecentCommits;
}

/** When a commit was made. */
export type Times = Pick<State, 'calculatedAt' | 'committedAt'>;

export function stateOf(snapshot: Snapshot, head: string, times: Times, recent: RecentCommits): State {
  const { calculatedAt, committedAt } = times;
  const day = snapshot.hasClock ? dayOf(calculatedAt, snapshot.settings.timeZone) : null;
  return { snapshot, head, calculatedAt, committedAt, day, recent };
}

/** Whether volatile functions are of another day than today: an earlier one, or a later one of a clock that was ahead. */
export function isOfAnotherDay({ day }: Pick<State, 'day'>, now: number): boolean {
  return day !== null && (now >= day.end || now < day.start - MAX_CLOCK_SKEW_MS);
}

/** A document as read from the store. */
export interface Loaded {
  readonly state: State;
  readonly stored: StoredFigures;
}

/** How a document lies in the store. */
export interface StoredFigures {
  readonly checkpointRevision: number;
  /** Sheets that have chunks in the checkpoint. */
  readonly checkpointSheets: ReadonlySet<number>;
  /** Those that the checkpoint has numbers for. */
  readonly formats: KnownFormats;
  /** Bytes of the checkpoint's head, and of the log after it. */
  readonly metaBytes: number;
  readonly logBytes: number;
}

/**
 * Reads a document at one moment of the store, a large one in a thread. Never calculates. Null where there is no such
 * document.
 */
export async function load({ database, threads }: LoadEnvironment, id: string): Promise<Loaded | null> {
  if (threads === undefined) return read(database, id);
  const [metas, chunks, deltas] = await database.readAll([metaSize({ id }), chunksSize({ id }), deltasSize({ id })]);
  const bytes = sum([...metas, ...chunks, ...deltas].map((row) => row.bytes ?? 0));
  return bytes <= threads.pool.inline.bytes ? read(database, id) : loadThere(threads, id);
}

type LoadEnvironment = Pick<DocumentsEnvironment, 'database' | 'threads'>;

async function loadThere({ pool, store }: Threads, id: string): Promise<Loaded | null> {
  const loaded = await pool.librarian.run('load', { store, id }, { user: null, milliseconds: LOADING_MS });
  if (isEnded(loaded)) throw new StoreError(`Document ${id} could not be read: ${loaded.why}`, 'UNREADABLE');
  if (loaded === null) return null;
  const { whole, head, times, stored } = loaded;
  const snapshot = await inSlices(receiveChange(null, whole));
  return { state: stateOf(snapshot, head, times, []), stored };
}

/** Reads a document in this thread, its cells into memory of its own unless told otherwise. */
export async function read(database: Source, id: string, memory: Memory = {}): Promise<Loaded | null> {
  for (let attempt = 0; attempt < MAX_PAGED_READS; attempt++) {
    const loaded = await readInPages(database, { id, limit: CHUNK_PAGE_ROWS, memory });
    if (loaded !== 'changed') return loaded;
    memory.shelf?.clear();
  }
  const loaded = await readInPages(database, { id, limit: MAX_CHUNKS, memory });
  if (loaded === 'changed') throw new Error(`Document ${id} has more than ${MAX_CHUNKS} chunks`);
  return loaded;
}

type Source = Pick<Database, 'readAll'>;

/** See `ReaderMemory`. */
interface Memory {
  readonly shared?: SharedMemory;
  /** An empty one. */
  readonly shelf?: FileShelf;
}

interface Paged {
  readonly id: string;
  /** Chunks that are read at a time. */
  readonly limit: number;
  readonly memory: Memory;
}

/**
 * Reads so many chunks at a time, so that stored cells are not all held beside the restored ones. What is there beside the
 * first ones is of one moment; the others are of the same state unless there is another checkpoint in the end: a chunk
 * never changes without.
 */
async function readInPages(database: Source, { id, limit, memory }: Paged): Promise<Loaded | null | 'changed'> {
  const [[head], [checkpoint], commits, first] = await database.readAll([
    documentHead({ id }),
    checkpointOf({ id }),
    commitsAfterCheckpoint({ id }),
    chunksAfter({ id, ...BEFORE_ALL_CHUNKS, limit }),
  ]);
  if (head === undefined) return null;
  if (checkpoint === undefined) throw new Error(`Document ${id} has no checkpoint`);
  const reader = new CheckpointReader(checkpoint.meta, undefined, memory);
  const sheets = new Set<number>();
  for (let page: readonly ChunkRow[] = first; ; ) {
    for (const row of page) {
      sheets.add(row.sheet_id);
      reader.add(storedChunk(row));
    }
    const last = page.at(-1);
    if (last === undefined || page.length < limit) break;
    const after = { sheet: last.sheet_id, column: last.column_index, block: last.block };
    [page] = await database.readAll([chunksAfter({ id, ...after, limit })]);
  }
  if (first.length === limit && (await isOfAnotherCheckpoint(database, id, checkpoint.revision))) return 'changed';
  const { snapshot: restored, formats } = reader.restored();
  const snapshot = following(restored, id, commits);
  if (snapshot.revision !== head.revision) throw new Error(`Document ${id} lacks commit ${head.revision}`);
  return {
    state: stateOf(snapshot, head.head, timesOf(head), []),
    stored: {
      checkpointRevision: checkpoint.revision,
      checkpointSheets: sheets,
      formats,
      metaBytes: checkpoint.meta.length,
      logBytes: sum(commits.map(({ delta }) => delta.length)),
    },
  };
}

async function isOfAnotherCheckpoint(database: Source, id: string, revision: number): Promise<boolean> {
  const [[now]] = await database.readAll([checkpointRevision({ id })]);
  return now?.revision !== revision;
}

/** The state after commits that the log has. */
function following(
  restored: Snapshot,
  id: string,
  commits: readonly { readonly revision: number; readonly delta: Uint8Array }[],
): Snapshot {
  let snapshot = restored;
  for (const { revision, delta } of commits) {
    if (revision !== snapshot.revision + 1) throw new Error(`Document ${id} lacks commit ${snapshot.revision + 1}`);
    snapshot = applyDelta(snapshot, delta);
  }
  return snapshot;
}

export function timesOf(row: { readonly calculated_at: number; readonly committed_at: number }): Times {
  return { calculatedAt: row.calculated_at, committedAt: row.committed_at };
}

type ChunkRow = RowsOf<[ReturnType<typeof chunksAfter>]>[0][number];

export function storedChunk(row: ChunkRow): StoredChunk {
  return { sheet: row.sheet_id, column: row.column_index, block: row.block, bytes: row.bytes };
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
