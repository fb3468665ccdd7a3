import {
  applyDelta,
  CheckpointReader,
  receiveChange,
  type SharedMemory,
  type Snapshot,
  type StoredChunk,
} from '@cellwire/engine';
import { pause, runInSlices } from '@cellwire/event-loop';
import { type Database, type RowsOf, StoreError } from '@cellwire/store';
import {
  BEFORE_ALL_CHUNKS,
  checkpointOf,
  checkpointRevision,
  checkpointSize,
  chunkSizesAfter,
  chunksAfter,
  chunksOf,
  commitsAfterCheckpoint,
  deltasSize,
  documentHead,
} from '@cellwire/store/documents';
import { EXPECTED_MS_PER_STORED_BYTE } from '../limits/calculation.ts';
import { CHUNK_PAGE_BYTES, CHUNK_PAGE_ROWS, MAX_PAGED_READS } from '../limits/open-documents.ts';
import { isEnded } from './calculation/worker.ts';
import type { DocumentsEnvironment, Threads } from './environment.ts';
import type { FileShelf } from './file-shelf.ts';
import { type Loaded, stateOf, timesOf } from './state.ts';

/**
 * Reads a document at one moment of the store, or in a thread one with much that has to be taken in at a stretch: formulas,
 * or a long log. Cells take a fraction of what a thread takes to start. Never calculates. Null where there is no such
 * document. `user`: whose work it is; the service's unless given.
 */
export async function load(
  { database, threads }: LoadEnvironment,
  id: string,
  user: number | null = null,
): Promise<Loaded | null> {
  if (threads === undefined) return read(database, id);
  const sizes = await database.readAll([checkpointSize({ id }), deltasSize({ id })]);
  const bytes = sum(sizes.flat().map((row) => row.bytes ?? 0));
  return bytes <= threads.pool.inline.bytes ? read(database, id) : loadThere(threads, id, { user, bytes });
}

type LoadEnvironment = Pick<DocumentsEnvironment, 'database' | 'threads'>;

interface Loading {
  readonly user: number | null;
  /** Of the stored form without its chunks. */
  readonly bytes: number;
}

async function loadThere({ pool, store }: Threads, id: string, { user, bytes }: Loading): Promise<Loaded | null> {
  const loaded = await pool.read('load', { store, id }, { user, expectedMs: bytes * EXPECTED_MS_PER_STORED_BYTE });
  if (isEnded(loaded)) throw new StoreError(`Document ${id} could not be read: ${loaded.why}`, 'UNREADABLE');
  if (loaded === null) return null;
  const { whole, head, times, stored } = loaded;
  const snapshot = await runInSlices(receiveChange(null, whole));
  return { state: stateOf(snapshot, head, times, []), stored };
}

/** Reads a document in this thread in slices, its cells into memory of its own unless told otherwise. */
export async function read(database: Source, id: string, memory: Memory = {}): Promise<Loaded | null> {
  for (let attempt = 0; attempt < MAX_PAGED_READS; attempt++) {
    const loaded = await readInPages(database, id, memory);
    if (loaded !== 'changed') return loaded;
    memory.shelf?.clear();
  }
  const [[head], [checkpoint], commits, chunks] = await database.readAll([...beginningOf(id), chunksOf({ id })]);
  const making = begun(id, { head, checkpoint, commits }, memory);
  for (const chunk of chunks) making?.add(chunk);
  return making?.finish() ?? null;
}

type Source = Pick<Database, 'readAll'>;

/** See `ReaderMemory`. */
interface Memory {
  readonly shared?: SharedMemory;
  /** An empty one. */
  readonly shelf?: FileShelf;
}

/**
 * Reads so many chunks at a time, so that stored cells are not all held beside the restored ones, and others have their
 * turn. What is read first is of one moment; the chunks are of the same state unless there is another checkpoint by then:
 * a chunk never changes without.
 */
async function readInPages(database: Source, id: string, memory: Memory): Promise<Loaded | null | 'changed'> {
  let after: Place = BEFORE_ALL_CHUNKS;
  const [[head], [checkpoint], commits, first] = await database.readAll([
    ...beginningOf(id),
    chunkSizesAfter({ id, ...after, limit: CHUNK_PAGE_ROWS }),
  ]);
  const making = begun(id, { head, checkpoint, commits }, memory);
  if (making === null) return null;
  for (let sizes: readonly SizeRow[] = first; sizes.length > 0; ) {
    const limit = fitting(sizes);
    const last = placeOf(sizes[limit - 1] as SizeRow);
    const [now, page, next] = await database.readAll([
      checkpointRevision({ id }),
      chunksAfter({ id, ...after, limit }),
      chunkSizesAfter({ id, ...last, limit: CHUNK_PAGE_ROWS }),
    ]);
    if (now[0]?.revision !== checkpoint?.revision) return 'changed';
    for (const row of page) making.add(row);
    after = last;
    sizes = next;
    await pause();
  }
  return making.finish();
}

function beginningOf(id: string) {
  return [documentHead({ id }), checkpointOf({ id }), commitsAfterCheckpoint({ id })] as const;
}

/** What a state is made of beside its chunks: its document's rows. */
interface Beginning {
  readonly head: RowsOf<ReturnType<typeof beginningOf>>[0][number] | undefined;
  readonly checkpoint: RowsOf<ReturnType<typeof beginningOf>>[1][number] | undefined;
  readonly commits: RowsOf<ReturnType<typeof beginningOf>>[2];
}

/** A state in the making, which takes its chunks one by one; null where there is no such document. */
function begun(id: string, { head, checkpoint, commits }: Beginning, memory: Memory) {
  if (head === undefined) return null;
  if (checkpoint === undefined) throw new Error(`Document ${id} has no checkpoint`);
  const reader = new CheckpointReader(checkpoint.meta, undefined, memory);
  const sheets = new Set<number>();
  return {
    add(row: ChunkRow): void {
      sheets.add(row.sheet_id);
      reader.add(storedChunk(row));
    },
    finish(): Loaded {
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
    },
  };
}

/** How many chunks a page takes: one at least. */
function fitting(sizes: readonly SizeRow[]): number {
  let bytes = 0;
  for (const [i, row] of sizes.entries()) {
    bytes += row.bytes;
    if (bytes > CHUNK_PAGE_BYTES) return Math.max(i, 1);
  }
  return sizes.length;
}

type Place = typeof BEFORE_ALL_CHUNKS;
type SizeRow = RowsOf<[ReturnType<typeof chunkSizesAfter>]>[0][number];

function placeOf(row: SizeRow): Place {
  return { sheet: row.sheet_id, column: row.column_index, block: row.block };
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

type ChunkRow = RowsOf<[ReturnType<typeof chunksAfter>]>[0][number];

export function storedChunk(row: ChunkRow): StoredChunk {
  return { sheet: row.sheet_id, column: row.column_index, block: row.block, bytes: row.bytes };
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
