import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import type { ChunkShelf, StoredChunk } from '@cellwire/engine';

/** Chunks are buffered up to this size before they are written. */
const WRITE_BYTES = 1024 * 1024;

/** Positions of a column's chunks in the file, by block. */
type ChunkPlaces = Map<number, { readonly start: number; readonly length: number }>;

/**
 * Number of bytes that are read at a time for the next chunks of a column. An export reads by row, so it reads the
 * chunks of all columns in turns.
 */
const READ_AHEAD_BYTES = 16 * 1024;
/** Maximum number of columns with a `ReadAhead`. */
const MAX_READ_AHEAD_COLUMNS = 256;

/** Bytes of the file that were read ahead for one column. */
interface ReadAhead {
  readonly memory: Uint8Array;
  /** Position of the memory in the file, and the number of bytes that were read. */
  start: number;
  length: number;
}

/** The stored chunks of one state in a private file. */
export class FileShelf implements ChunkShelf {
  private readonly readAheads = new Map<ChunkPlaces, ReadAhead>();
  private readonly file: number;
  private readonly columns = new Map<string, ChunkPlaces>();
  /** Bytes not yet written, and their position in the file. */
  private waiting: Uint8Array[] = [];
  private waitingBytes = 0;
  private written = 0;

  /** `path`: path of the file, which replaces an existing one. The caller removes the file. */
  constructor(path: string) {
    this.file = openSync(path, 'w+', 0o600);
  }

  put({ sheet, column, block, bytes }: StoredChunk): void {
    this.getColumnPlaces(sheet, column).set(block, { start: this.written + this.waitingBytes, length: bytes.length });
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    if (this.waitingBytes >= WRITE_BYTES) this.writeWaitingChunks();
  }

  get({ sheet, column, block }: Omit<StoredChunk, 'bytes'>): Uint8Array | null {
    const places = this.columns.get(formatColumnKey(sheet, column));
    const place = places?.get(block);
    if (places === undefined || place === undefined || place.length === 0) return null;
    const { start, length } = place;
    this.writeWaitingChunks();
    const ahead = length > READ_AHEAD_BYTES ? null : this.findReadAhead(places);
    if (ahead === null) {
      const bytes = new Uint8Array(length);
      this.readBytes(bytes, start, length);
      return bytes;
    }
    const isRead = start >= ahead.start && start + length <= ahead.start + ahead.length;
    if (!isRead) {
      // If the read fails, the memory contains nothing valid.
      ahead.length = 0;
      ahead.length = this.readBytes(ahead.memory, start, length);
      ahead.start = start;
    }
    const from = start - ahead.start;
    return ahead.memory.subarray(from, from + length);
  }

  /** The memory for the next chunks of a column; null if there are too many columns. */
  private findReadAhead(places: ChunkPlaces): ReadAhead | null {
    let ahead = this.readAheads.get(places);
    if (ahead === undefined && this.readAheads.size < MAX_READ_AHEAD_COLUMNS) {
      ahead = { memory: new Uint8Array(READ_AHEAD_BYTES), start: 0, length: 0 };
      this.readAheads.set(places, ahead);
    }
    return ahead ?? null;
  }

  /** Fills the memory from a position of the file. Returns the number of bytes, which is at least `length`. */
  private readBytes(memory: Uint8Array, start: number, length: number): number {
    const read = readSync(this.file, memory, 0, memory.length, start);
    if (read < length) throw new Error(`The chunks of a document end after ${read} of ${length} bytes`);
    return read;
  }

  /** Discards all chunks. */
  clear(): void {
    this.columns.clear();
    this.readAheads.clear();
    this.waiting = [];
    this.waitingBytes = 0;
    this.written = 0;
    ftruncateSync(this.file);
  }

  close(): void {
    closeSync(this.file);
  }

  /** The places of a column's chunks in the file. An unknown column gets an empty map. */
  private getColumnPlaces(sheet: number, column: number): ChunkPlaces {
    const key = formatColumnKey(sheet, column);
    let places = this.columns.get(key);
    if (places === undefined) {
      places = new Map();
      this.columns.set(key, places);
    }
    return places;
  }

  private writeWaitingChunks(): void {
    if (this.waiting.length === 0) return;
    const bytes = Buffer.concat(this.waiting);
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.file, bytes, done, bytes.length - done, this.written + done);
    }
    this.written += bytes.length;
    this.waiting = [];
    this.waitingBytes = 0;
  }
}

function formatColumnKey(sheet: number, column: number): string {
  return `${sheet}:${column}`;
}
