import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { StoreError } from '../database/database.ts';
import { type ArchiveHead, END, HEAD, MAGIC, RECORD_HEAD_BYTES, ROW, TABLE, VERSION } from './archive.ts';
import type { OnRows } from './copy.ts';
import { encodeRow } from './row-bytes.ts';
import { countRows, type TransferSource } from './table-shape.ts';

const PRIVATE_FILE = 0o600;
/** Size of the pieces in which records are passed on, in bytes. */
const PIECE_BYTES = 256 * 1024;

type ArchiveHeadInput = Pick<ArchiveHead, 'holds' | 'at' | 'key'>;

/**
 * Writes an archive to a new file, which only this user can access. The file gets its name only when it is complete.
 * Returns its size. Rejects with `StoreError` (`EXISTS`) if the file exists.
 */
export async function writeArchive(
  path: string,
  source: TransferSource,
  head: ArchiveHeadInput,
  onRows: OnRows,
): Promise<number> {
  if (existsSync(path)) throw createExistsError(path);
  const partial = `${path}.partial`;
  const file = await createPartialFile(partial);
  try {
    // A file stream is not used: if it fails, it closes the file itself, and the number of the descriptor may then
    // belong to another file.
    await pipeline(writeRecords(source, head, onRows), createCompressor(), prependMagic, (bytes) =>
      file.writeFile(bytes),
    );
    await file.sync();
    const { size } = await file.stat();
    linkFile(partial, path);
    return size;
  } finally {
    await file.close();
    rmSync(partial, { force: true });
    syncFolder(path);
  }
}

/** Writes an archive to a stream and ends it. Returns the number of written bytes. */
export async function streamArchive(
  stream: Writable,
  source: TransferSource,
  head: ArchiveHeadInput,
  onRows: OnRows,
): Promise<number> {
  let bytes = 0;
  const countBytes = async function* (pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      bytes += piece.length;
      yield piece;
    }
  };
  await pipeline(writeRecords(source, head, onRows), createCompressor(), prependMagic, countBytes, stream);
  return bytes;
}

function createCompressor() {
  return createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}

/**
 * Creates the file that receives the archive until it is complete. Rejects with `StoreError` (`EXISTS`) if it exists.
 */
async function createPartialFile(partialPath: string): Promise<FileHandle> {
  try {
    return await open(partialPath, 'wx', PRIVATE_FILE);
  } catch (error) {
    if (!isFileExistsError(error)) throw error;
    throw new StoreError(
      `${partialPath} is being written, or was left by a killed process: remove it in that case`,
      'EXISTS',
    );
  }
}

function isFileExistsError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/** The bytes that begin every archive, then the compressed data. */
async function* prependMagic(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.concat([MAGIC, Buffer.of(VERSION)]);
  yield* compressed;
}

/** Links a file to another name. Unlike a rename, a link never replaces a file. */
function linkFile(path: string, target: string): void {
  try {
    linkSync(path, target);
  } catch (error) {
    throw isFileExistsError(error) ? createExistsError(target) : error;
  }
}

function createExistsError(path: string): StoreError {
  return new StoreError(`${path} exists already: choose another name`, 'EXISTS');
}

/** Makes the name of the file in its folder durable. */
function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** The records of an archive: head, tables and checksum, before compression. */
async function* writeRecords(source: TransferSource, head: ArchiveHeadInput, onRows: OnRows): AsyncGenerator<Buffer> {
  const digest = createHash('sha256');
  let pieces: Buffer[] = [];
  let bytes = 0;
  const addRecord = (kind: number, content: Buffer): void => {
    const start = Buffer.allocUnsafe(RECORD_HEAD_BYTES);
    start.writeUInt8(kind, 0);
    start.writeUInt32LE(content.length, 1);
    pieces.push(start, content);
    bytes += start.length + content.length;
  };
  const takePieces = (): Buffer => {
    const piece = Buffer.concat(pieces);
    pieces = [];
    bytes = 0;
    digest.update(piece);
    return piece;
  };
  const { migrations, tables, serials, counts } = source;
  const total = countRows(source);
  addRecord(HEAD, encodeJson({ ...head, migrations, tables, serials, counts }));
  let done = 0;
  for (const table of tables) {
    addRecord(TABLE, Buffer.from(table.name));
    for await (const rows of source.rows(table)) {
      for (const row of rows) {
        addRecord(ROW, encodeRow(row));
        if (bytes >= PIECE_BYTES) yield takePieces();
      }
      done += rows.length;
      onRows(done, total);
    }
  }
  yield takePieces();
  addRecord(END, digest.copy().digest());
  yield Buffer.concat(pieces);
}

function encodeJson(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
