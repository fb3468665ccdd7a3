import {
  applyDelta,
  CheckpointReader,
  receiveChange,
  type SharedMemory,
  type Snapshot,
  type StoredChunk,
  type StoredColumnSource,
} from '@cellwire/engine';
import { pause, runInSlices } from '@cellwire/event-loop';
import { type Database, forgetDamage, type RowsOf, StoreError, type StoreSnapshot } from '@cellwire/store';
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
  newestCommit,
} from '@cellwire/store/documents';
import { DamagedDocumentError } from '@cellwire/store/stored-forms';
import { EXPECTED_MS_PER_STORED_BYTE } from '../limits/calculation.ts';
import { CHUNK_PAGE_BYTES, CHUNK_PAGE_ROWS, MAX_PAGED_READS } from '../limits/open-documents.ts';
import { isEndedTask } from './calculation/worker.ts';
import type { DocumentsEnvironment, Threads } from './environment.ts';
import type { FileShelf } from './file-shelf.ts';
import { createDocumentState, type LoadedDocument, toCommitTimes } from './state.ts';
import { decodeStoredPiece } from './stored-pieces.ts';

/**
 * Reads a document at one moment of the store. A document with many formulas or a long log is read in a thread, because
 * restoring them blocks. Restoring cells takes a fraction of a thread's start time. Never calculates. Null if there is
 * no such document. `user`: the user who pays for it; the service by default.
 */
export async function loadDocument(
  environment: LoadEnvironment,
  id: string,
  user: number | null = null,
): Promise<LoadedDocument | null> {
  const loaded = await loadInlineOrInThread(environment, id, user);
  forgetDamage(id);
  return loaded;
}

/** Loads a small document here and a large one in a calculation thread. Null if it does not exist. */
async function loadInlineOrInThread(
  { database, threads }: LoadEnvironment,
  id: string,
  user: number | null,
): Promise<LoadedDocument | null> {
  if (threads === undefined) return readDocument(database, id);
  const sizes = await database.readAll([checkpointSize({ id }), deltasSize({ id })]);
  const bytes = sumNumbers(sizes.flat().map((row) => row.bytes ?? 0));
  return bytes <= threads.pool.inline.bytes ? readDocument(database, id) : loadInThread(threads, id, { user, bytes });
}

type LoadEnvironment = Pick<DocumentsEnvironment, 'database' | 'threads'>;

type ReaderMemory = NonNullable<ConstructorParameters<typeof CheckpointReader>[2]>;

interface LoadRequest {
  readonly user: number | null;
  /** Size of the stored form without its chunks. */
  readonly bytes: number;
}

async function loadInThread(
  { pool, store }: Threads,
  id: string,
  { user, bytes }: LoadRequest,
): Promise<LoadedDocument | null> {
  const loaded = await pool.runReadTask(
    'load',
    { store, id },
    { user, expectedMs: bytes * EXPECTED_MS_PER_STORED_BYTE },
  );
  if (isEndedTask(loaded)) throw new StoreError(`Document ${id} could not be read: ${loaded.why}`, 'UNREADABLE');
  if (loaded === null) return null;
  const { whole, head, times, stored } = loaded;
  const snapshot = await runInSlices(receiveChange(null, whole));
  return { state: createDocumentState(snapshot, head, times, []), stored };
}

/** Reads a document in this thread in slices. Cells are copied to their own memory by default. */
export async function readDocument(
  database: StateSource,
  id: string,
  memory: ReadMemory = {},
): Promise<LoadedDocument | null> {
  for (let attempt = 0; attempt < MAX_PAGED_READS; attempt++) {
    const loaded = await readInPages(database, id, memory);
    if (loaded !== 'changed') return loaded;
    memory.shelf?.clear();
  }
  const [[head], [checkpoint], commits, [newest], chunks] = await database.readAll([
    ...buildFirstQueries(id),
    chunksOf({ id }),
  ]);
  const restore = startRestore(id, { head, checkpoint, commits, newest }, memory);
  for (const chunk of chunks) restore?.add(chunk);
  return restore?.finish() ?? null;
}

type StateSource = Pick<Database, 'readAll'>;

/** See `ReaderMemory`. */
interface ReadMemory {
  readonly shared?: SharedMemory;
  /** An empty shelf. */
  readonly shelf?: FileShelf;
}

/**
 * Reads the chunks page by page, so that stored and restored cells are not all in memory together, and other work gets
 * its turn. The first query reads one moment. The chunks belong to the same state unless the checkpoint was replaced
 * meanwhile, because chunks change only with the checkpoint.
 */
async function readInPages(
  database: StateSource,
  id: string,
  memory: ReadMemory,
): Promise<LoadedDocument | null | 'changed'> {
  let after: ChunkPosition = BEFORE_ALL_CHUNKS;
  const [[head], [checkpoint], commits, [newest], first] = await database.readAll([
    ...buildFirstQueries(id),
    chunkSizesAfter({ id, ...after, limit: CHUNK_PAGE_ROWS }),
  ]);
  const restore = startRestore(id, { head, checkpoint, commits, newest }, memory);
  if (restore === null) return null;
  for (let sizes: readonly SizeRow[] = first; sizes.length > 0; ) {
    const limit = countPageChunks(sizes);
    const last = toChunkPosition(sizes[limit - 1] as SizeRow);
    const [now, page, next] = await database.readAll([
      checkpointRevision({ id }),
      chunksAfter({ id, ...after, limit }),
      chunkSizesAfter({ id, ...last, limit: CHUNK_PAGE_ROWS }),
    ]);
    if (now[0]?.revision !== checkpoint?.revision) return 'changed';
    for (const row of page) restore.add(row);
    after = last;
    sizes = next;
    await pause();
  }
  return restore.finish();
}

/** The queries for a document's newest commit, its checkpoint and all later commits. */
export function buildFirstQueries(id: string) {
  return [documentHead({ id }), checkpointOf({ id }), commitsAfterCheckpoint({ id }), newestCommit({ id })] as const;
}

type FirstRows = RowsOf<ReturnType<typeof buildFirstQueries>>;

/** The rows of a document that make a state together with its chunks. */
interface DocumentRows {
  readonly head: FirstRows[0][number] | undefined;
  readonly checkpoint: FirstRows[1][number] | undefined;
  readonly commits: FirstRows[2];
  readonly newest: FirstRows[3][number] | undefined;
}

/** Checks a document's rows and begins to read its checkpoint. Null if there is no such document. */
export function startReader(
  id: string,
  { head, checkpoint, newest }: Omit<DocumentRows, 'commits'>,
  memory: ReaderMemory,
): {
  readonly reader: CheckpointReader;
  readonly head: FirstRows[0][number];
  readonly checkpoint: FirstRows[1][number];
} | null {
  if (head === undefined) return null;
  if (checkpoint === undefined) throw new DamagedDocumentError(id, 'it has no checkpoint');
  checkNewestCommit(id, head, newest);
  const reader = decodeStoredPiece(
    id,
    'its checkpoint',
    () => new CheckpointReader(checkpoint.meta, undefined, memory),
  );
  return { reader, head, checkpoint };
}

/** Starts restoring a state that receives its chunks one by one. Null if there is no such document. */
export function startRestore(id: string, rows: DocumentRows, memory: ReaderMemory) {
  const started = startReader(id, rows, memory);
  if (started === null) return null;
  const { reader, head, checkpoint } = started;
  const { commits } = rows;
  const sheets = new Set<number>();
  return {
    reader,
    add(row: ChunkRow): void {
      sheets.add(row.sheet_id);
      decodeStoredPiece(id, 'a chunk of its cells', () => reader.add(toStoredChunk(row)));
    },
    /** Adds a column whose chunks are read when their cells are read. */
    addStoredColumn(sheet: number, column: number, source: StoredColumnSource): void {
      sheets.add(sheet);
      decodeStoredPiece(id, 'a chunk of its cells', () => reader.addStoredColumn({ sheet, column }, source));
    },
    /** Declares that the shelf may have chunks of the first blocks of a column. */
    addStoredBlocks(sheet: number, column: number, blocks: number): void {
      sheets.add(sheet);
      decodeStoredPiece(id, 'a chunk of its cells', () => reader.declareFirstBlocks(sheet, column, blocks));
    },
    finish(): LoadedDocument {
      const { snapshot: restored, formats } = decodeStoredPiece(id, 'its checkpoint', () => reader.finish());
      const snapshot = commits.reduce((before, commit) => applyCommit(before, id, commit), restored);
      checkRevision(id, snapshot, head);
      return {
        state: createDocumentState(snapshot, head.head, toCommitTimes(head), []),
        stored: {
          checkpointRevision: checkpoint.revision,
          checkpointSheets: sheets,
          formats,
          metaBytes: checkpoint.meta.length,
          logBytes: sumNumbers(commits.map(({ delta }) => delta.length)),
        },
      };
    },
  };
}

/** Starts restoring a document from one moment of the embedded database. Null if there is no such document. */
export function startRestoreAtMoment(id: string, snapshot: StoreSnapshot, memory: ReaderMemory) {
  const [headQuery, checkpointQuery, commitsQuery, newestQuery] = buildFirstQueries(id);
  const [head] = snapshot.read(headQuery);
  const [checkpoint] = snapshot.read(checkpointQuery);
  const commits = snapshot.read(commitsQuery);
  const [newest] = snapshot.read(newestQuery);
  return startRestore(id, { head, checkpoint, commits, newest }, memory);
}

/**
 * Throws if the log's newest commit is newer than the document's row, or differs from it at the same revision. An older
 * or missing commit passes here, because retention may have deleted the newest commit.
 */
function checkNewestCommit(
  id: string,
  head: { readonly revision: number; readonly head: string },
  newest: DocumentRows['newest'],
): void {
  if (newest === undefined || newest.revision < head.revision) return;
  if (newest.revision === head.revision && newest.head === head.head) return;
  throw new DamagedDocumentError(id, `its row names another commit than the newest, revision ${newest.revision}`);
}

/** Throws if the log does not lead to the revision that the document's row names. */
export function checkRevision(id: string, snapshot: Snapshot, head: { readonly revision: number }): void {
  if (snapshot.revision !== head.revision) throw createMissingCommitError(id, head.revision);
}

function createMissingCommitError(id: string, revision: number): DamagedDocumentError {
  return new DamagedDocumentError(id, `the commit of revision ${revision} is missing`);
}

/** Number of chunks in the next page, at least one. */
function countPageChunks(sizes: readonly SizeRow[]): number {
  let bytes = 0;
  for (const [i, row] of sizes.entries()) {
    bytes += row.bytes;
    if (bytes > CHUNK_PAGE_BYTES) return Math.max(i, 1);
  }
  return sizes.length;
}

type ChunkPosition = typeof BEFORE_ALL_CHUNKS;
type SizeRow = RowsOf<[ReturnType<typeof chunkSizesAfter>]>[0][number];

function toChunkPosition(row: SizeRow): ChunkPosition {
  return { sheet: row.sheet_id, column: row.column_index, block: row.block };
}

/** The state after the next commit of the log. */
export function applyCommit(
  before: Snapshot,
  id: string,
  { revision, delta }: { readonly revision: number; readonly delta: Uint8Array },
): Snapshot {
  if (revision !== before.revision + 1) throw createMissingCommitError(id, before.revision + 1);
  return decodeStoredPiece(id, `the commit of revision ${revision}`, () => applyDelta(before, delta));
}

type ChunkRow = RowsOf<[ReturnType<typeof chunksAfter>]>[0][number];

export function toStoredChunk(row: ChunkRow): StoredChunk {
  return { sheet: row.sheet_id, column: row.column_index, block: row.block, bytes: row.bytes };
}

export function sumNumbers(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
