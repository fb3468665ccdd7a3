import { appendFileSync, closeSync, ftruncateSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { StoredChunk } from '@cellwire/engine';
import { TRAILER_BYTES } from '@cellwire/store/stored-forms';
import { CHUNK_OVERHEAD_BYTES, CREATE_TRANSACTION_BYTES } from '../../limits/open-documents.ts';
import type { ChunkCollector, CollectedChunks } from './chunk-collector.ts';

/**
 * Each chunk is preceded by its sheet, column, block and length, 4 bytes each, and followed by `TRAILER_BYTES` bytes for
 * its checksums.
 */
const HEAD_BYTES = 16;
/** Bytes per write and per read. */
const BATCH_BYTES = 1024 * 1024;
const READ_BYTES = 1024 * 1024;

/**
 * The chunks of a new document on their way into the store, in order of arrival. A synchronous task in a thread or
 * command produces them, and the store writes them in parts; so the chunks of a large document are buffered in a file.
 */
export class ChunkFile implements ChunkCollector {
  /** The chunks of a document that has no file yet. */
  private held: StoredChunk[] = [];
  private heldBytes = 0;
  private file: number | null = null;
  /** Chunks that are not in the file yet, in the form of the file. */
  private batch: Buffer = Buffer.alloc(0);
  private batchBytes = 0;
  private scratch = new Uint8Array(0);
  private readonly path: string;

  /** `path`: path of the file, which replaces an existing one. The caller removes the file. */
  constructor(path: string) {
    this.path = path;
  }

  readonly add = (chunk: StoredChunk): void => {
    if (this.file !== null) return this.appendToBatch(chunk);
    this.held.push(chunk);
    this.heldBytes += chunk.bytes.length + CHUNK_OVERHEAD_BYTES;
    if (this.heldBytes >= CREATE_TRANSACTION_BYTES) this.openFile();
  };

  /**
   * Allocates memory for the bytes of the next chunk. If there is a file, the chunks use the same memory one after
   * another, because `add` copies them: allocating a kilobyte takes longer than filling it.
   */
  readonly allocate = (length: number): Uint8Array => {
    if (this.file === null) return new Uint8Array(length);
    if (this.scratch.length < length) this.scratch = new Uint8Array(2 * length);
    return this.scratch.subarray(0, length);
  };

  /** Returns all chunks and clears the buffer. */
  async *takeAll(): AsyncGenerator<StoredChunk> {
    const { held, chunkFile } = this.collectChunks();
    yield* held;
    if (chunkFile !== null) {
      for await (const batch of readChunkBatches(chunkFile, READ_BYTES))
        for (const chunk of batch) yield { ...chunk, bytes: chunk.bytes.slice() };
    }
    this.clear();
  }

  /** Discards all chunks. */
  clear(): void {
    this.held = [];
    this.heldBytes = 0;
    this.batchBytes = 0;
    if (this.file !== null) ftruncateSync(this.file);
  }

  /** Returns null, because a file always takes chunks. */
  waitForRoom(): null {
    return null;
  }

  collectChunks(): CollectedChunks {
    if (this.file === null) return { held: this.held, chunkFile: null, uploaded: null };
    this.writeBatch(this.file);
    return { held: [], chunkFile: this.path, uploaded: null };
  }

  close(): void {
    if (this.file !== null) closeSync(this.file);
    this.file = null;
  }

  private openFile(): void {
    // Appends at the end of the file, because discarded chunks may already be in it.
    this.file = openSync(this.path, 'a', 0o600);
    for (const chunk of this.held) this.appendToBatch(chunk);
    this.held = [];
    this.heldBytes = 0;
  }

  private appendToBatch({ sheet, column, block, bytes }: StoredChunk): void {
    const length = HEAD_BYTES + bytes.length + TRAILER_BYTES;
    if (this.file !== null && this.batchBytes + length > this.batch.length) {
      this.writeBatch(this.file);
      if (length > this.batch.length) this.batch = Buffer.allocUnsafe(Math.max(length, BATCH_BYTES));
    }
    let at = this.batchBytes;
    for (const field of [sheet, column, block, bytes.length]) at = this.batch.writeUInt32LE(field, at);
    this.batch.set(bytes, at);
    this.batchBytes += length;
  }

  private writeBatch(file: number): void {
    appendFileSync(file, this.batch.subarray(0, this.batchBytes));
    this.batchBytes = 0;
  }
}

/**
 * Reads the chunks in a file that a `ChunkFile` made, in batches of about `maxBytes` bytes. All batches use the same
 * memory, so a batch must be used before the next one is requested. Each chunk can be sealed in this memory, once.
 */
export async function* readChunkBatches(path: string, maxBytes: number): AsyncGenerator<readonly StoredChunk[]> {
  const file = await open(path);
  try {
    let buffer = Buffer.allocUnsafeSlow(maxBytes);
    for (let filled = 0; ; ) {
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled);
      filled += bytesRead;
      let at = 0;
      for (let batch = decodeChunks(buffer, at, filled); batch.chunks.length > 0; ) {
        yield batch.chunks;
        at = batch.end;
        batch = decodeChunks(buffer, at, filled);
      }
      if (bytesRead === 0 && at < filled) throw new Error(`The chunks in ${path} end too early`);
      if (bytesRead === 0) return;
      // A chunk may be longer than the buffer.
      const next = at === 0 && filled === buffer.length ? Buffer.allocUnsafeSlow(2 * buffer.length) : buffer;
      buffer.copy(next, 0, at, filled);
      buffer = next;
      filled -= at;
    }
  } finally {
    await file.close();
  }
}

/** The complete chunks from `start` on, until their rows fill a transaction, and the end of the last one. */
function decodeChunks(bytes: Buffer, start: number, filled: number) {
  const chunks: StoredChunk[] = [];
  let end = start;
  let rowBytes = 0;
  while (rowBytes < CREATE_TRANSACTION_BYTES) {
    const chunk = decodeChunk(bytes, end, filled);
    if (chunk === null) break;
    chunks.push(chunk);
    end += HEAD_BYTES + chunk.bytes.length + TRAILER_BYTES;
    rowBytes += chunk.bytes.length + CHUNK_OVERHEAD_BYTES;
  }
  return { chunks, end };
}

/** Null if the chunk is not complete in the first `filled` bytes of the buffer. */
function decodeChunk(buffer: Buffer, offset: number, filled: number): StoredChunk | null {
  const start = offset + HEAD_BYTES;
  if (start > filled) return null;
  const length = buffer.readUInt32LE(offset + 12);
  if (start + length + TRAILER_BYTES > filled) return null;
  const [sheet, column, block] = [
    buffer.readUInt32LE(offset),
    buffer.readUInt32LE(offset + 4),
    buffer.readUInt32LE(offset + 8),
  ];
  // Not a part of the `Buffer`, whose `slice` would share memory.
  const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset + start, length);
  return { sheet, column, block, bytes };
}
