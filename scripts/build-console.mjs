// Builds the console if its build is missing or older than its sources. Runs after every installation (npm's `prepare`)
// and before `npm start`. Plain JavaScript for Node 20 and newer. If the console's build tools are not installed (an
// image installs only some workspaces), it skips the build and prints a message.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const CONSOLE = join(ROOT, 'packages', 'console');
/** The file of a build that is written last, so that an interrupted build does not count. */
const BUILT = join(CONSOLE, 'dist', 'index.html');
const BUILD_INPUTS = [
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
/** The Node of the installed packages, which runs TypeScript. */
const NODE = join(ROOT, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

process.exitCode = buildConsole();

function buildConsole() {
  if (!existsSync(join(CONSOLE, 'src')) || !isBuildStale()) return 0;
  if (!existsSync(NODE) || !existsSync(join(ROOT, 'node_modules', 'vite'))) {
    console.error(
      'The console was not built, because its tools are not installed. Run `npm ci` without --omit to install them.',
    );
    return 0;
  }
  console.error('Building the console …');
  const { status } = spawnSync(NODE, ['scripts/build.ts'], { cwd: CONSOLE, stdio: ['ignore', 2, 2] });
  return status ?? 1;
}

function isBuildStale() {
  const built = readModifiedMs(BUILT);
  return BUILD_INPUTS.some((path) => findNewestModifiedMs(path) > built);
}

/** The modification time of a file, or of the newest file in a folder, in milliseconds since 1970. */
function findNewestModifiedMs(path) {
  const own = readModifiedMs(path);
  if (own === 0 || !statSync(path).isDirectory()) return own;
  return Math.max(own, ...readdirSync(path).map((name) => findNewestModifiedMs(join(path, name))));
}

function readModifiedMs(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}
