// Loaded before everything else of the service: what compiled code fits to, and where it is kept.
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { exposeCollector, limitHeapGrowth } from '@cellwire/event-loop/heap';

// V8 takes no compiled code from a process with other settings, and Node then keeps the newer in place of the older:
// settings that change while modules load, or before threads start, have all of them compiled anew at every start.
limitHeapGrowth();
exposeCollector();

// Types are stripped and modules compiled once, not at every command and in every thread: it more than halves the time
// to start. Threads read the environment, and don't take over what the process does for itself. Where the folder cannot
// be written, nothing is kept and everything runs.
const CACHE = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url));
process.env.NODE_COMPILE_CACHE ??= CACHE;
module.enableCompileCache(CACHE);

// Node's own resolution of a relative import reads folders and package.json files: a quarter of the time to start. The
// files next to a module are named exactly, with their extension, so the address of the import is the address of the file.
const FORMATS = new Map([
  ['.ts', 'module-typescript'],
  ['.mjs', 'module'],
]);
module.registerHooks({
  resolve(specifier, context, next) {
    const { parentURL, conditions } = context;
    const format = specifier.startsWith('.') ? FORMATS.get(specifier.slice(specifier.lastIndexOf('.'))) : undefined;
    if (format === undefined || !parentURL?.startsWith('file:') || !conditions.includes('import')) {
      return next(specifier, context);
    }
    return { url: new URL(specifier, parentURL).href, format, shortCircuit: true };
  },
});
