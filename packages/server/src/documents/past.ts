import {
  applyDelta,
  ClosedReads,
  memoryOf,
  receiveChange,
  restoreCheckpoint,
  type Snapshot,
  seenNow,
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
import { admitted } from './calculation/pool.ts';
import { isEnded } from './calculation/worker.ts';
import type { DocumentsEnvironment } from './environment.ts';
import { storedChunk, sum } from './load-state.ts';
import type { Onlooker } from './rights.ts';
import type { PastReader } from './types.ts';

type Source = Pick<Database, 'readAll'>;

/** States of the past that were read lately, by the random ids of their commits; the one used last at the end. */
export class PastStates {
  private readonly environment: Pick<DocumentsEnvironment, 'database' | 'threads'>;
  private readonly held = new Map<string, Promise<Snapshot | null>>();
  private readonly sizes = new Map<string, number>();

  constructor(environment: Pick<DocumentsEnvironment, 'database' | 'threads'>) {
    this.environment = environment;
  }

  /**
   * Null where nothing leads to the revision any more. Callers that ask at the same time share the reading. With an
   * onlooker formulas show what their writers may see by now.
   */
  async read(id: string, revision: number, commit: string, reader: PastReader): Promise<Snapshot | null> {
    const { onlooker } = reader;
    const key = onlooker === null ? commit : `${commit} ${JSON.stringify(onlooker.rights)}`;
    const reading = this.held.get(key) ?? readPast(this.environment, id, revision, reader);
    this.held.delete(key);
    this.held.set(key, reading);
    try {
      const snapshot = await reading;
      if (snapshot === null) this.forget(key);
      else this.keep(key, snapshot);
      return snapshot;
    } catch (error) {
      this.forget(key);
      throw error;
    }
  }

  private forget(key: string): void {
    this.held.delete(key);
    this.sizes.delete(key);
  }

  private keep(key: string, snapshot: Snapshot): void {
    if (this.held.has(key)) this.sizes.set(key, memoryOf(snapshot));
    for (const [oldest] of this.held) {
      const bytes = sum([...this.sizes.values()]);
      if (this.held.size <= MAX_PAST_STATES && bytes <= MAX_PAST_BYTES) return;
      this.forget(oldest);
    }
  }
}

/** Where a revision is read from: a kept checkpoint, or the newest one, and the log after it. */
interface Way {
  readonly base: number;
  readonly isKept: boolean;
  /** Of the base's chunks and the log; infinite where the chunks are too many to be counted. */
  readonly bytes: number;
}

/** The state of a document at a revision of the past; null where nothing leads there any more. A long way is gone in a thread. */
async function readPast(
  { database, threads }: Pick<DocumentsEnvironment, 'database' | 'threads'>,
  id: string,
  revision: number,
  { user, onlooker }: PastReader,
): Promise<Snapshot | null> {
  const way = await wayTo(database, id, revision);
  if (way === null) return null;
  if (threads === undefined) return pastFor(database, id, revision, onlooker);
  const { pool, store } = threads;
  // Even a short log can lead to a state that takes long to calculate: only a thread that calculates does that.
  if (onlooker === null && way.bytes <= pool.inline.bytes) return past(database, id, revision);
  const input = { store, id, revision, onlooker };
  const claim = { user, expectedMs: Math.min(way.bytes * EXPECTED_MS_PER_STORED_BYTE, LOADING_MS) };
  const read =
    onlooker === null
      ? await pool.read('past', input, claim)
      : admitted(await pool.calculate(claim, (worker) => worker.run('past', input, { milliseconds: LOADING_MS })));
  if (isEnded(read)) throw new StoreError(`Revision ${revision} of ${id} could not be read: ${read.why}`, 'UNREADABLE');
  return read === null ? null : runInSlices(receiveChange(null, read));
}

/** A state read in this thread, as an onlooker may see it. */
export async function pastFor(
  database: Source,
  id: string,
  revision: number,
  onlooker: Onlooker | null,
): Promise<Snapshot | null> {
  const state = await past(database, id, revision);
  if (state === null || onlooker === null || !runSynchronously(new ClosedReads(onlooker.rights).in(state)))
    return state;
  const budget = {
    cells: IMPORT_CALCULATION_CELLS,
    milliseconds: FOLLOWING_MS,
    clock: () => performance.now(),
    hasMemory: createHeapCheck(),
  };
  return seenNow(state, { ...onlooker, seed: 0, budget });
}

/** A state read in this thread. What leads there may be tidied away meanwhile: then another way is looked for. */
export async function past(database: Source, id: string, revision: number): Promise<Snapshot | null> {
  for (let attempt = 0; attempt < MAX_BASE_READS; attempt++) {
    const way = await wayTo(database, id, revision);
    if (way === null) return null;
    const snapshot = await follow(database, id, revision, way);
    if (snapshot !== null) return snapshot;
  }
  return null;
}

async function wayTo(database: Source, id: string, revision: number): Promise<Way | null> {
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
  const bytes = isLong ? Number.POSITIVE_INFINITY : sum([...chunks, ...log].map((row) => row.bytes ?? 0));
  return { base: from, isKept, bytes };
}

/** Null where it has changed since the way was found. */
async function follow(database: Source, id: string, revision: number, { base, isKept }: Way): Promise<Snapshot | null> {
  const [newest, metas, chunks, commits] = await database.readAll([
    checkpointOf({ id }),
    retainedCheckpoint({ id, revision: base }),
    isKept ? retainedChunks({ id, revision: base }) : chunksOf({ id }),
    deltasBetween({ id, after: base, to: revision }),
  ]);
  const checkpoint = newest[0]?.revision === base ? newest[0].meta : null;
  const meta = isKept ? metas[0]?.meta : checkpoint;
  if (!meta || commits.length !== revision - base) return null;
  let snapshot = restoreCheckpoint(meta, chunks.map(storedChunk));
  for (const { delta } of commits) snapshot = applyDelta(snapshot, delta);
  return snapshot;
}
