import { appendFileSync, closeSync, createReadStream, ftruncateSync, openSync } from 'node:fs';
import type { StoredChunk } from '@cellwire/engine';
import { CHUNK_OVERHEAD_BYTES, CREATE_TRANSACTION_BYTES } from '../limits/open-documents.ts';

/** Its sheet, column, block and length, 4 bytes each, stand before a chunk. */
const HEAD_BYTES = 16;
/** Bytes that are read at a time. */
const READ_BYTES = 1024 * 1024;

/**
 * The chunks of a document that is to be, on their way into the store, in the order they came. Those of a large one wait in
 * a file: what makes them works in one go, in a thread of its own or for a command, and the store writes them in parts.
 */
export class ChunkFile {
  private held: StoredChunk[] = [];
  private heldBytes = 0;
  private file: number | null = null;
  private readonly path: string;

  /** `path`: where the file may be made, in place of any other. Who gives it removes it. */
  constructor(path: string) {
    this.path = path;
  }

  readonly add = (chunk: StoredChunk): void => {
    this.held.push(chunk);
    this.heldBytes += chunk.bytes.length + CHUNK_OVERHEAD_BYTES;
    if (this.heldBytes >= CREATE_TRANSACTION_BYTES) this.write();
  };

  /** All that came, and nothing is left here. */
  async *takeAll(): AsyncGenerator<StoredChunk> {
    const { held, path } = this.whole();
    yield* held;
    if (path !== null) yield* chunksIn(path);
    this.clear();
  }

  /** Forgets all chunks. */
  clear(): void {
    this.held = [];
    this.heldBytes = 0;
    if (this.file !== null) ftruncateSync(this.file);
  }

  /** All that came: in memory, or the path of the file that holds it. */
  whole(): { readonly held: readonly StoredChunk[]; readonly path: string | null } {
    if (this.file === null) return { held: this.held, path: null };
    this.write();
    return { held: [], path: this.path };
  }

  close(): void {
    if (this.file !== null) closeSync(this.file);
    this.file = null;
  }

  private write(): void {
    // To its end, wherever that is: what was forgotten may have been written.
    this.file ??= openSync(this.path, 'a', 0o600);
    appendFileSync(this.file, Buffer.concat(this.held.flatMap((chunk) => [headOf(chunk), chunk.bytes])));
    this.held = [];
    this.heldBytes = 0;
  }
}

function headOf({ sheet, column, block, bytes }: StoredChunk): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  for (const [i, field] of [sheet, column, block, bytes.length].entries()) head.writeUInt32LE(field, 4 * i);
  return head;
}

/** The chunks in a file that a `ChunkFile` made. */
export async function* chunksIn(path: string): AsyncGenerator<StoredChunk> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([rest, piece]);
    let at = 0;
    for (let chunk = chunkAt(bytes, at); chunk !== null; chunk = chunkAt(bytes, at)) {
      at += HEAD_BYTES + chunk.bytes.length;
      yield chunk;
    }
    rest = bytes.subarray(at);
  }
  if (rest.length > 0) throw new Error(`The chunks in ${path} end too early`);
}

/** Null where not all of it is there. */
function chunkAt(bytes: Buffer, at: number): StoredChunk | null {
  const start = at + HEAD_BYTES;
  if (start > bytes.length) return null;
  const end = start + bytes.readUInt32LE(at + 12);
  if (end > bytes.length) return null;
  const [sheet, column, block] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4), bytes.readUInt32LE(at + 8)];
  return { sheet, column, block, bytes: bytes.subarray(start, end) };
}
