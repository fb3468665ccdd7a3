import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface Source {
  /** Path relative to the repository, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** The TypeScript files in and below a folder. */
export function listSources(folder: string): readonly Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readSource(join(folder, name)));
}

/**
 * All TypeScript and JavaScript files outside the packages' sources that may import them: tests, benchmarks, scripts.
 */
export function listOtherSources(): readonly Source[] {
  const folders = ['packages/*/{test,scripts,bin}', 'test', 'scripts', 'bench'];
  const paths = globSync(
    folders.map((folder) => `${folder}/**/*.{ts,tsx,mjs}`),
    { cwd: ROOT, exclude: (name) => name === 'node_modules' || name === 'results' },
  );
  return paths.map(readSource);
}

function readSource(path: string): Source {
  return { path: path.split(sep).join('/'), text: readFileSync(join(ROOT, path), 'utf8') };
}

const STATIC_IMPORT = /^(?:import|export)\b[^'"`;]*?from\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]/gm;
const DYNAMIC_IMPORT = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

/** The imports and re-exports of a source, as written. */
export function listImports({ text }: Source): readonly string[] {
  const imports = [...text.matchAll(STATIC_IMPORT), ...text.matchAll(DYNAMIC_IMPORT)];
  return imports.map((match) => match[1] ?? match[2] ?? '');
}

/** Lists the entry points of all packages by name, such as `@cellwire/store/keys`. */
export function listEntryPoints(): ReadonlyMap<string, string> {
  const manifests = readdirSync(join(ROOT, 'packages')).filter((name) =>
    existsSync(join(ROOT, 'packages', name, 'package.json')),
  );
  return new Map(
    manifests.flatMap((folder) => {
      const text = readFileSync(join(ROOT, 'packages', folder, 'package.json'), 'utf8');
      const { name, exports = {} } = JSON.parse(text) as Readonly<{ name: string; exports?: Record<string, string> }>;
      return Object.entries(exports).map(([entry, path]) => [
        `${name}${entry.slice(1)}`,
        join('packages', folder, path).split(sep).join('/'),
      ]);
    }),
  );
}

/** Resolves an import to a file of this repository; null for other packages and Node's modules. */
function resolveImport(
  { path }: Source,
  target: string,
  entries: ReadonlyMap<string, string> = new Map(),
): string | null {
  if (!target.startsWith('.')) return entries.get(target) ?? null;
  return join(dirname(path), target).split(sep).join('/');
}

/** Files in cycles of imports, and the files that import them. */
export function findFilesInCycles(files: readonly Source[]): readonly string[] {
  const targets = new Map(
    files.map((file) => [file.path, listImports(file).map((target) => resolveImport(file, target))] as const),
  );
  // Repeatedly removes files without remaining imports; cycles and their importers remain.
  for (let before = -1; before !== targets.size; ) {
    before = targets.size;
    for (const [path, imported] of targets) {
      if (!imported.some((target) => target !== null && targets.has(target))) targets.delete(path);
    }
  }
  return [...targets.keys()];
}

const DECLARED =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}/gm;

/** Lists the names that a source exports. */
function listExportedNames({ text }: Source): readonly string[] {
  const code = removeComments(text);
  const declared = [...code.matchAll(DECLARED)].map((match) => match[1] ?? '');
  const listed = [...code.matchAll(LISTED)].flatMap((match) => parseNames(match[1] ?? '').map(({ local }) => local));
  return [...declared, ...listed];
}

/** Stands for all exports of a module. */
const ALL = '*';
const NAMED_IMPORT = /^(?:import|export)(?: type)? (?:\w+, )?\{([^}]*)\} from '([^']+)'/gm;
const NAMED_DYNAMIC_IMPORT = /\{([^{}]*)\} = await import\(\s*'([^']+)'/g;
const ALL_EXPORTS = /^export \* from '([^']+)'/gm;
const WHOLE_IMPORT = /^(?:import|export)(?: type)? \*(?: as \w+)? from '([^']+)'/gm;

/** Lists the exports that files import, by the path of their module. A dynamic import may use all exports. */
function listImportedNames(files: readonly Source[], entries: ReadonlyMap<string, string>) {
  const imported = new Map<string, Set<string>>();
  const add = (file: Source, target: string, names: readonly string[]) => {
    const path = resolveImport(file, target, entries);
    if (path === null) return;
    const known = imported.get(path) ?? new Set();
    imported.set(path, known);
    for (const name of names) known.add(name);
  };
  const originals = (list = '') => parseNames(list).map(({ original }) => original);
  for (const file of files) {
    const code = removeComments(file.text);
    for (const [, list, target = ''] of code.matchAll(NAMED_IMPORT)) add(file, target, originals(list));
    for (const [, list = '', target = ''] of code.matchAll(NAMED_DYNAMIC_IMPORT)) {
      add(file, target, originals(list.replaceAll(': ', ' as ')));
    }
    for (const [, target = ''] of code.matchAll(WHOLE_IMPORT)) add(file, target, [ALL]);
    for (const [, target = ''] of code.matchAll(DYNAMIC_IMPORT)) add(file, target, [ALL]);
  }
  return imported;
}

/** `type A, b as c` → the names in the module and in the importing file. */
function parseNames(list: string): readonly { readonly original: string; readonly local: string }[] {
  return list
    .split(',')
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '')
    .map((name) => {
      const [original = '', local = original] = name.split(' as ');
      return { original, local };
    });
}

/** Exports of `files` that none of `importers` imports, as `path: name`. */
export function findUnusedExports(
  files: readonly Source[],
  importers: readonly Source[],
  entries: ReadonlyMap<string, string>,
): readonly string[] {
  const imported = listImportedNames(importers, entries);
  return files.flatMap((file) => {
    const used = imported.get(file.path) ?? new Set();
    if (used.has(ALL)) return [];
    return listExportedNames(file)
      .filter((name) => !used.has(name))
      .map((name) => `${file.path}: ${name}`);
  });
}

/**
 * Names that the importers import but the module does not export, as `path: name`, and imported files that do not exist,
 * as `path`.
 */
export function findMissingExports(
  importers: readonly Source[],
  modules: readonly Source[],
  entries: ReadonlyMap<string, string>,
): readonly string[] {
  const sources = new Map(modules.map((file) => [file.path, file] as const));
  return [...listImportedNames(importers, entries)].flatMap(([path, names]) => {
    const file = sources.get(path);
    if (file === undefined) return existsSync(join(ROOT, path)) ? [] : [path];
    const exported = new Set([ALL, ...listAllExportedNames(file, sources)]);
    return [...names].filter((name) => !exported.has(name)).map((name) => `${path}: ${name}`);
  });
}

/** Lists the names that a source exports, also those that it exports with `export *`. */
function listAllExportedNames(file: Source, sources: ReadonlyMap<string, Source>): readonly string[] {
  const others = [...file.text.matchAll(ALL_EXPORTS)].map(([, target = '']) =>
    sources.get(resolveImport(file, target) ?? ''),
  );
  const names = others.flatMap((other) => (other === undefined ? [] : listAllExportedNames(other, sources)));
  return [...listExportedNames(file), ...names];
}

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*$/gm;

export function removeComments(text: string): string {
  return text.replace(COMMENT, '');
}

/** The comments of a source, without the asterisks that begin their lines. */
export function listComments({ text }: Source): readonly string[] {
  return (text.match(COMMENT) ?? []).map((comment) => comment.replace(/\s*\n\s*\* ?/g, ' '));
}

/** The words of a source's code and quoted texts. */
export function listCodeWords({ text }: Source): ReadonlySet<string> {
  return new Set(removeComments(text).match(/[A-Za-z_$][\w$]*/g));
}
