import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import yauzl, { type ZipFile } from 'yauzl';
import { CHUNK_BYTES } from '../limits/limits.ts';

/** The record at the end of an archive: its signature, its length without the comment, and where that length stands. */
const END_SIGNATURE = Buffer.from('PK\x05\x06');
const END_LENGTH = 22;
const COMMENT_LENGTH_AT = 20;
const DIRECTORY_LENGTH_AT = 12;
/** Bytes at the end of a file that the record is looked for in: the longest comment, and as much after the archive. */
const TAIL_BYTES = 128 * 1024;

const OPTIONS = { lazyEntries: true, autoClose: false, validateEntrySizes: false, decodeStrings: false } as const;

/** An open archive, and what closes its file, whatever streams are still open. */
interface Archive {
  readonly zip: ZipFile;
  readonly close: () => Promise<void>;
}

/** Opens a zip archive, after which other bytes may stand: some programs leave them. Names come as bytes. */
export async function openArchive(path: string): Promise<Archive> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const end = await endOfArchive(file, size);
    const zip = await yauzl.fromRandomAccessReaderPromise(new FileReader(file), end, OPTIONS);
    return { zip, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** One past the last byte of the archive; the file's size where none is found, which the library then says. */
async function endOfArchive(file: FileHandle, size: number): Promise<number> {
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
    // Bytes of a comment may look like the record; one that its directory does not fit before is none.
    const isRecord = end <= size && (directory <= start + at || directory === 0xff_ff_ff_ff);
    if (isRecord) return end;
  }
  return size;
}

type ReadDone = (error: Error | null) => void;

/** The bytes of a file for the library, which is told how many of them are the archive. */
class FileReader extends yauzl.RandomAccessReader {
  private readonly file: FileHandle;

  constructor(file: FileHandle) {
    super();
    this.file = file;
  }

  override read(buffer: Buffer, offset: number, length: number, position: number, done: ReadDone): void {
    this.file
      .read(buffer, offset, length, position)
      .then(({ bytesRead }) => done(bytesRead < length ? new Error('it ends too early') : null), done);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.pieces(start, end), { objectMode: false });
  }

  /** A stream of the file itself would close it as the library ends the stream. */
  private async *pieces(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const piece = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at));
      const { bytesRead } = await this.file.read(piece, 0, piece.length, at);
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  /** Who opened the archive closes its file. */
  override close(done: ReadDone): void {
    setImmediate(done, null);
  }
}
