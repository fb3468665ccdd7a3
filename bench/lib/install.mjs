import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BENCH = new URL('../', import.meta.url);

/** Installs the other engines and the load generator into bench/node_modules, unless the locked versions are there. */
export function installPeers() {
  if (isInstalled()) return;
  console.error('Installing the other engines into bench/node_modules …');
  const installation = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: fileURLToPath(BENCH),
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (installation.status !== 0) throw new Error('npm ci failed in bench/: see above');
}

function isInstalled() {
  const present = new URL('node_modules/.package-lock.json', BENCH);
  if (!existsSync(present)) return false;
  const installed = readPackages(present);
  const locked = Object.entries(readPackages(new URL('package-lock.json', BENCH))).filter(([path]) => path !== '');
  return locked.every(([path, { version, optional }]) => optional || installed[path]?.version === version);
}

function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}
