#!/usr/bin/env node
// The command, in plain JavaScript: it must start on any Node and find one that runs TypeScript by itself.
import { spawn } from 'node:child_process';
import module from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The first version that the service supports; older ones can't run TypeScript, or not all of it. */
const MIN_NODE_MAJOR = 24;
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** How often a command that npm started looks whether its parent is still there, in milliseconds. */
const PARENT_CHECK_MS = 200;

if (process.env.npm_lifecycle_event !== undefined) endWithParent();
if (Number(process.versions.node.split('.')[0]) >= MIN_NODE_MAJOR) {
  await import('./compiling.mjs');
  const { main } = await import('../src/main/main.ts');
  // A reader that goes away early (`| head`) is no reason to fail.
  process.stdout.on('error', () => undefined);
  await main(process.argv.slice(2), process);
} else {
  runWithOwnNode();
}

/**
 * npx, and npm where a script does not `exec`, start commands through a shell. That shell dies of the signals that they
 * pass to it and does not pass them on: without this, the service would go on for ever, and nobody would know.
 */
function endWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** Starts this file again with the Node that is installed beside the service. */
function runWithOwnNode() {
  const node = ownNode();
  if (node === null) {
    console.error(
      `cellwire needs Node ${MIN_NODE_MAJOR} or newer; this is ${process.version}, and the one that comes with it is not installed. Run: npm ci`,
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of FORWARDED_SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`cellwire: ${node} does not start: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}

function ownNode() {
  const { resolve } = module.createRequire(import.meta.url);
  const { platform, arch } = process;
  // A checkout has the first, a release one of the others (scripts/release/node-packages.json).
  const places = ['node/bin/node', `node-${platform}-${arch}/bin/node`, `node-bin-${platform}-${arch}/bin/node`];
  for (const place of [...places, `node-win-${arch}/bin/node.exe`]) {
    try {
      return resolve(place);
    } catch {}
  }
  return null;
}
