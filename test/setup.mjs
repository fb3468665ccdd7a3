// Loaded before every test file, and by the threads and processes that tests start. Plain JavaScript: TypeScript would
// have to be stripped before the cache is there that spares it.
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

// Each test file is a process of its own, and most of what it would do is to strip and compile the same modules again.
// Threads do not take over their process's cache; they read the environment.
const CACHE = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url));
process.env.NODE_COMPILE_CACHE ??= CACHE;
module.enableCompileCache(CACHE);

if (isMainThread) {
  await import('./seed.ts');
  await import('./time-limit.ts');
}
