import { closeSync, openSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join, relative } from 'node:path';
import { suite } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Files that have not started by this time (seconds since 1970-01-01 UTC) are reported as skipped. */
const BEGIN_UNTIL = Number(process.env['BEGIN_UNTIL'] ?? Number.POSITIVE_INFINITY);

/** Maximum duration of a file's tests. */
const FILE_TIMEOUT_MS = 600_000;
/** Maximum time between the last file and the end of the process. Open resources of a hanging test would keep it. */
const EXIT_TIMEOUT_MS = 60_000;

/**
 * Runs test files one after another, each as a suite, so that a file's resources are released before the next file is
 * loaded. Processes with the same `folder` share the files: each takes the next file that no process has claimed.
 */
export async function runFiles(urls: readonly string[], folder: string): Promise<void> {
  for (const url of urls) {
    const path = relative(ROOT, fileURLToPath(url));
    if (!claimFile(join(folder, path.replaceAll(/[\\/]/g, '+')))) continue;
    const skip = Date.now() / 1000 > BEGIN_UNTIL && 'there was no time left';
    await suite(path, { timeout: FILE_TIMEOUT_MS, skip }, async () => {
      await import(url);
      flushCacheOnce();
    });
    // A file without time has created none.
    if (skip === false) await removeSchemas();
  }
  setTimeout(() => {
    console.error(`A test has not closed: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit(1);
  }, EXIT_TIMEOUT_MS).unref();
}

/** With `STORE=postgres`, frees the databases of the last file; other files of the process may run for minutes. */
async function removeSchemas(): Promise<void> {
  if (process.env['STORE'] !== 'postgres') return;
  const { removeFolderSchemas } = await import('../packages/store/test/postgres/folder-databases.ts');
  await removeFolderSchemas();
}

let isFlushed = false;

/**
 * Writes the compiled code of the first file to disk, for the threads and processes that tests start. Without this call
 * Node writes it only at exit, and in a fresh checkout each of them would compile the service again.
 */
function flushCacheOnce(): void {
  if (isFlushed) return;
  isFlushed = true;
  flushCompileCache();
}

/** Creates a marker file; false if another process has created it. */
function claimFile(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx'));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
