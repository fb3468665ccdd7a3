import { randomUUID } from 'node:crypto';
import { setImmediate as waitForNextTurn } from 'node:timers/promises';
import type { StoredChunk } from '@cellwire/engine';
import { beginCreation, continueCreation } from '@cellwire/store/documents';
import { markSealable, TRAILER_BYTES } from '@cellwire/store/stored-forms';
import { CHUNK_OVERHEAD_BYTES, CREATE_TRANSACTION_BYTES } from '../../limits/open-documents.ts';
import { buildChunkStatement } from '../checkpointer.ts';
import { commitCreation } from '../commit-creation.ts';
import type { DocumentsEnvironment } from '../environment.ts';
import { removeUnfinishedDocument } from '../remove.ts';
import type { CollectedChunks, StoringCollector } from './chunk-collector.ts';

/** Maximum number of transactions that wait for the store while the file is read. */
const MAX_WAITING_TRANSACTIONS = 2;
/** Size of a slab, which is memory for many chunks, in bytes. A longer chunk gets a slab of its own. */
const SLAB_BYTES = 1024 * 1024;

/**
 * Stores the chunks of a large new document while its file is still being read, so that each uses a core of its own.
 * Chunks of a small document are kept. For processes that serve no requests: the serving process stores the chunks of an
 * import only after it was read (`ChunkFile`).
 */
export class ChunkUpload implements StoringCollector {
  private readonly environment: Pick<DocumentsEnvironment, 'database' | 'clock'>;
  private id: string = randomUUID();
  /** Time of the last transaction, in milliseconds since 1970-01-01 UTC; null if nothing is stored yet. */
  private touchedAt: number | null = null;
  private held: StoredChunk[] = [];
  private heldBytes = 0;
  /**
   * Memory of the held chunks; only the last slab has space for more. The writer thread shares this memory, so no bytes
   * are copied. Stored chunks make their slabs free for later chunks: V8 would collect garbage for each new slab.
   */
  private slabs: SharedArrayBuffer[] = [];
  /** Number of used bytes of the last slab. */
  private used = 0;
  private readonly freeSlabs: SharedArrayBuffer[] = [];
  /** Transactions that are not finished. */
  private readonly waiting = new Set<Promise<void>>();
  /** The first error of a transaction. */
  private failure: { readonly error: unknown } | null = null;

  constructor(environment: Pick<DocumentsEnvironment, 'database' | 'clock'>) {
    this.environment = environment;
  }

  readonly add = (chunk: StoredChunk): void => {
    this.held.push(chunk);
    this.heldBytes += chunk.bytes.length + CHUNK_OVERHEAD_BYTES;
    if (this.heldBytes >= CREATE_TRANSACTION_BYTES) this.storeHeldChunks();
  };

  /** Allocates memory for the bytes of the next chunk and for its checksums. */
  readonly allocate = (length: number): Uint8Array => {
    const whole = length + TRAILER_BYTES;
    let slab = this.slabs.at(-1);
    if (slab === undefined || this.used + whole > slab.byteLength) {
      const freeSlab = whole <= SLAB_BYTES ? this.freeSlabs.pop() : undefined;
      slab = freeSlab ?? new SharedArrayBuffer(Math.max(SLAB_BYTES, whole));
      this.slabs.push(slab);
      this.used = 0;
    }
    const bytes = new Uint8Array(slab, this.used, length);
    this.used += whole;
    markSealable(bytes);
    return bytes;
  };

  /** Null if no transaction waits. Otherwise lets the store work, and waits while it has too many transactions. */
  waitForRoom(): Promise<void> | null {
    return this.waiting.size === 0 && this.failure === null ? null : this.settle(MAX_WAITING_TRANSACTIONS);
  }

  async *takeAll(): AsyncGenerator<StoredChunk> {
    if (this.touchedAt !== null) throw new Error('Stored chunks are not read back');
    yield* this.held;
    await this.clear();
  }

  async clear(): Promise<void> {
    this.held = [];
    this.heldBytes = 0;
    // The memory is not used again: the caller of `takeAll` may keep the chunks.
    this.slabs = [];
    await this.remove();
    this.id = randomUUID();
  }

  async collectChunks(): Promise<CollectedChunks> {
    await this.settle(1);
    const { id, touchedAt, held } = this;
    return { held, chunkFile: null, uploaded: touchedAt === null ? null : { id, touchedAt } };
  }

  async remove(): Promise<void> {
    await Promise.all(this.waiting);
    const { touchedAt } = this;
    this.touchedAt = null;
    this.failure = null;
    if (touchedAt !== null) await removeUnfinishedDocument(this.environment.database, this.id, touchedAt);
  }

  private storeHeldChunks(): void {
    const { database, clock } = this.environment;
    const { held, id } = this;
    const now = clock();
    const first = this.touchedAt === null ? beginCreation({ id, now }) : continueCreation({ id, now });
    const statements = [first, ...held.map((chunk) => buildChunkStatement(id, chunk))];
    const { slabs } = this;
    this.held = [];
    this.heldBytes = 0;
    this.slabs = [];
    this.touchedAt = now;
    const stored = commitCreation(database, id, statements, true)
      .then(() => {
        for (const slab of slabs) if (slab.byteLength === SLAB_BYTES) this.freeSlabs.push(slab);
      })
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => this.waiting.delete(stored));
    this.waiting.add(stored);
  }

  /** Lets the store work until fewer than `limit` transactions wait. Throws the error of a failed transaction. */
  private async settle(limit: number): Promise<void> {
    await waitForNextTurn();
    while (this.waiting.size >= limit) await Promise.race(this.waiting);
    if (this.failure !== null) throw this.failure.error;
  }
}
