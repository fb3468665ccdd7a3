import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, Worker, type WorkerOptions, workerData } from 'node:worker_threads';

/** The `code` of `SourcesChangedError`. */
export const SOURCES_CHANGED = 'SOURCES_CHANGED';

/** Files that `scanSources` checks in one turn of the event loop, which takes about 0.2 ms. */
const FILES_PER_SLICE = 50;

/** How long a check that found no change is valid, in milliseconds. */
const CHECK_VALID_MS = 1_000;

/**
 * The program files have changed since this process started, so a new thread would run another version. Restarting the
 * service resolves it.
 */
class SourcesChangedError extends Error {
  readonly code = SOURCES_CHANGED;

  constructor() {
    super('The program files have changed since the start: restart the service');
    this.name = 'SourcesChanged';
  }
}

/** A program file, in its state at the start of the process. */
interface SourceFile {
  readonly path: string;
  /** Inode, size and modification time, as one text. */
  readonly state: string;
}

interface ThreadData {
  readonly sources?: readonly SourceFile[];
}

/**
 * Files with which the current files are compared. The main thread sets them in `rememberSources` and passes them to
 * other threads. Null disables the check.
 */
let remembered: readonly SourceFile[] | null = isMainThread
  ? null
  : ((workerData as ThreadData | null)?.sources ?? null);
let isChanged = false;
let checkedAt = Number.NEGATIVE_INFINITY;

/** Records the current state of all files in the program's folders. Only the first call of a process has an effect. */
export function rememberSources(folders: readonly string[]): void {
  remembered ??= folders.flatMap(listFiles).map(readSourceFile);
}

/** True if an earlier check found a changed or missing program file. After that it stays true. */
export function haveSourcesChanged(): boolean {
  return isChanged;
}

/** Checks all program files, a few in each turn of the event loop. */
export async function scanSources(): Promise<void> {
  const files = remembered ?? [];
  for (let from = 0; from < files.length && !isChanged; from += FILES_PER_SLICE) {
    isChanged = files.slice(from, from + FILES_PER_SLICE).some(hasChanged);
    await new Promise(setImmediate);
  }
}

/** Throws `SourcesChangedError` if the program files differ from the version that this process runs. */
export function assertSourcesUnchanged(): void {
  if (!isChanged && remembered !== null && performance.now() - checkedAt >= CHECK_VALID_MS) {
    isChanged = remembered.some(hasChanged);
    checkedAt = performance.now();
  }
  if (isChanged) throw new SourcesChangedError();
}

/** True if the file was changed, replaced or deleted since it was read. */
function hasChanged({ path, state }: SourceFile): boolean {
  return readFileState(path) !== state;
}

/** Starts a thread. Throws `SourcesChangedError` if the thread would run another version than this process. */
export function startThread(url: URL, options: WorkerOptions = {}): Worker {
  assertSourcesUnchanged();
  return new Worker(url, { ...options, workerData: { ...options.workerData, sources: remembered ?? undefined } });
}

/**
 * Returns a function that loads a module at its first call. A call throws `SourcesChangedError` if the module would be
 * of another version than this process.
 */
export function loadAtFirstUse<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | null = null;
  return async () => {
    if (loaded !== null) return loaded;
    assertSourcesUnchanged();
    loaded = load();
    loaded.catch(() => {
      loaded = null;
    });
    return loaded;
  };
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

function readSourceFile(path: string): SourceFile {
  return { path, state: readFileState(path) };
}

/** A text that changes when the file does: inode, size and time of modification. */
function readFileState(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 'missing' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}
