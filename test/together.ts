import { relative } from 'node:path';
import { suite } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Milliseconds for a file's tests, all together, and for each of them: what has not ended by then hangs. */
const FILE_MS = 600_000;

/** Runs test files one after another, each as a suite of its own: what it sets up ends before the next one is loaded. */
export async function runFiles(urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    await suite(relative(ROOT, fileURLToPath(url)), { timeout: FILE_MS }, async () => {
      await import(url);
    });
  }
}
