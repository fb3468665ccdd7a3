import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, Worker, type WorkerOptions, workerData } from 'node:worker_threads';

/** The code of `SourcesChanged`. */
export const SOURCES_CHANGED = 'SOURCES_CHANGED';

/** So many files are looked at in one turn of the event loop: a fifth of a millisecond. */
const FILES_PER_SLICE = 50;

/** A check that found nothing holds for so long, in milliseconds. */
const CHECK_VALID_MS = 1_000;

/**
 * A thread would load other program files than those that this process runs: they have changed since the start. The
 * remedy is a restart.
 */
export class SourcesChangedError extends Error {
  readonly code = SOURCES_CHANGED;

  constructor() {
    super('The program files have changed since the start: restart the service');
    this.name = 'SourcesChanged';
  }
}

/** A program file as it was when the process started. */
interface SourceFile {
  readonly path: string;
  /** Inode, size and time of the last change, as one text. */
  readonly state: string;
}

interface ThreadData {
  readonly sources?: readonly SourceFile[];
}

/** Of the main thread: since `rememberSources`; of another: what the main thread remembers. Null: nothing is checked. */
let remembered: readonly SourceFile[] | null = isMainThread
  ? null
  : ((workerData as ThreadData | null)?.sources ?? null);
let isChanged = false;
let checkedAt = Number.NEGATIVE_INFINITY;

/** Remembers the files of the program's folders as they are, once a process: `haveSourcesChanged` compares with them. */
export function rememberSources(folders: readonly string[]): void {
  remembered ??= folders.flatMap(listFiles).map(readSourceFile);
}

/** Whether a look has found that a program file is another one than at the start, or gone. It stays so. */
export function haveSourcesChanged(): boolean {
  return isChanged;
}

/** Looks at all program files, a few at a time: nobody waits for it. */
export async function scanSources(): Promise<void> {
  const files = remembered ?? [];
  for (let from = 0; from < files.length && !isChanged; from += FILES_PER_SLICE) {
    isChanged = files.slice(from, from + FILES_PER_SLICE).some(hasChanged);
    await new Promise(setImmediate);
  }
}

/** Throws `SourcesChanged` if code that is loaded now is not of the version that runs. */
export function assertSourcesUnchanged(): void {
  if (!isChanged && remembered !== null && performance.now() - checkedAt >= CHECK_VALID_MS) {
    isChanged = remembered.some(hasChanged);
    checkedAt = performance.now();
  }
  if (isChanged) throw new SourcesChangedError();
}

function hasChanged({ path, state }: SourceFile): boolean {
  return readFileState(path) !== state;
}

/** Starts a thread. Throws `SourcesChanged` if it would run another version than this process. */
export function startThread(url: URL, options: WorkerOptions = {}): Worker {
  assertSourcesUnchanged();
  return new Worker(url, { ...options, workerData: { ...options.workerData, sources: remembered ?? undefined } });
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

function readSourceFile(path: string): SourceFile {
  return { path, state: readFileState(path) };
}

function readFileState(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 'missing' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}
