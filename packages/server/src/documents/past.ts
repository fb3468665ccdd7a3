import {
  applyDelta,
  measureMemory,
  PastStateCheck,
  recalculatePastState,
  receiveChange,
  restoreCheckpoint,
  type Snapshot,
} from '@cellwire/engine';
import { createHeapCheck, runInSlices, runSynchronously } from '@cellwire/event-loop';
import { type Database, StoreError } from '@cellwire/store';
import {
  BEFORE_ALL_CHUNKS,
  checkpointOf,
  checkpointRevision,
  chunkSizesAfter,
  chunksOf,
  deltasBetween,
  deltasBetweenSize,
  newestRetainedCheckpoint,
  retainedCheckpoint,
  retainedChunkSizes,
  retainedChunks,
} from '@cellwire/store/documents';
import { EXPECTED_MS_PER_STORED_BYTE, INLINE_LOAD_CHUNKS, LOADING_MS } from '../limits/calculation.ts';
import { FOLLOWING_MS, MAX_BASE_READS } from '../limits/history.ts';
import { IMPORT_CALCULATION_CELLS } from '../limits/jobs.ts';
import { MAX_PAST_BYTES, MAX_PAST_STATES } from '../limits/open-documents.ts';
import { requireAdmitted } from './calculation/pool.ts';
import { isEndedTask } from './calculation/worker.ts';
import type { DocumentsEnvironment } from './environment.ts';
import { sumNumbers, toStoredChunk } from './load-state.ts';
import type { StateViewer } from './rights.ts';
import { decodeStoredPiece } from './stored-pieces.ts';
import type { PastReader } from './types.ts';

type HistorySource = Pick<Database, 'readAll'>;

/** Recently read past states, by the random ids of their commits, the most recently used last. */
export class PastStates {
  private readonly environment: Pick<DocumentsEnvironment, 'database' | 'threads'>;
  private readonly held = new Map<string, Promise<Snapshot | null>>();
  private readonly sizes = new Map<string, number>();

  constructor(environment: Pick<DocumentsEnvironment, 'database' | 'threads'>) {
    this.environment = environment;
  }

  /**
   * Null if the data for the revision is no longer retained. Concurrent callers share one read. For a viewer, formulas
   * show only what their writers may see now.
   */
  async readState(id: string, revision: number, commit: string, reader: PastReader): Promise<Snapshot | null> {
    const { viewer } = reader;
    const key = viewer === null ? commit : `${commit} ${JSON.stringify(viewer.rights)}`;
    const reading = this.held.get(key) ?? loadPastState(this.environment, id, revision, reader);
    this.held.delete(key);
    this.held.set(key, reading);
    try {
      const snapshot = await reading;
      if (snapshot === null) this.forgetState(key);
      else this.keepState(key, snapshot);
      return snapshot;
    } catch (error) {
      this.forgetState(key);
      throw error;
    }
  }

  private forgetState(key: string): void {
    this.held.delete(key);
    this.sizes.delete(key);
  }

  private keepState(key: string, snapshot: Snapshot): void {
    if (this.held.has(key)) this.sizes.set(key, measureMemory(snapshot));
    for (const [oldest] of this.held) {
      const bytes = sumNumbers([...this.sizes.values()]);
      if (this.held.size <= MAX_PAST_STATES && bytes <= MAX_PAST_BYTES) return;
      this.forgetState(oldest);
    }
  }
}

/** Source of a past revision: a retained checkpoint or the newest one, plus the log after it. */
interface RevisionSource {
  readonly base: number;
  readonly isKept: boolean;
  /** Size of the base's chunks and the log; infinite if there are too many chunks to count. */
  readonly bytes: number;
}

/**
 * The state of a document at a past revision. Null if the data for it is no longer retained. Long reads run in a
 * thread.
 */
async function loadPastState(
  { database, threads }: Pick<DocumentsEnvironment, 'database' | 'threads'>,
  id: string,
  revision: number,
  { user, viewer }: PastReader,
): Promise<Snapshot | null> {
  const source = await findSource(database, id, revision);
  if (source === null) return null;
  if (threads === undefined) return readPastForViewer(database, id, revision, viewer);
  const { pool, store } = threads;
  // Even a short log can lead to a state that takes long to calculate. Only a calculation thread may run that long.
  if (viewer === null && source.bytes <= pool.inline.bytes) return readPastInline(database, id, revision);
  const input = { store, id, revision, viewer };
  const claim = { user, expectedMs: Math.min(source.bytes * EXPECTED_MS_PER_STORED_BYTE, LOADING_MS) };
  const read =
    viewer === null
      ? await pool.runReadTask('past', input, claim)
      : requireAdmitted(
          await pool.calculate(claim, (worker) => worker.runTask('past', input, { milliseconds: LOADING_MS })),
        );
  if (isEndedTask(read))
    throw new StoreError(`Revision ${revision} of ${id} could not be read: ${read.why}`, 'UNREADABLE');
  return read === null ? null : runInSlices(receiveChange(null, read));
}

/** A past state read in this thread, as the viewer may see it. */
export async function readPastForViewer(
  database: HistorySource,
  id: string,
  revision: number,
  viewer: StateViewer | null,
): Promise<Snapshot | null> {
  const state = await readPastInline(database, id, revision);
  if (state === null || viewer === null || !runSynchronously(new PastStateCheck(viewer.rights).mayShowHidden(state)))
    return state;
  const budget = {
    cells: IMPORT_CALCULATION_CELLS,
    milliseconds: FOLLOWING_MS,
    clock: () => performance.now(),
    hasMemory: createHeapCheck(),
  };
  return recalculatePastState(state, { ...viewer, seed: 0, budget });
}

/** A past state read in this thread. If maintenance deletes the data meanwhile, another source is tried. */
export async function readPastInline(database: HistorySource, id: string, revision: number): Promise<Snapshot | null> {
  for (let attempt = 0; attempt < MAX_BASE_READS; attempt++) {
    const source = await findSource(database, id, revision);
    if (source === null) return null;
    const snapshot = await restoreRevision(database, id, revision, source);
    if (snapshot !== null) return snapshot;
  }
  return null;
}

/**
 * The nearest checkpoint at or before a revision, and the bytes to read from there. Null if no such checkpoint is left.
 */
async function findSource(database: HistorySource, id: string, revision: number): Promise<RevisionSource | null> {
  const [kept, newest] = await database.readAll([
    newestRetainedCheckpoint({ id, at: revision }),
    checkpointRevision({ id }),
  ]);
  const [base, checkpoint] = [kept[0]?.revision ?? -1, newest[0]?.revision ?? -1];
  const isKept = checkpoint > revision || base > checkpoint;
  const from = isKept ? base : checkpoint;
  if (from < 0) return null;
  const limit = INLINE_LOAD_CHUNKS + 1;
  const [chunks, log] = await database.readAll([
    isKept ? retainedChunkSizes({ id, revision: from, limit }) : chunkSizesAfter({ id, ...BEFORE_ALL_CHUNKS, limit }),
    deltasBetweenSize({ id, after: from, to: revision }),
  ]);
  const isLong = chunks.length === limit;
  const bytes = isLong ? Number.POSITIVE_INFINITY : sumNumbers([...chunks, ...log].map((row) => row.bytes ?? 0));
  return { base: from, isKept, bytes };
}

/** The state of a revision, from a checkpoint and the log. Null if the source changed after it was chosen. */
async function restoreRevision(
  database: HistorySource,
  id: string,
  revision: number,
  { base, isKept }: RevisionSource,
): Promise<Snapshot | null> {
  const [newest, metas, chunks, commits] = await database.readAll([
    checkpointOf({ id }),
    retainedCheckpoint({ id, revision: base }),
    isKept ? retainedChunks({ id, revision: base }) : chunksOf({ id }),
    deltasBetween({ id, after: base, to: revision }),
  ]);
  const checkpoint = newest[0]?.revision === base ? newest[0].meta : null;
  const meta = isKept ? metas[0]?.meta : checkpoint;
  if (!meta || commits.length !== revision - base) return null;
  return decodeStoredPiece(id, `revision ${revision}`, () =>
    commits.reduce(
      (snapshot, { delta }) => applyDelta(snapshot, delta),
      restoreCheckpoint(meta, chunks.map(toStoredChunk)),
    ),
  );
}
