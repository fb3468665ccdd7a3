import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { listOtherSources, listSources, removeComments } from './sources.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Pages that contain names of the code. */
const PAGES = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'bench/README.md', ...globSync('docs/**/*.md', { cwd: ROOT })];

/** Names of other programs and formats. */
const FOREIGN_NAMES: ReadonlySet<string> = new Set([
  'PGPASSWORD',
  'SQLITE_CORRUPT',
  '_x0001_',
  '_xD83D_',
  'data_checksums',
  'log_min_messages',
  'pg_dump',
  'pg_monitor',
  'process_open_fds',
]);

/** Files of other programs, and files that a user or a command creates. */
const FOREIGN_PATHS: ReadonlySet<string> = new Set(['.cursor/mcp.json', '.vscode/mcp.json']);

const CODE_SPAN = /`([^`\n]+)`/g;
const PATH = /^@?[\w.-]+(?:\/[\w.-]+)+$/;
const SOURCE_FILE = /\.(?:ts|tsx|mjs|cjs|js|py|json|md|css|yaml|yml|conf)$/;
/** A type, or an identifier of several words: `Snapshot`, `applyChange`, `MAX_ROWS`. */
const CODE_NAME = /^(?:[A-Z][a-z]+|\w*[a-z]\w*[A-Z]\w*|\w*[a-zA-Z]_\w+|_\w+_)$/;
/** A step in “the life of a write” or “the life of a read”. */
const STEP = /^ {6,}(\w[\w-]*\/[\w/-]+) {2}/gm;

/** Source files besides TypeScript and JavaScript. */
const OTHER_SOURCES = ['openapi.json', 'clients/python/**/*.py', 'deploy/**/*.{yml,yaml}', '.github/**/*.yml'];

const CODE_FOLDERS = '{packages,clients,test,scripts,bench,deploy,docs}/**';

suite('pages of the documentation', () => {
  const paths = listPathSuffixes();

  test('name only files and folders that exist', () => {
    const missing = PAGES.flatMap((page) =>
      findNamedPaths(page)
        .filter((path) => !paths.has(removeSource(path)) && !FOREIGN_PATHS.has(path))
        .map((path) => `${page}: ${path}`),
    );
    assert.deepEqual(missing, []);
  });

  test('name only identifiers that the code has', () => {
    const names = listIdentifiers();
    const missing = PAGES.flatMap((page) =>
      findCodeSpans(page)
        .filter((span) => CODE_NAME.test(span) && !names.has(span) && !FOREIGN_NAMES.has(span))
        .map((name) => `${page}: ${name}`),
    );
    assert.deepEqual(missing, []);
  });
});

function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function findCodeSpans(page: string): readonly string[] {
  return [
    ...readText(page)
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .matchAll(CODE_SPAN),
  ].map(([, span = '']) => span);
}

/** Paths in a page. Only `ARCHITECTURE.md` contains folders, and files without extensions. */
function findNamedPaths(page: string): readonly string[] {
  const spans = findCodeSpans(page).filter((span) => PATH.test(span) && !span.startsWith('@'));
  if (page !== 'ARCHITECTURE.md') return spans.filter((span) => SOURCE_FILE.test(span));
  return [...spans, ...[...readText(page).matchAll(STEP)].map(([, path = '']) => path)];
}

/** A path without `src` folders, which pages omit. */
function removeSource(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== 'src')
    .join('/');
}

/** Each path of the repository, from each of its folders on, with and without the file extension. */
function listPathSuffixes(): ReadonlySet<string> {
  const exclude = (name: string) => name === 'node_modules' || name === 'dist' || name === '.git';
  const suffixes = new Set<string>();
  for (const path of globSync([CODE_FOLDERS, '*'], { cwd: ROOT, exclude })) {
    const parts = removeSource(path.split(sep).join('/')).split('/');
    for (let from = 0; from < parts.length; from++) {
      const suffix = parts.slice(from).join('/');
      suffixes.add(suffix);
      suffixes.add(suffix.replace(/\.[^./]+$/, ''));
    }
  }
  return suffixes;
}

/** All words of the code, including quoted texts, because names of API members and settings are quoted. */
function listIdentifiers(): ReadonlySet<string> {
  const typed = [
    ...globSync('packages/*/src', { cwd: ROOT }).flatMap((folder) => listSources(folder)),
    ...listOtherSources(),
  ];
  const others = globSync(OTHER_SOURCES, { cwd: ROOT }).map(readText);
  const texts = [...typed.map(({ text }) => removeComments(text)), ...others];
  return new Set(texts.flatMap((text) => text.match(/\w+/g) ?? []));
}
