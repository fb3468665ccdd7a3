// Loaded before every test file, and by the threads and processes that tests start. It is JavaScript, because TypeScript
// would have to be stripped before the compile cache is enabled.
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

// Calculation threads set this flag at their start. It applies to the whole process, and V8 reuses compiled code only
// between processes with equal flags. For the same reason tests and the installed command have separate caches.
setFlagsFromString('--expose-gc');
// Test processes would spend most of their time compiling the same modules.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)));

// Resolves relative imports without reading folders and package.json files: for the engine's many files, Node's own
// resolution is 40 % of the processor time that a calculation thread needs to start.
module.registerHooks({
  resolve(specifier, context, next) {
    const isRelative = specifier.startsWith('.') && specifier.endsWith('.ts') && context.parentURL?.startsWith('file:');
    if (!isRelative) return next(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true };
  },
});

if (isMainThread) {
  await import('./track-tests.mjs');
  await import('./seed.ts');
  await import('./process-timeout.ts');
}
