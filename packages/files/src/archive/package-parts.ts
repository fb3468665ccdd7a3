import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, type Readable, Transform } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { TextMap } from '@cellwire/engine';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { BOMB_BYTES, BOMB_EXPANSION, CHUNK_BYTES, type FileLimits } from '../limits/limits.ts';
import { describeForeignFormat, HEAD_BYTES } from '../outcome/foreign-format.ts';
import { type FileRefusal, isRefusal, refuseFile } from '../outcome/refusal.ts';
import { openArchive } from './zip-archive.ts';

/** The parts of a zip package. As in Excel, names are case-insensitive, and both kinds of slash are accepted. */
export interface PackageParts {
  has(name: string): boolean;
  names(): Iterable<string>;
  /** Unpacked size of a part in bytes; 0 if it is missing. */
  size(name: string): number;
  /** Returns the unpacked content of a part. Refused if the parts read so far exceed the limits. */
  read(name: string): Promise<Readable | FileRefusal>;
  close(): Promise<void>;
}

const NOT_A_WORKBOOK =
  'The file is not an .xlsx workbook (not a zip archive). Save it as “Excel Workbook (.xlsx)” first.';
const DAMAGED = 'The file is damaged: its zip archive cannot be read';

export async function openPackage(path: string, limits: FileLimits): Promise<PackageParts | FileRefusal> {
  const strange = await refuseBySignature(path, limits);
  if (strange) return strange;
  let close = async (): Promise<void> => undefined;
  try {
    const archive = await openArchive(path);
    close = archive.close;
    const parts = await listParts(archive.zip, limits, close);
    if (isRefusal(parts)) await close();
    return parts;
  } catch (error) {
    await close();
    return refuseFile(`${DAMAGED} (${(error as Error).message}).`);
  }
}

async function listParts(
  zip: ZipFile,
  limits: FileLimits,
  close: () => Promise<void>,
): Promise<PackageParts | FileRefusal> {
  if (zip.entryCount > limits.entries) {
    return refuseFile(`The file holds ${zip.entryCount} parts; at most ${limits.entries} are read.`);
  }
  const entries = new TextMap<Entry>();
  const names: string[] = [];
  for await (const entry of zip.eachEntry()) {
    const name = decodeEntryName(entry);
    if (name.endsWith('/')) continue;
    const key = toPartKey(name);
    if (entries.get(key) === undefined) names.push(key);
    entries.set(key, entry);
  }
  const unpacked = { bytes: 0 };
  return {
    has: (name) => entries.get(toPartKey(name)) !== undefined,
    names: () => names,
    size: (name) => entries.get(toPartKey(name))?.uncompressedSize ?? 0,
    read: async (name) => {
      const entry = entries.get(toPartKey(name));
      if (!entry) return refuseFile(`The file is damaged: its part ${name} is missing.`);
      if (entry.isEncrypted()) return refuseFile('The file is encrypted. Save it without a password.');
      const problem = findSizeProblem(entry, entry.uncompressedSize, unpacked.bytes, limits);
      if (problem !== null) return refuseFile(problem);
      try {
        return limitSize(await openUnpackedStream(zip, entry), entry, unpacked, limits);
      } catch (error) {
        return refuseFile(`${DAMAGED} (${(error as Error).message}).`);
      }
    },
    close,
  };
}

const DEFLATED = 8;

/**
 * Returns the unpacked content of an entry. It uses larger chunks than the library, because each chunk costs the parser
 * time.
 */
async function openUnpackedStream(zip: ZipFile, entry: Entry): Promise<Readable> {
  if (entry.compressionMethod !== DEFLATED) return zip.openReadStreamPromise(entry);
  const packed = await zip.openReadStreamPromise(entry, { decompress: false });
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  pipeline(packed, inflate, () => undefined);
  return inflate;
}

/** The name of an entry as a text. Names are only used as keys, so leading slashes and `..` are harmless. */
function decodeEntryName({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  return yauzl.getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
}

/** The name in the form in which parts are compared: lower case, with slashes, without a leading one. */
function toPartKey(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();
}

/** The problem with an unpacked size of `bytes`, after `before` bytes of other parts; null if there is none. */
function findSizeProblem(entry: Entry, bytes: number, before: number, limits: FileLimits): string | null {
  const bomb = bytes > BOMB_BYTES && bytes > entry.compressedSize * BOMB_EXPANSION;
  if (!bomb && before + bytes <= limits.unpackedBytes) return null;
  const megabytes = Math.ceil((before + bytes) / 1024 / 1024);
  return `The file unpacks to ${megabytes} MB or more, which is not what a workbook does. It is not read.`;
}

/**
 * Limits the number of bytes of an entry. Counts the actual bytes, because declared sizes may be wrong, by mistake or
 * on purpose.
 */
function limitSize(source: Readable, entry: Entry, unpacked: { bytes: number }, limits: FileLimits): Readable {
  const before = unpacked.bytes;
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      unpacked.bytes += chunk.length;
      const problem = findSizeProblem(entry, bytes, before, limits);
      if (problem === null) done(null, chunk);
      else done(new Error(problem));
    },
  });
  // The reader of the returned stream receives its errors.
  pipeline(source, count, () => undefined);
  return count;
}

const TEXT_FILE =
  'The file is not an .xlsx workbook but a text file, such as CSV. Rename it to .csv, or send it as text/csv.';
/** Signature of compound files: .xls and password-protected .xlsx. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ZIP = Buffer.from('PK');
/** Number of bytes of a compound file's directory that are searched for the names of its streams. */
const DIRECTORY_BYTES = 4096;

/** Recognises files that are often mistaken for workbooks by their first bytes. */
async function refuseBySignature(path: string, limits: FileLimits): Promise<FileRefusal | null> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > limits.fileBytes) {
      return refuseFile(`The file has ${size} bytes; at most ${limits.fileBytes} are read. Split it or save it again.`);
    }
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    if (bytesRead === 0) return refuseFile('The file is empty.');
    if (head.subarray(0, ZIP.length).equals(ZIP)) return null;
    if (await isEncryptedWorkbook(file, head)) {
      return refuseFile(
        'The workbook is protected by a password. Open it in a spreadsheet program and save it without one.',
      );
    }
    const start = head.subarray(0, bytesRead);
    return refuseFile(describeForeignFormat(start, false) ?? (start.includes(0) ? NOT_A_WORKBOOK : TEXT_FILE));
  } finally {
    await file.close();
  }
}

/**
 * True if a compound file contains an encrypted workbook. `head`: the first `HEAD_BYTES` bytes of the file, with zeros
 * after its end.
 */
async function isEncryptedWorkbook(file: FileHandle, head: Buffer): Promise<boolean> {
  if (!head.subarray(0, COMPOUND_FILE.length).equals(COMPOUND_FILE)) return false;
  const sector = 2 ** Math.min(head.readUInt16LE(30), 16);
  const directory = Buffer.alloc(DIRECTORY_BYTES);
  await file.read(directory, 0, DIRECTORY_BYTES, (head.readUInt32LE(48) + 1) * sector);
  return directory.includes(Buffer.from('EncryptedPackage', 'utf16le'));
}
