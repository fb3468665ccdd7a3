import { closeSync, openSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join, relative } from 'node:path';
import { suite } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Seconds since 1970-01-01 UTC from which no file is begun any more: it is left out, and the report says so. */
const BEGIN_UNTIL = Number(process.env['BEGIN_UNTIL'] ?? Number.POSITIVE_INFINITY);

/** Milliseconds for a file's tests, all together, and for each of them: what has not ended by then hangs. */
const FILE_MS = 600_000;
/** Milliseconds that the process may go on after its last file: what such a test left open would hold the run up. */
const END_MS = 60_000;

/**
 * Runs test files one after another, each as a suite of its own: what it sets up ends before the next one is loaded.
 * Processes that are given the same files and folder divide them: each takes the next that none has begun.
 */
export async function runFiles(urls: readonly string[], folder: string): Promise<void> {
  for (const url of urls) {
    const path = relative(ROOT, fileURLToPath(url));
    if (!isFirst(join(folder, path.replaceAll(/[\\/]/g, '+')))) continue;
    const skip = Date.now() / 1000 > BEGIN_UNTIL && 'there was no time left';
    await suite(path, { timeout: FILE_MS, skip }, async () => {
      await import(url);
      flushOnce();
    });
  }
  setTimeout(() => {
    console.error(`A test has left open: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit(1);
  }, END_MS).unref();
}

let isFlushed = false;

/**
 * Keeps what loading the first file has compiled, for the threads and processes that tests start: by itself a process
 * keeps it when it ends, and in a fresh checkout each of them would strip and compile the service anew.
 */
function flushOnce(): void {
  if (isFlushed) return;
  isFlushed = true;
  flushCompileCache();
}

/** Creates a file; false if it exists. */
function isFirst(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx'));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
