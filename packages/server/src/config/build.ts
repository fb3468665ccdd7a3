import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Which build of the service this is. */
export interface Build {
  readonly version: string;
  /** The commit that it was made from, in hex; `unknown` outside a checkout and a release. */
  readonly commit: string;
}

/** The package of the server, in a checkout and in a release. */
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));
const CHECKOUT = join(PACKAGE, '..', '..');
const UNKNOWN = 'unknown';
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

let known: Build | null = null;

/** Read once: the files may be those of another version later. */
export function buildOf(): Build {
  known ??= releasedBuild() ?? { version: versionOf(join(PACKAGE, 'package.json')), commit: commitOf(CHECKOUT) };
  return known;
}

/** As people read it. */
export function buildText({ version, commit }: Build): string {
  return `${version} (${commit})`;
}

/** What `npm run release` and the image leave beside the program; null: this is a checkout. */
function releasedBuild(): Build | null {
  const text = textOf(join(PACKAGE, 'build.json'));
  if (text === null) return null;
  const { version, commit } = JSON.parse(text) as Build;
  return { version, commit: COMMIT.test(commit) ? commit : UNKNOWN };
}

function versionOf(file: string): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}

/** The commit that a checkout is at, as git's own files say: git need not be installed. */
function commitOf(checkout: string): string {
  const folder = gitFolder(join(checkout, '.git'));
  const head = textOf(join(folder, 'HEAD')) ?? '';
  if (COMMIT.test(head)) return head;
  const name = /^ref: (\S+)$/.exec(head)?.[1];
  if (name === undefined) return UNKNOWN;
  // Of a worktree: branches are kept in the repository's own folder.
  const common = textOf(join(folder, 'commondir'));
  const places = common === null ? [folder] : [folder, resolve(folder, common)];
  const found = places
    .map((place) => textOf(join(place, name)) ?? packedRef(place, name))
    .find((text) => text !== null);
  return found !== undefined && found !== null && COMMIT.test(found) ? found : UNKNOWN;
}

/** Of a worktree `.git` is a file that names it. */
function gitFolder(path: string): string {
  const named = /^gitdir: (.+)$/.exec(textOf(path) ?? '')?.[1];
  return named === undefined ? path : resolve(path, '..', named);
}

function packedRef(folder: string, name: string): string | null {
  const line = textOf(join(folder, 'packed-refs'))
    ?.split('\n')
    .find((one) => one.endsWith(` ${name}`));
  return line?.split(' ')[0] ?? null;
}

/** Null: there is no such file. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
