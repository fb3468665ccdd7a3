import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createZstdDecompress, type ZstdDecompress } from 'node:zlib';
import { StoreError } from '../database/database.ts';
import {
  MAX_ARCHIVE_HEAD_BYTES,
  MAX_ARCHIVE_ROW_BYTES,
  TRANSFER_BATCH_BYTES,
  TRANSFER_BATCH_ROWS,
} from '../database/limits.ts';
import {
  type ArchiveHead,
  DIGEST_BYTES,
  END,
  HEAD,
  MAGIC,
  parseHead,
  RECORD_HEAD_BYTES,
  ROW,
  TABLE,
  VERSION,
} from './archive.ts';
import type { OnRows } from './copy.ts';
import { DamageList } from './damage.ts';
import { createDamagedArchiveError, decodeRow } from './row-bytes.ts';
import { countRows, type TableShape, type TransferRow, type TransferSource } from './table-shape.ts';

const MAX_NAME_BYTES = 1_000;

/** An archive that is read once, from beginning to end. */
export interface ArchiveFile extends TransferSource {
  readonly head: ArchiveHead;
  /** After the last table, verifies that the content matches its checksum and that nothing follows. */
  end(): Promise<void>;
}

interface ArchiveBounds {
  /** Maximum size of one row and of the whole content, in bytes. */
  readonly rowBytes: number;
  readonly bytes: number;
}

const DEFAULT_BOUNDS: ArchiveBounds = { rowBytes: MAX_ARCHIVE_ROW_BYTES, bytes: Number.POSITIVE_INFINITY };

/**
 * Opens an archive. Opening and reading reject with `StoreError` (`DAMAGED`) if the file is damaged or exceeds the
 * bounds. Memory is allocated only for received data, not for lengths that the file states.
 */
export async function openArchive(path: string, bounds: ArchiveBounds = DEFAULT_BOUNDS): Promise<ArchiveFile> {
  const records = new ArchiveRecordReader(path, bounds.bytes);
  try {
    const head = parseHead((await records.takeRecord(HEAD, MAX_ARCHIVE_HEAD_BYTES)).toString());
    if (head === null) throw createDamagedArchiveError('its head is invalid');
    const { migrations, tables, serials, counts } = head;
    const place = { table: -1 };
    const rows = (table: TableShape) => readRows(records, tables, table, place, bounds.rowBytes);
    const end = () => records.requireArchiveEnd();
    return { head, migrations, tables, serials, counts, rows, end, close: async () => records.close() };
  } catch (error) {
    records.close();
    throw error;
  }
}

/** Reads an archive to its end, and checks the pieces in it. Rejects as `openArchive` does. */
export async function checkArchive(path: string, onRows: OnRows, damage = new DamageList()): Promise<ArchiveHead> {
  const archive = await openArchive(path);
  try {
    const total = countRows(archive);
    let done = 0;
    for (const table of archive.tables) {
      const before = done;
      for await (const rows of archive.rows(table)) {
        damage.checkRows(table, rows);
        done += rows.length;
        onRows(done, total);
      }
      if (done - before !== archive.counts[table.name])
        throw createDamagedArchiveError(`it has not the rows of ${table.name} that it says`);
    }
    await archive.end();
    if (archive.head.holds === 'installation') damage.addMissingDocuments();
    return archive.head;
  } finally {
    await archive.close();
  }
}

/**
 * Yields the rows of the next table in batches. `position`: the index of the table that was read last. Throws
 * `StoreError` (`DAMAGED`) if the next table in the file is another one.
 */
async function* readRows(
  records: ArchiveRecordReader,
  tables: readonly TableShape[],
  table: TableShape,
  position: { table: number },
  maxRowBytes: number,
): AsyncGenerator<readonly TransferRow[]> {
  position.table++;
  const name = (await records.takeRecord(TABLE, MAX_NAME_BYTES)).toString();
  if (tables[position.table] !== table || name !== table.name)
    throw createDamagedArchiveError('its tables are in the wrong order');
  let rows: TransferRow[] = [];
  let bytes = 0;
  while ((await records.peekRecordKind()) === ROW) {
    const content = await records.takeRecord(ROW, maxRowBytes);
    rows.push(decodeRow(content, table.columns));
    bytes += content.length;
    if (rows.length < TRANSFER_BATCH_ROWS && bytes < TRANSFER_BATCH_BYTES) continue;
    yield rows;
    rows = [];
    bytes = 0;
  }
  if (rows.length > 0) yield rows;
}

/** Reads the records of an archive. */
class ArchiveRecordReader {
  private readonly zstd: ZstdDecompress;
  private readonly chunks: AsyncIterator<Buffer>;
  private readonly digest: Hash = createHash('sha256');
  private readonly maxBytes: number;
  private buffered: Buffer = Buffer.alloc(0);
  private bytes = 0;
  private compressedBytes = 0;

  constructor(path: string, maxBytes: number) {
    this.maxBytes = maxBytes;
    this.zstd = createZstdDecompress();
    // If reading, decompression or any other stage fails, the iteration of `chunks` throws its error.
    const count = (bytes: number) => {
      this.compressedBytes += bytes;
    };
    pipeline(
      createReadStream(path),
      (chunks) => stripMagic(chunks, count),
      this.zstd,
      () => {},
    );
    this.chunks = this.zstd[Symbol.asyncIterator]();
  }

  /** Returns the kind of the next record without consuming it. */
  async peekRecordKind(): Promise<number> {
    await this.fillBuffer(RECORD_HEAD_BYTES);
    return this.buffered.readUInt8(0);
  }

  /** Consumes the next record and returns its content. */
  async takeRecord(kind: number, maxBytes: number): Promise<Buffer> {
    if ((await this.peekRecordKind()) !== kind) throw createDamagedArchiveError('a record has the wrong kind');
    const length = this.buffered.readUInt32LE(1);
    if (length > maxBytes) throw createDamagedArchiveError('a record is too long');
    await this.fillBuffer(RECORD_HEAD_BYTES + length);
    const record = this.buffered.subarray(0, RECORD_HEAD_BYTES + length);
    this.buffered = this.buffered.subarray(record.length);
    if (kind !== END) this.digest.update(record);
    return record.subarray(RECORD_HEAD_BYTES);
  }

  /** Throws the error of a damaged file if the checksum is wrong or data follows the end. */
  async requireArchiveEnd(): Promise<void> {
    const digest = this.digest.digest();
    if (!(await this.takeRecord(END, DIGEST_BYTES)).equals(digest))
      throw createDamagedArchiveError('its checksum does not match');
    if (this.buffered.length > 0 || (await this.readChunk()) !== null)
      throw createDamagedArchiveError('data follows its end');
    // The decompressor ignores bytes after the compressed data, so their number is compared.
    if (this.zstd.bytesWritten !== this.compressedBytes) throw createDamagedArchiveError('data follows its end');
  }

  close(): void {
    this.zstd.destroy();
  }

  /** Reads until `length` bytes are buffered. */
  private async fillBuffer(length: number): Promise<void> {
    if (this.buffered.length >= length) return;
    const parts = [this.buffered];
    for (let buffered = this.buffered.length; buffered < length; ) {
      const chunk = await this.readChunk();
      if (chunk === null) throw createDamagedArchiveError('it is truncated');
      parts.push(chunk);
      buffered += chunk.length;
    }
    this.buffered = Buffer.concat(parts);
  }

  /** The next decompressed bytes; null at the end. Throws the error of a damaged file. */
  private async readChunk(): Promise<Buffer | null> {
    let read: IteratorResult<Buffer>;
    try {
      read = await this.chunks.next();
    } catch (error) {
      throw toDamageError(error);
    }
    if (read.done) return null;
    this.bytes += read.value.length;
    if (this.bytes > this.maxBytes) throw createDamagedArchiveError('its content exceeds the limit');
    return read.value;
  }
}

/** Removes the magic bytes. `count`: receives the size of each chunk that is passed on. */
async function* stripMagic(chunks: AsyncIterable<Buffer>, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  const length = MAGIC.length + 1;
  let start: Buffer | null = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (start === null) {
      count(chunk.length);
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < length) continue;
    if (!start.subarray(0, MAGIC.length).equals(MAGIC)) throw createDamagedArchiveError('it has the wrong signature');
    if (start[MAGIC.length] !== VERSION) {
      throw new StoreError(
        `The file has format version ${start[MAGIC.length]}; this version of Cellwire reads version ${VERSION}`,
        'OTHER_FORMAT',
      );
    }
    count(start.length - length);
    yield start.subarray(length);
    start = null;
  }
  if (start !== null) throw createDamagedArchiveError('it is truncated');
}

/** Converts errors of the decompressor: invalid compressed data means damage; errors of the disk do not. */
function toDamageError(error: unknown): unknown {
  const isCompression = error instanceof Error && 'code' in error && /^(ZSTD|Z_|ERR_)/.test(String(error.code));
  return isCompression ? createDamagedArchiveError(error.message) : error;
}
