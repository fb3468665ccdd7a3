import { appendFileSync, closeSync, createReadStream, ftruncateSync, openSync } from 'node:fs';
import type { StoredChunk } from '@cellwire/engine';
import { CHUNK_OVERHEAD_BYTES, CREATE_TRANSACTION_BYTES } from '../limits/open-documents.ts';

/** Each chunk is preceded by its sheet, column, block and length, 4 bytes each. */
const HEAD_BYTES = 16;
/** Bytes per read. */
const READ_BYTES = 1024 * 1024;

/**
 * The chunks of a new document on their way into the store, in order of arrival. A synchronous task in a thread or
 * command produces them, and the store writes them in parts; so the chunks of a large document are buffered in a file.
 */
export class ChunkFile {
  private held: StoredChunk[] = [];
  private heldBytes = 0;
  private file: number | null = null;
  private readonly path: string;

  /** `path`: path of the file, which replaces an existing one. The caller removes the file. */
  constructor(path: string) {
    this.path = path;
  }

  readonly add = (chunk: StoredChunk): void => {
    this.held.push(chunk);
    this.heldBytes += chunk.bytes.length + CHUNK_OVERHEAD_BYTES;
    if (this.heldBytes >= CREATE_TRANSACTION_BYTES) this.writeHeldChunks();
  };

  /** Returns all chunks and clears the buffer. */
  async *takeAll(): AsyncGenerator<StoredChunk> {
    const { held, path } = this.getAllChunks();
    yield* held;
    if (path !== null) yield* readChunks(path);
    this.clear();
  }

  /** Discards all chunks. */
  clear(): void {
    this.held = [];
    this.heldBytes = 0;
    if (this.file !== null) ftruncateSync(this.file);
  }

  /** All chunks: in memory, or the path of the file that holds them. */
  getAllChunks(): { readonly held: readonly StoredChunk[]; readonly path: string | null } {
    if (this.file === null) return { held: this.held, path: null };
    this.writeHeldChunks();
    return { held: [], path: this.path };
  }

  close(): void {
    if (this.file !== null) closeSync(this.file);
    this.file = null;
  }

  private writeHeldChunks(): void {
    // Appends at the end of the file, because discarded chunks may already be in it.
    this.file ??= openSync(this.path, 'a', 0o600);
    appendFileSync(this.file, Buffer.concat(this.held.flatMap((chunk) => [encodeChunkHead(chunk), chunk.bytes])));
    this.held = [];
    this.heldBytes = 0;
  }
}

function encodeChunkHead({ sheet, column, block, bytes }: StoredChunk): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  for (const [i, field] of [sheet, column, block, bytes.length].entries()) head.writeUInt32LE(field, 4 * i);
  return head;
}

/** The chunks in a file that a `ChunkFile` made. */
export async function* readChunks(path: string): AsyncGenerator<StoredChunk> {
  let remaining: Buffer = Buffer.alloc(0);
  for await (const piece of createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([remaining, piece]);
    let at = 0;
    for (let chunk = decodeChunk(bytes, at); chunk !== null; chunk = decodeChunk(bytes, at)) {
      at += HEAD_BYTES + chunk.bytes.length;
      yield chunk;
    }
    remaining = bytes.subarray(at);
  }
  if (remaining.length > 0) throw new Error(`The chunks in ${path} end too early`);
}

/** Null if the chunk is not complete in the buffer. */
function decodeChunk(bytes: Buffer, offset: number): StoredChunk | null {
  const start = offset + HEAD_BYTES;
  if (start > bytes.length) return null;
  const end = start + bytes.readUInt32LE(offset + 12);
  if (end > bytes.length) return null;
  const [sheet, column, block] = [
    bytes.readUInt32LE(offset),
    bytes.readUInt32LE(offset + 4),
    bytes.readUInt32LE(offset + 8),
  ];
  return { sheet, column, block, bytes: bytes.subarray(start, end) };
}
