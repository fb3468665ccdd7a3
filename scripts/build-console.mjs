// Builds the browser application where it is missing or older than what it is made of: after every installation (npm's
// `prepare`), and before `npm start`. Plain JavaScript for any Node from 20 on. An installation without the console's
// tools (a part of the workspaces, for an image) leaves it out and says so.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const CONSOLE = join(ROOT, 'packages', 'console');
/** Written last, so that a build that was broken off counts as none. */
const BUILT = join(CONSOLE, 'dist', 'index.html');
const MADE_OF = [
  join(CONSOLE, 'src'),
  join(CONSOLE, 'public'),
  join(CONSOLE, 'functions'),
  join(CONSOLE, 'scripts'),
  join(CONSOLE, 'index.html'),
  join(CONSOLE, 'package.json'),
  join(ROOT, 'openapi.json'),
  join(ROOT, 'docs', 'clients'),
  join(ROOT, 'packages', 'engine', 'src', 'functions'),
];
/** The Node that comes with the packages: it runs TypeScript. */
const NODE = join(ROOT, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

process.exitCode = build();

function build() {
  if (!existsSync(join(CONSOLE, 'src')) || !isStale()) return 0;
  if (!existsSync(NODE) || !existsSync(join(ROOT, 'node_modules', 'vite'))) {
    console.error('The console is not built: its tools are not installed. `npm ci` without --omit brings them.');
    return 0;
  }
  console.error('Building the console …');
  const { status } = spawnSync(NODE, ['scripts/build.ts'], { cwd: CONSOLE, stdio: ['ignore', 2, 2] });
  return status ?? 1;
}

function isStale() {
  const built = timeOf(BUILT);
  return MADE_OF.some((path) => newest(path) > built);
}

/** When a file, or the newest in a folder, was changed; in milliseconds. */
function newest(path) {
  const own = timeOf(path);
  if (own === 0 || !statSync(path).isDirectory()) return own;
  return Math.max(own, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function timeOf(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}
