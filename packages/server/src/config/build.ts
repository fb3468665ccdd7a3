import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Version and commit of the running service. */
export interface Build {
  readonly version: string;
  /** The commit from which it was built, in hex; `unknown` outside of a checkout and a release. */
  readonly commit: string;
}

/** Folder of the server's package, in a checkout and in a release. */
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));
const CHECKOUT = join(PACKAGE, '..', '..');
const UNKNOWN = 'unknown';
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

let cachedBuild: Build | null = null;

/** Reads the build once and caches it, because the files may be replaced by another version later. */
export function readBuild(): Build {
  cachedBuild ??= readReleaseBuild() ?? {
    version: readVersion(join(PACKAGE, 'package.json')),
    commit: readCommit(CHECKOUT),
  };
  return cachedBuild;
}

/** Formats a build for people. */
export function formatBuild({ version, commit }: Build): string {
  return `${version} (${commit})`;
}

/** The build file that `npm run release` and the image write; null: this is a checkout. */
function readReleaseBuild(): Build | null {
  const text = readTextOrNull(join(PACKAGE, 'build.json'));
  if (text === null) return null;
  const { version, commit } = JSON.parse(text) as Build;
  return { version, commit: COMMIT.test(commit) ? commit : UNKNOWN };
}

function readVersion(file: string): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}

/** Reads the commit of a checkout from git's files, so that git need not be installed. */
function readCommit(checkout: string): string {
  const folder = findGitFolder(join(checkout, '.git'));
  const head = readTextOrNull(join(folder, 'HEAD')) ?? '';
  if (COMMIT.test(head)) return head;
  const name = /^ref: (\S+)$/.exec(head)?.[1];
  if (name === undefined) return UNKNOWN;
  // In a worktree, branches are stored in the folder of the main repository.
  const common = readTextOrNull(join(folder, 'commondir'));
  const places = common === null ? [folder] : [folder, resolve(folder, common)];
  const found = places
    .map((place) => readTextOrNull(join(place, name)) ?? readPackedRef(place, name))
    .find((text) => text !== null);
  return found !== undefined && found !== null && COMMIT.test(found) ? found : UNKNOWN;
}

/** The folder with the data of a checkout. In a worktree, `.git` is a file that contains its path. */
function findGitFolder(path: string): string {
  const worktreeFolder = /^gitdir: (.+)$/.exec(readTextOrNull(path) ?? '')?.[1];
  return worktreeFolder === undefined ? path : resolve(path, '..', worktreeFolder);
}

/** The commit of a Git reference from the file `packed-refs` of a repository; null if the file does not name it. */
function readPackedRef(folder: string, name: string): string | null {
  const line = readTextOrNull(join(folder, 'packed-refs'))
    ?.split('\n')
    .find((one) => one.endsWith(` ${name}`));
  return line?.split(' ')[0] ?? null;
}

/** Null: there is no such file. */
function readTextOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
