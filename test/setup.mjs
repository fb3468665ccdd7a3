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

// Where a relative import leads needs no look at folders and package.json: that is what Node does for each of the
// engine's files in every calculation thread, two fifths of the processor's time that such a thread takes to start.
module.registerHooks({
  resolve(specifier, context, next) {
    const isOurs = specifier.startsWith('.') && specifier.endsWith('.ts') && context.parentURL?.startsWith('file:');
    if (!isOurs) return next(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true };
  },
});

if (isMainThread) {
  await import('./seed.ts');
  await import('./time-limit.ts');
}
