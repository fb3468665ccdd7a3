import { setImmediate } from 'node:timers/promises';
import type { StoredColumnSource } from '@cellwire/engine';
import { type Database, forgetDamage, type RowsOf, StoreError, type StoreSnapshot } from '@cellwire/store';
import {
  checkpointSize,
  chunkSizesBetween,
  chunksBetween,
  columnsOfChunks,
  countChunks,
  deltasSize,
} from '@cellwire/store/documents';
import { LARGE_DOCUMENT_CHUNKS, MAX_SAMPLED_COLUMNS, MAX_STORED_CHUNK_BYTES } from '../limits/open-documents.ts';
import { type startRestore, startRestoreAtMoment, sumNumbers } from './load-state.ts';
import type { LoadedDocument } from './state.ts';
import { decodeStoredPiece } from './stored-pieces.ts';

type RestoringDocument = NonNullable<ReturnType<typeof startRestore>>;
type ColumnRow = RowsOf<[ReturnType<typeof columnsOfChunks>]>[0][number];

/** A document whose chunks are read when their cells are read. */
interface StoredState {
  readonly loaded: LoadedDocument;
  readonly chunks: StoredChunks;
}

/** True if a document has many chunks, and no more than `maxBytes` bytes without them. */
export async function hasManyChunks(
  database: Pick<Database, 'readAll'>,
  id: string,
  maxBytes: number,
): Promise<boolean> {
  const [[count], ...sizes] = await database.readAll([
    countChunks({ id, max: LARGE_DOCUMENT_CHUNKS }),
    checkpointSize({ id }),
    deltasSize({ id }),
  ]);
  if ((count?.chunks ?? 0) < LARGE_DOCUMENT_CHUNKS) return false;
  return sumNumbers(sizes.flat().map(({ bytes }) => bytes ?? 0)) <= maxBytes;
}

/**
 * Opens a document of the embedded database without reading its cells. They are read without a wait when they are
 * needed, from the moment of the database at this call, because other processes may replace the chunks meanwhile. Null
 * if the document does not exist or has very large chunks, or if the database is remote. `onFailure`: called once if a
 * chunk cannot be read; the state is then useless.
 */
export function openStoredState(
  { openSnapshot }: Pick<Database, 'openSnapshot'>,
  id: string,
  onFailure: (error: unknown) => void,
): StoredState | null {
  const snapshot = openSnapshot?.();
  if (snapshot === undefined) return null;
  const chunks = new StoredChunks(id, snapshot, onFailure);
  try {
    const loaded = restoreDocument(id, snapshot, chunks);
    if (loaded === null) chunks.close();
    return loaded && { loaded, chunks };
  } catch (error) {
    chunks.close();
    throw error;
  }
}

function restoreDocument(id: string, snapshot: StoreSnapshot, chunks: StoredChunks): LoadedDocument | null {
  const restore = startRestoreAtMoment(id, snapshot, {});
  if (restore === null) return null;
  const columns = snapshot.read(columnsOfChunks({ id }));
  if (hasLargeChunks(id, snapshot, columns)) return null;
  for (const column of columns)
    restore.addStoredColumn(column.sheet_id, column.column_index, chunks.describeColumn(column));
  chunks.restoring = restore;
  return restore.finish();
}

/** True if the first chunk of one of some columns is so large that reading a page of chunks would block for long. */
function hasLargeChunks(id: string, snapshot: StoreSnapshot, columns: readonly ColumnRow[]): boolean {
  const step = Math.ceil(columns.length / MAX_SAMPLED_COLUMNS);
  return columns.some(({ sheet_id: sheet, column_index: column, first }, i) => {
    if (i % step !== 0) return false;
    const [size] = snapshot.read(chunkSizesBetween({ id, sheet, column, first, last: first }));
    return (size?.bytes ?? 0) > MAX_STORED_CHUNK_BYTES;
  });
}

/** The chunks of an open document in the store. They are read when they are needed, and all others in the background. */
export class StoredChunks {
  /** Resolves when all chunks are in memory, or when they are no longer read. */
  readonly finished: Promise<void>;
  restoring: RestoringDocument | null = null;
  private readonly id: string;
  private readonly snapshot: StoreSnapshot;
  private readonly onFailure: (error: unknown) => void;
  private reportFinished: () => void = () => undefined;
  private isOpen = true;
  /** Why a chunk could not be read. */
  private failure: unknown = null;

  constructor(id: string, snapshot: StoreSnapshot, onFailure: (error: unknown) => void) {
    this.id = id;
    this.snapshot = snapshot;
    this.onFailure = onFailure;
    this.finished = new Promise((resolve) => {
      this.reportFinished = resolve;
    });
  }

  /** True until all chunks are in memory. */
  get isReading(): boolean {
    return this.isOpen;
  }

  describeColumn(row: ColumnRow): StoredColumnSource {
    const { sheet_id: sheet, column_index: column, chunks, first, last } = row;
    if (first < 0) throw new RangeError('stored cells outside of the grid');
    return {
      blocks: last + 1,
      isDense: chunks === last + 1,
      readChunks: (from, end, decode) =>
        this.decode(() =>
          decode(this.snapshot.read(chunksBetween({ id: this.id, sheet, column, first: from, last: end - 1 }))),
        ),
    };
  }

  private decode<T>(read: () => T): T {
    if (this.failure !== null) throw this.failure;
    if (!this.isOpen) throw new StoreError(`Document ${this.id} is closed`, 'CLOSED');
    try {
      return decodeStoredPiece(this.id, 'a chunk of its cells', read);
    } catch (error) {
      // Memory or the stack was exhausted, which says nothing about the chunk.
      if (!(error instanceof RangeError)) this.fail(error);
      throw error;
    }
  }

  private fail(error: unknown): void {
    this.failure = error;
    this.close();
    this.onFailure(error);
  }

  /**
   * Reads all chunks that no reader has needed yet, a part of a page in each turn of the event loop: in slices it would
   * take half of the time from requests. Never rejects: `onFailure` gets its errors.
   */
  async readInBackground(): Promise<void> {
    try {
      for (const _step of this.restoring?.reader.readStoredColumns() ?? []) {
        await setImmediate();
        if (!this.isOpen) return;
      }
      forgetDamage(this.id);
    } catch (error) {
      if (this.failure === null) this.fail(error);
    } finally {
      this.close();
    }
  }

  /** Ends reading. Chunks that are not in memory can no longer be read. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.restoring = null;
    this.snapshot.close();
    this.reportFinished();
  }
}
