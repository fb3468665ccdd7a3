// Shortens the start: keeps compiled code between starts, and resolves imports without reading folders. It runs before any
// other module of the service is loaded.
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// V8 rejects compiled code of a process with other flags, and Node then overwrites it. The flags must therefore be set
// before modules load and threads start. Before the cache is in use, this file must not import TypeScript: to strip the
// types of a single module, Node loads a compiler, which takes 44 ms of processor time and 22 MiB.

// Defines `gc` in contexts created later. A running process has no other access to V8's collector.
setFlagsFromString('--expose-gc');

// With the cache, types are stripped and modules are compiled once, not at every command and in every thread: the start
// takes less than half of the time. Threads do not inherit the cache, but read the variable. If the folder cannot be
// written, the service runs without a cache.
const CACHE = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url));
process.env.NODE_COMPILE_CACHE ??= CACHE;
module.enableCompileCache(CACHE);

// Node resolves a relative import by reading folders and package.json files, which takes a quarter of the time to start.
// Relative imports here name the file with its extension, so the address of the import is the address of the file. The
// same is true for relative imports of `.js` files in packages of ES modules, which Node cannot resolve without extension.
const FORMATS = new Map([
  ['.ts', 'module-typescript'],
  ['.mjs', 'module'],
]);
/** Addresses of `.js` files that are ES modules. */
const moduleUrls = new Set();
/** The folder of our packages. A package's name resolves to the same file in all files of one of them. */
const PACKAGES = new URL('../../', import.meta.url).href;
/** Resolved imports of packages, by folder in `PACKAGES` and name. */
const packageImports = new Map();
module.registerHooks({
  resolve(specifier, context, next) {
    const { parentURL, conditions } = context;
    const isImport = parentURL?.startsWith('file:') === true && conditions.includes('import');
    if (!isImport) return next(specifier, context);
    if (!specifier.startsWith('.')) return resolvePackage(specifier, context, next);
    const format = findFormat(specifier, parentURL);
    const resolved =
      format === undefined
        ? next(specifier, context)
        : { url: new URL(specifier, parentURL).href, format, shortCircuit: true };
    return rememberModule(resolved);
  },
});

/** Resolves the import of a package or of a module of Node. */
function resolvePackage(specifier, context, next) {
  if (specifier.startsWith('node:')) return { url: specifier, format: 'builtin', shortCircuit: true };
  const { parentURL } = context;
  // A dependency installed inside of our package may get another version of the same name.
  const isOurs = parentURL.startsWith(PACKAGES) && !parentURL.includes('/node_modules/', PACKAGES.length);
  if (!isOurs) return rememberModule(next(specifier, context));
  const key = `${parentURL.slice(PACKAGES.length, parentURL.indexOf('/', PACKAGES.length))} ${specifier}`;
  const known = packageImports.get(key);
  if (known !== undefined) return { ...known, shortCircuit: true };
  const resolved = rememberModule(next(specifier, context));
  packageImports.set(key, resolved);
  return resolved;
}

function rememberModule(resolved) {
  if (resolved.format === 'module' && resolved.url.endsWith('.js')) moduleUrls.add(resolved.url);
  return resolved;
}

/** The format of the file of a relative import; undefined if Node must find the file. */
function findFormat(specifier, parentUrl) {
  if (specifier.endsWith('.js')) return moduleUrls.has(parentUrl) ? 'module' : undefined;
  return FORMATS.get(specifier.slice(specifier.lastIndexOf('.')));
}
