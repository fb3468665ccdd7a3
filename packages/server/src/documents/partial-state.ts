import { CHUNK_ROWS, type ChunkPosition, type ChunkShelf, type Snapshot, type StoredChunk } from '@cellwire/engine';
import { pause } from '@cellwire/event-loop';
import type { Database } from '@cellwire/store';
import {
  checkpointRevision,
  checkpointSize,
  chunkSizesBetween,
  chunksBetween,
  countChunks,
  deltasSize,
  lastBlockOf,
} from '@cellwire/store/documents';
import {
  LARGE_DOCUMENT_CHUNKS,
  MAX_PARTIAL_BLOCKS,
  MAX_PARTIAL_BYTES,
  MAX_PARTIAL_CHUNKS,
  MAX_PARTIAL_COLUMNS,
  MAX_PARTIAL_FAULTS,
} from '../limits/open-documents.ts';
import { applyCommit, buildFirstQueries, checkRevision, startReader, sumNumbers, toStoredChunk } from './load-state.ts';
import { createDocumentState, isOfAnotherDay, toCommitTimes } from './state.ts';
import { decodeStoredPiece } from './stored-pieces.ts';
import type { AreaLister, DocumentReading, SheetArea } from './types.ts';

/** Columns of a page whose chunks are loaded without a pause. */
const RANGES_PER_READ = 32;
/** Blocks that are loaded together after two misses: as many as a column with moved rows creates at a time. */
const NEIGHBOURS = 64;

type StoredDocumentReader = Pick<Database, 'readAll'>;

interface PartialRead {
  /** The current time in milliseconds since 1970-01-01 UTC. */
  readonly now: number;
  /** Maximum bytes of the stored form without its chunks. */
  readonly maxBytes: number;
  readonly listAreas: AreaLister;
}

/**
 * Reads the newest state of a large document with only the chunks of some areas. Reading any other cell of the state
 * throws. Null if the document must be opened instead: it is small or does not exist, it has too many columns or a
 * long log, its volatile functions are of another day, the areas or the log need many chunks, or another process
 * replaces the checkpoint meanwhile.
 */
export async function readPartialState(
  database: StoredDocumentReader,
  id: string,
  { now, maxBytes, listAreas }: PartialRead,
): Promise<DocumentReading | null> {
  const [[chunks], [meta], [deltas]] = await database.readAll([
    countChunks({ id, max: LARGE_DOCUMENT_CHUNKS }),
    checkpointSize({ id }),
    deltasSize({ id }),
  ]);
  if ((chunks?.chunks ?? 0) < LARGE_DOCUMENT_CHUNKS) return null;
  if ((meta?.bytes ?? 0) + (deltas?.bytes ?? 0) > maxBytes) return null;
  try {
    return await new PartialReader(database, id).read(now, listAreas);
  } catch (error) {
    if (error instanceof UnsuitableError) return null;
    throw error;
  }
}

/** The document cannot be read in part. */
class UnsuitableError extends Error {}

/** A chunk must be loaded before its cells can be read. */
class MissingChunkError extends Error {
  /** `decodeStoredPiece` takes errors with a code for something other than damage. */
  readonly code = 'MISSING_CHUNK';
  readonly position: ChunkPosition;

  constructor(position: ChunkPosition) {
    super('a chunk of a partial state was not loaded');
    this.position = position;
  }
}

type ColumnPosition = Omit<ChunkPosition, 'block'>;

/** Blocks of a column. */
interface BlockRange extends ColumnPosition {
  readonly first: number;
  readonly last: number;
}

/** The blocks of rows that an area touches, as one range for each column. */
function listBlockRanges({ sheet, area: { top, left, bottom, right } }: SheetArea): readonly BlockRange[] {
  const blocks = { first: Math.floor(top / CHUNK_ROWS), last: Math.floor(bottom / CHUNK_ROWS) };
  return Array.from({ length: right - left + 1 }, (_, i) => ({ sheet, column: left + i, ...blocks }));
}

/** Reads every chunk of an area, and with it all chunks from which it is made if rows moved. */
function readChunks(snapshot: Snapshot, { sheet: id, area: { top, left, bottom, right } }: SheetArea): void {
  const sheet = snapshot.sheetById(id);
  for (let column = left; column <= right; column++) {
    for (let row = top; row <= bottom; row = (Math.floor(row / CHUNK_ROWS) + 1) * CHUNK_ROWS) sheet?.kind(row, column);
  }
}

/** The loaded chunks. A chunk that is not known to be absent must be loaded before it is read. */
class LoadedChunks implements ChunkShelf {
  private readonly chunks = new Map<string, Uint8Array | null>();

  get size(): number {
    return this.chunks.size;
  }

  put({ bytes, ...position }: StoredChunk): void {
    this.chunks.set(chunkKey(position), bytes);
  }

  /** Records that blocks of the range without a loaded chunk have none in the store. */
  putAbsentBlocks({ sheet, column, first, last }: BlockRange): void {
    for (let block = first; block <= last; block++) {
      const key = chunkKey({ sheet, column, block });
      if (!this.chunks.has(key)) this.chunks.set(key, null);
    }
  }

  get(position: ChunkPosition): Uint8Array | null {
    const bytes = this.chunks.get(chunkKey(position));
    if (bytes === undefined) throw new MissingChunkError(position);
    return bytes;
  }
}

function chunkKey({ sheet, column, block }: ChunkPosition): string {
  return `${sheet}:${column}:${block}`;
}

/** Loads the chunks of one state. All of them must belong to the checkpoint that was read first. */
class PartialReader {
  private readonly database: StoredDocumentReader;
  private readonly id: string;
  private readonly shelf = new LoadedChunks();
  private checkpoint = -1;
  private faults = 0;
  /** Groups of neighbours of which a chunk was missing. */
  private readonly missed = new Set<string>();
  private bytes = 0;

  constructor(database: StoredDocumentReader, id: string) {
    this.database = database;
    this.id = id;
  }

  async read(now: number, listAreas: AreaLister): Promise<DocumentReading | null> {
    const { id, shelf } = this;
    const [[firstHead], [firstCheckpoint], commits, [newest]] = await this.database.readAll(buildFirstQueries(id));
    const started = startReader(id, { head: firstHead, checkpoint: firstCheckpoint, newest }, { shelf });
    if (started === null) return null;
    const { reader, head, checkpoint } = started;
    this.checkpoint = checkpoint.revision;
    for (const { sheet, column, blocks } of await this.countBlocks(reader.listColumns()))
      decodeStoredPiece(id, 'its checkpoint', () => reader.declareFirstBlocks(sheet, column, blocks));
    let { snapshot } = decodeStoredPiece(id, 'its checkpoint', () => reader.finish());
    for (const commit of commits) {
      const before = snapshot;
      snapshot = await this.retry(() => applyCommit(before, id, commit));
    }
    checkRevision(id, snapshot, head);
    const state = createDocumentState(snapshot, head.head, toCommitTimes(head), []);
    if (isOfAnotherDay(state, now)) return null;
    const areas = await this.retry(() => listAreas(snapshot));
    // Each column of an area has at least one block, so this check is enough before the blocks are listed.
    const columns = sumNumbers(areas.map(({ area: { left, right } }) => right - left + 1));
    if (columns > MAX_PARTIAL_CHUNKS) throw new UnsuitableError();
    await this.load(areas.flatMap((area) => listBlockRanges(area)));
    await this.retry(() => areas.forEach((area) => void readChunks(snapshot, area)));
    return state;
  }

  /** The number of blocks of each column up to its last stored chunk, without columns that have none. */
  private async countBlocks(columns: readonly ColumnPosition[]) {
    if (columns.length > MAX_PARTIAL_COLUMNS) throw new UnsuitableError();
    const { id } = this;
    const [now, ...lasts] = await this.database.readAll([
      checkpointRevision({ id }),
      ...columns.map((column) => lastBlockOf({ id, ...column })),
    ]);
    this.checkRevisionUnchanged(now);
    const counts = columns.map((column, i) => ({ ...column, blocks: (lasts[i]?.[0]?.block ?? -1) + 1 }));
    if (sumNumbers(counts.map(({ blocks }) => blocks)) > MAX_PARTIAL_BLOCKS) throw new UnsuitableError();
    return counts.filter(({ blocks }) => blocks > 0);
  }

  /** Computes a result, and loads each chunk that the computation misses. */
  private async retry<T>(compute: () => T): Promise<T> {
    for (;;) {
      try {
        return decodeStoredPiece(this.id, 'a chunk of its cells', compute);
      } catch (error) {
        if (!(error instanceof MissingChunkError)) throw error;
        if (++this.faults > MAX_PARTIAL_FAULTS) throw new UnsuitableError();
        await this.load([this.chooseBlocks(error.position)]);
      }
    }
  }

  /**
   * The blocks to load for a missing chunk: this one, and at the next miss beside it all blocks around. A column whose
   * rows moved creates its chunks from many at a time.
   */
  private chooseBlocks({ sheet, column, block }: ChunkPosition): BlockRange {
    const first = block - (block % NEIGHBOURS);
    const key = chunkKey({ sheet, column, block: first });
    if (this.missed.has(key)) return { sheet, column, first, last: first + NEIGHBOURS - 1 };
    this.missed.add(key);
    return { sheet, column, first: block, last: block };
  }

  /** Loads the chunks of the ranges. Throws an `UnsuitableError` if there are too many. */
  private async load(ranges: readonly BlockRange[]): Promise<void> {
    const asked = sumNumbers(ranges.map(({ first, last }) => last - first + 1));
    if (this.shelf.size + asked > MAX_PARTIAL_CHUNKS) throw new UnsuitableError();
    for (let i = 0; i < ranges.length; i += RANGES_PER_READ) {
      await this.loadTogether(ranges.slice(i, i + RANGES_PER_READ));
      await pause();
    }
  }

  /**
   * Loads the chunks of a few ranges. Throws an `UnsuitableError` if they have too many bytes or the checkpoint
   * changed.
   */
  private async loadTogether(ranges: readonly BlockRange[]): Promise<void> {
    const { id, shelf } = this;
    const revision = checkpointRevision({ id });
    const [now, ...sizes] = await this.database.readAll([
      revision,
      ...ranges.map((range) => chunkSizesBetween({ id, ...range })),
    ]);
    this.checkRevisionUnchanged(now);
    this.bytes += sumNumbers(sizes.flat().map(({ bytes }) => bytes));
    if (this.bytes > MAX_PARTIAL_BYTES) throw new UnsuitableError();
    const [then, ...chunks] = await this.database.readAll([
      revision,
      ...ranges.map((range) => chunksBetween({ id, ...range })),
    ]);
    this.checkRevisionUnchanged(then);
    for (const row of chunks.flat()) shelf.put(toStoredChunk(row));
    for (const range of ranges) shelf.putAbsentBlocks(range);
  }

  /** Throws an `UnsuitableError` if the checkpoint was replaced since the read began. */
  private checkRevisionUnchanged([now]: readonly { readonly revision: number }[]): void {
    if (now?.revision !== this.checkpoint) throw new UnsuitableError();
  }
}
