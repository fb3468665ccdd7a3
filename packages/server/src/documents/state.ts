import { applyDelta, restoreCheckpoint, type Snapshot, type StoredChunk } from '@cellwire/engine';
import { checkpointOf, chunksOf } from '../store/checkpoints.ts';
import { commitsAfterCheckpoint } from '../store/commits.ts';
import type { Database, RowsOf } from '../store/database.ts';
import { documentHead } from '../store/documents.ts';
import { nextDayStart } from './day.ts';

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
  readonly checkpointRevision: number;
  /** Sheets that have chunks in the checkpoint. */
  readonly checkpointSheets: ReadonlySet<number>;
  /** Bytes of the checkpoint's head, of all of it, and of the log after it. */
  readonly metaBytes: number;
  readonly checkpointBytes: number;
  readonly logBytes: number;
}

function stored(id: string) {
  return [documentHead({ id }), checkpointOf({ id }), commitsAfterCheckpoint({ id }), chunksOf({ id })] as const;
}

/** Reads a document at one moment of the store. Never calculates. Null where there is no such document. */
export async function load(database: Database, id: string): Promise<Loaded | null> {
  const [heads, checkpoints, commits, chunks] = await database.readAll(stored(id));
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
    checkpointRevision: checkpoint.revision,
    checkpointSheets: new Set(chunks.map((chunk) => chunk.sheet_id)),
    metaBytes: checkpoint.meta.length,
    checkpointBytes: checkpoint.meta.length + sum(chunks.map(({ bytes }) => bytes.length)),
    logBytes: sum(commits.map(({ delta }) => delta.length)),
  };
}

type ChunkRow = RowsOf<ReturnType<typeof stored>>[3][number];

function storedChunk(row: ChunkRow): StoredChunk {
  return { sheet: row.sheet_id, column: row.column_index, block: row.block, bytes: row.bytes };
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
