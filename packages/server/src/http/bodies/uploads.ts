import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { FILE_CAPACITY_BYTES, MAX_DRAINED_BODY_BYTES, MAX_UPLOAD_BYTES } from '../../limits/http.ts';
import { ANY_TYPE, CSV_TYPE, TSV_TYPE, XLSX_TYPE } from '../../operations/schemas/content-types.ts';
import { BUSY } from '../../service/refusal.ts';
import { type App, requireCaller } from '../api.ts';
import { sendRefusal } from '../errors.ts';
import { checkEncoding } from './json-body.ts';
import { MemoryBudget } from './memory-budget.ts';

/** Content types of files from which documents are created. */
const TYPES: ReadonlyMap<string, 'csv' | 'excel' | 'any'> = new Map([
  [XLSX_TYPE, 'excel'],
  ['application/vnd.ms-excel.sheet.macroenabled.12', 'excel'],
  [CSV_TYPE, 'csv'],
  [TSV_TYPE, 'csv'],
  // Browsers on Windows also send this type for .csv files.
  ['application/vnd.ms-excel', 'any'],
  [ANY_TYPE, 'any'],
]);

/** A file received as a request body. */
export class ReceivedFile {
  readonly path: string;
  readonly format: 'csv' | 'excel';
  /** Hash of the file's bytes, in hex. */
  readonly hash: string;
  /** According to the content type, fields are separated by tabs. */
  readonly isTabbed: boolean;

  constructor(path: string, format: 'csv' | 'excel', hash: string, isTabbed: boolean) {
    this.path = path;
    this.format = format;
    this.hash = hash;
    this.isTabbed = isTabbed;
  }
}

/** The body exceeds the size limit of files. Answered like the framework's own error of that code. */
class FileTooLargeError extends Error {
  readonly code = 'FST_ERR_CTP_BODY_TOO_LARGE';
}

const PRIVATE_FILE = 0o600;
const FOLDER = 'cellwire-transient-';

/** Deletes the folders of processes that were killed. */
export async function clearTransientFiles(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = /^cellwire-transient-(\d+)-/.exec(name) ?? [];
    const path = join(tmpdir(), name);
    if (pid !== undefined && (await isLeftover(Number(pid), path))) await rm(path, { recursive: true, force: true });
  }
}

/**
 * True if no running process uses the folder. In a container every process has the same id, so a folder older than this
 * process is a leftover, too.
 */
async function isLeftover(pid: number, path: string): Promise<boolean> {
  if (pid !== process.pid) return !isRunning(pid);
  const stats = await stat(path).catch(() => null);
  return stats !== null && stats.birthtimeMs < performance.timeOrigin;
}

/** True if a process with this id exists, also one of another user. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Uploaded and downloaded files, on disk instead of in memory. Each exists until its request is answered. */
export class TransientFiles {
  private readonly room = new MemoryBudget(FILE_CAPACITY_BYTES);
  private folder: Promise<string> | null = null;

  /** A path for a file that is deleted when the answer is complete or the connection has closed. */
  async createTransientPath({ raw }: FastifyReply): Promise<string> {
    this.folder ??= mkdtemp(join(tmpdir(), `${FOLDER}${process.pid}-`));
    const path = join(await this.folder, randomUUID());
    const deleteFile = () => void rm(path, { force: true });
    raw.once('close', deleteFile);
    if (raw.destroyed) deleteFile();
    return path;
  }

  /** Reserves disk space for a request's file; false if there is none. */
  reserveSpace(request: FastifyRequest, bytes: number, { raw }: FastifyReply): boolean {
    return this.room.admitBytes(requireCaller(request).userId, raw, bytes, raw);
  }

  async close(): Promise<void> {
    if (this.folder !== null) await rm(await this.folder, { recursive: true, force: true });
  }
}

/** Lets a scope's routes accept files: `request.body` is then a `ReceivedFile`. */
export function acceptFiles(scope: App): void {
  const replies = new WeakMap<FastifyRequest, FastifyReply>();
  scope.addHook('onRequest', (request, reply, done) => {
    replies.set(request, reply);
    done();
  });
  scope.addHook('preParsing', async (request, reply, payload) => {
    if (!isFile(request)) return payload;
    const { 'content-length': length } = request.headers;
    const bytes = length === undefined ? MAX_UPLOAD_BYTES : Number(length);
    if (bytes > MAX_UPLOAD_BYTES) {
      if (bytes > MAX_DRAINED_BODY_BYTES) reply.header('connection', 'close');
      throw new FileTooLargeError();
    }
    if (scope.files.reserveSpace(request, bytes, reply)) return payload;
    sendRefusal(reply, BUSY);
    return payload;
  });
  scope.addContentTypeParser([...TYPES.keys()], async (request: FastifyRequest, payload: RequestPayload) => {
    checkEncoding(request);
    const reply = replies.get(request);
    if (reply === undefined) throw new Error('a file comes before its request');
    const path = await scope.files.createTransientPath(reply);
    const hash = createHash('sha256');
    await receiveFile(payload as Readable, path, (piece) => hash.update(piece));
    return new ReceivedFile(
      path,
      await detectFileFormat(request, path),
      hash.digest('hex'),
      parseMediaType(request) === TSV_TYPE,
    );
  });
}

function parseMediaType({ headers }: FastifyRequest): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** The kind of file that the request's media type names; undefined if the body is not a file. */
function findUploadType(request: FastifyRequest) {
  return TYPES.get(parseMediaType(request));
}

/** True if the media type of the request is one of a file. */
function isFile(request: FastifyRequest): boolean {
  return findUploadType(request) !== undefined;
}

/**
 * Writes a body to a file. If that fails, for example because the disk is full, the rest of the body is read and
 * dropped: a client whose request is destroyed would not see the answer.
 */
async function receiveFile(payload: Readable, path: string, onPiece: (piece: Buffer) => void): Promise<void> {
  let bytes = 0;
  try {
    const file = await open(path, 'w', PRIVATE_FILE);
    try {
      for await (const piece of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        bytes += piece.length;
        if (bytes > MAX_UPLOAD_BYTES) throw new FileTooLargeError();
        onPiece(piece);
        await file.writeFile(piece);
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    payload.resume();
    // Deletes the file before the answer, so that its space is free for the next upload.
    await rm(path, { force: true });
    throw error;
  }
}

/** First bytes of zip archives, and of the binary files of older Excel versions. */
const EXCEL_STARTS = [Buffer.from('PK\u0003\u0004', 'latin1'), Buffer.from('d0cf11e0', 'hex')];

/** The format by the media type or, if it names none, by the first four bytes of the file. */
async function detectFileFormat(request: FastifyRequest, path: string): Promise<'csv' | 'excel'> {
  const type = findUploadType(request);
  if (type === 'csv' || type === 'excel') return type;
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return EXCEL_STARTS.some((start) => start.equals(buffer)) ? 'excel' : 'csv';
  } finally {
    await file.close();
  }
}
