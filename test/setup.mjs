// Loaded before every test file, and by the threads and processes that tests start. Plain JavaScript: TypeScript would
// have to be stripped before the cache is there that spares it.
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

// What calculation threads do when they start: it is a setting of the process, and V8 takes no compiled code from
// processes with other settings. For the same reason what is kept here is not for the command, which keeps its own.
setFlagsFromString('--expose-gc');
// Most of what a process of tests would do is to strip and compile the same modules again.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)));

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
