import { applyDelta, receiveChange, restoreCheckpoint, type Snapshot, type StoredChunk } from '@cellwire/engine';
import { LOADING_MS } from '../limits/limits.ts';
import { checkpointOf, chunksOf, chunksSize, metaSize } from '../store/checkpoints.ts';
import { commitsAfterCheckpoint, deltasSize } from '../store/commits.ts';
import { type Database, type RowsOf, StoreError } from '../store/database.ts';
import { documentHead } from '../store/documents.ts';
import { inSlices } from './calculation/slices.ts';
import { isEnded } from './calculation/worker.ts';
import { nextDayStart } from './day.ts';
import type { DocumentsEnvironment, Threads } from './environment.ts';

/** A document at one commit. */
export interface State {
  readonly snapshot: Snapshot;
  /** Names the commit; see `documents.head`. */
  readonly head: string;
  /** When its volatile functions were evaluated. */
  readonly calculatedAt: number;
  /** From when on they are of a past day; infinite without any. */
  readonly staleAt: number;
}

export function stateOf(snapshot: Snapshot, head: string, calculatedAt: number): State {
  const staleAt = snapshot.hasClock ? nextDayStart(calculatedAt, snapshot.settings.timeZone) : Infinity;
  return { snapshot, head, calculatedAt, staleAt };
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
  /** Bytes of the checkpoint's head, and of the log after it. */
  readonly metaBytes: number;
  readonly logBytes: number;
}

function storedRows(id: string) {
  return [documentHead({ id }), checkpointOf({ id }), commitsAfterCheckpoint({ id }), chunksOf({ id })] as const;
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

async function loadThere({ pool, folder }: Threads, id: string): Promise<Loaded | null> {
  const loaded = await pool.librarian.run('load', { folder, id }, { user: null, milliseconds: LOADING_MS });
  if (isEnded(loaded)) throw new StoreError(`Document ${id} could not be read: ${loaded.why}`, 'UNREADABLE');
  if (loaded === null) return null;
  const { whole, head, calculatedAt, stored } = loaded;
  const snapshot = await inSlices(receiveChange(null, whole));
  return { state: stateOf(snapshot, head, calculatedAt), stored };
}

/** Reads a document in this thread. */
export async function read(database: Pick<Database, 'readAll'>, id: string): Promise<Loaded | null> {
  const [heads, checkpoints, commits, chunks] = await database.readAll(storedRows(id));
  const [head] = heads;
  if (head === undefined) return null;
  const [checkpoint] = checkpoints;
  if (checkpoint === undefined) throw new Error(`Document ${id} has no checkpoint`);
  let snapshot = restoreCheckpoint(checkpoint.meta, chunks.map(storedChunk));
  for (const { revision, delta } of commits) {
    if (revision !== snapshot.revision + 1) throw new Error(`Document ${id} lacks commit ${snapshot.revision + 1}`);
    snapshot = applyDelta(snapshot, delta);
  }
  if (snapshot.revision !== head.revision) throw new Error(`Document ${id} lacks commit ${head.revision}`);
  return {
    state: stateOf(snapshot, head.head, head.calculated_at),
    stored: {
      checkpointRevision: checkpoint.revision,
      checkpointSheets: new Set(chunks.map((chunk) => chunk.sheet_id)),
      metaBytes: checkpoint.meta.length,
      logBytes: sum(commits.map(({ delta }) => delta.length)),
    },
  };
}

type ChunkRow = RowsOf<ReturnType<typeof storedRows>>[3][number];

function storedChunk(row: ChunkRow): StoredChunk {
  return { sheet: row.sheet_id, column: row.column_index, block: row.block, bytes: row.bytes };
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
