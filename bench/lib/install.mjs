import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BENCH = new URL('../', import.meta.url);

/** Installs the other engines and the load generator into bench/node_modules, unless the locked versions are there. */
export function installPeers() {
  if (isInstalled()) return;
  console.error('Installing the other engines into bench/node_modules …');
  const done = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: fileURLToPath(BENCH),
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (done.status !== 0) throw new Error('npm ci failed in bench/: see above');
}

function isInstalled() {
  const present = new URL('node_modules/.package-lock.json', BENCH);
  if (!existsSync(present)) return false;
  const held = packagesOf(present);
  const wanted = Object.entries(packagesOf(new URL('package-lock.json', BENCH))).filter(([path]) => path !== '');
  return wanted.every(([path, { version, optional }]) => optional || held[path]?.version === version);
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}
