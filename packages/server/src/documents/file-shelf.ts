import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import type { ChunkShelf, StoredChunk } from '@cellwire/engine';

/** Chunks are buffered up to this size before they are written. */
const WRITE_BYTES = 1024 * 1024;

/** Positions of a column's chunks in the file, by block. */
type ChunkPlaces = Map<number, { readonly start: number; readonly length: number }>;

/** The stored chunks of one state in a private file. */
export class FileShelf implements ChunkShelf {
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
    const place = this.columns.get(formatColumnKey(sheet, column))?.get(block);
    if (place === undefined || place.length === 0) return null;
    const { start, length } = place;
    this.writeWaitingChunks();
    const bytes = new Uint8Array(length);
    const read = readSync(this.file, bytes, 0, length, start);
    if (read < length) throw new Error(`The chunks of a document end after ${read} of ${length} bytes`);
    return bytes;
  }

  /** Discards all chunks. */
  clear(): void {
    this.columns.clear();
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
