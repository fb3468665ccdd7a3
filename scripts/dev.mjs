// `npm run dev`: runs the service, which restarts when its sources change, and the console, which reloads when its
// sources are saved. The first start prints a password and a token.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const NODE = join(ROOT, 'node_modules', '.bin', 'node');
const SERVICE = ['packages/server/bin/cellwire.mjs', 'serve'];
const WATCHED = ['engine', 'event-loop', 'files', 'server', 'store'].map((name) => `packages/${name}/src`);
/** Milliseconds without a change before the service restarts, because editors may save several files together. */
const QUIET_MS = 300;

const address = `http://127.0.0.1:${process.env.CELLWIRE_PORT ?? '8080'}`;
const consoleServer = runNode(['packages/console/scripts/dev.ts', address]);
consoleServer.on('exit', stopAndExit);
let service = runNode(SERVICE);
let timer = null;
let isEnding = false;

// `node --watch` cannot be used, because the service's threads do not start under it.
for (const folder of WATCHED) watch(join(ROOT, folder), { recursive: true }, scheduleRestart);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stopAndExit);

function runNode(args) {
  return spawn(NODE, args, { cwd: ROOT, stdio: 'inherit' });
}

function scheduleRestart() {
  clearTimeout(timer);
  timer = setTimeout(restartService, QUIET_MS);
}

function restartService() {
  console.log('Sources have changed: restarting the service …');
  const start = () => {
    if (!isEnding) service = runNode(SERVICE);
  };
  if (service.exitCode === null) service.once('exit', start).kill('SIGTERM');
  else start();
}

function stopAndExit() {
  isEnding = true;
  clearTimeout(timer);
  service.kill('SIGTERM');
  consoleServer.kill('SIGTERM');
  consoleServer.once('exit', () => process.exit());
}
