import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { pause } from './slices.ts';

/** The specifiers of a module's static imports and re-exports, without types, whose imports are erased. */
const STATIC_IMPORT =
  /(?:^|[;}])\s*(?:(?:import|export)\b(?!\s+type\b)[^'"`();]*?\bfrom|import)\s*(['"])([^'"\n]+)\1/gm;

/** The modules that are probably not loaded yet. The search for imports does not look into others. */
interface UnloadedModules {
  /** A folder of the program; its modules are loaded one by one. */
  readonly folder: URL;
  /** Resolves the import of a package, like `import.meta.resolve`. Null: the package is loaded already. */
  resolvePackage(specifier: string): string | null;
}

/**
 * Loads a module and everything it imports, in slices. `import()` alone reads, compiles and runs all of them in one
 * stretch, during which a service answers nothing. A module that the search misses is loaded together with the module
 * that imports it.
 */
export async function loadGradually(module: URL, unloaded: UnloadedModules): Promise<void> {
  for (const url of await listModules(module.href, unloaded)) {
    await import(url);
    await pause();
  }
}

/** Lists a module and the unloaded modules that it imports statically, each after its own imports. */
async function listModules(root: string, unloaded: UnloadedModules): Promise<readonly string[]> {
  const listed: string[] = [];
  const seen = new Set([root]);
  const open = [{ url: root, imports: await listImports(root, unloaded) }];
  for (let module = open.at(-1); module !== undefined; module = open.at(-1)) {
    const next = module.imports.shift();
    if (next === undefined) {
      listed.push(module.url);
      open.pop();
      continue;
    }
    if (seen.has(next)) continue;
    seen.add(next);
    const imports = await listImports(next, unloaded).catch(() => null);
    if (imports !== null) open.push({ url: next, imports });
    await pause();
  }
  return listed;
}

/** The addresses of a module's static imports that `resolveImport` finds. Rejects if there is no such file. */
async function listImports(url: string, unloaded: UnloadedModules): Promise<string[]> {
  const text = await readFile(fileURLToPath(url), 'utf8');
  return Array.from(text.matchAll(STATIC_IMPORT), ([, , specifier = '']) =>
    resolveImport(specifier, url, unloaded),
  ).filter((address) => address !== null);
}

/** The address of an imported module. Null: the module is part of Node, loaded already, or cannot be resolved here. */
function resolveImport(specifier: string, parent: string, { folder, resolvePackage }: UnloadedModules): string | null {
  if (specifier.startsWith('.')) {
    const { href } = new URL(specifier, parent);
    const isOfProgram = parent.startsWith(folder.href);
    return isOfProgram && !href.startsWith(folder.href) ? null : href;
  }
  try {
    const url = resolvePackage(specifier);
    return url?.startsWith('file:') ? url : null;
  } catch {
    return null;
  }
}
