import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import yauzl, { type ZipFile } from 'yauzl';
import { CHUNK_BYTES } from '../limits/limits.ts';

/**
 * The end record of a zip archive: its signature, its length without the comment, and the offsets of two of its fields:
 * the length of the comment and the length of the directory.
 */
const END_SIGNATURE = Buffer.from('PK\x05\x06');
const END_LENGTH = 22;
const COMMENT_LENGTH_AT = 20;
const DIRECTORY_LENGTH_AT = 12;
/**
 * Number of bytes at the end of a file in which the end record is searched: the longest comment, and as many bytes
 * after the archive.
 */
const TAIL_BYTES = 128 * 1024;

const OPTIONS = { lazyEntries: true, autoClose: false, validateEntrySizes: false, decodeStrings: false } as const;

/** An open archive, and a function that closes its file even if streams are still open. */
interface ZipArchive {
  readonly zip: ZipFile;
  readonly close: () => Promise<void>;
}

/**
 * Opens a zip archive. The file may contain other bytes after the archive, because some programs append them. Names of
 * entries are returned as bytes.
 */
export async function openArchive(path: string): Promise<ZipArchive> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const end = await findArchiveEnd(file, size);
    const zip = await yauzl.fromRandomAccessReaderPromise(new ArchiveFileReader(file), end, OPTIONS);
    return { zip, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Returns the offset of the end of the archive. If there is no end record, returns the file's size; the library then
 * reports the error.
 */
async function findArchiveEnd(file: FileHandle, size: number): Promise<number> {
  const start = Math.max(0, size - TAIL_BYTES);
  const tail = Buffer.alloc(size - start);
  await file.read(tail, 0, tail.length, start);
  for (
    let at = tail.lastIndexOf(END_SIGNATURE);
    at >= 0;
    at = at === 0 ? -1 : tail.lastIndexOf(END_SIGNATURE, at - 1)
  ) {
    if (at + END_LENGTH > tail.length) continue;
    const end = start + at + END_LENGTH + tail.readUInt16LE(at + COMMENT_LENGTH_AT);
    const directory = tail.readUInt32LE(at + DIRECTORY_LENGTH_AT);
    // Bytes of a comment may look like an end record. A real end record comes after the directory, so that its offset
    // is at least the directory's length.
    const isRecord = end <= size && (directory <= start + at || directory === 0xff_ff_ff_ff);
    if (isRecord) return end;
  }
  return size;
}

type ReadCallback = (error: Error | null) => void;

/** Gives the library access to the file, limited to the archive. */
class ArchiveFileReader extends yauzl.RandomAccessReader {
  private readonly file: FileHandle;

  constructor(file: FileHandle) {
    super();
    this.file = file;
  }

  override read(buffer: Buffer, offset: number, length: number, position: number, done: ReadCallback): void {
    this.file
      .read(buffer, offset, length, position)
      .then(({ bytesRead }) => done(bytesRead < length ? new Error('it ends too early') : null), done);
  }

  /** The bytes of a range of the file; the zip library calls it. */
  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.readPieces(start, end), { objectMode: false });
  }

  /** Yields the bytes of a part of the file. A stream of the file would close it when the library ends the stream. */
  private async *readPieces(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const piece = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at));
      const { bytesRead } = await this.file.read(piece, 0, piece.length, at);
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  /** Does nothing: the code that opened the archive closes its file. */
  override close(done: ReadCallback): void {
    setImmediate(done, null);
  }
}
