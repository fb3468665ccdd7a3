#!/usr/bin/env node
// The command `cellwire`. Plain JavaScript, because it must start on any version of Node and find one that runs TypeScript.
import { spawn } from 'node:child_process';
import module from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The oldest supported version. Earlier versions cannot run TypeScript, or only parts of it. */
const MIN_NODE_MAJOR = 24;
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Interval at which a command that npm started checks that its parent process still exists, in milliseconds. */
const PARENT_CHECK_MS = 200;
/**
 * Settings of Linux's allocator, which reads them only when a process starts. By default it reserves memory for each
 * thread and keeps large freed blocks: see docs/operations.md for the difference.
 */
const ALLOCATOR_SETTINGS = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576' };

if (process.env.npm_lifecycle_event !== undefined) endWithParent();
if (Number(process.versions.node.split('.')[0]) < MIN_NODE_MAJOR) runWithInstalledNode();
else {
  if (process.argv[2] === 'serve') {
    restartWithAllocatorSettings();
    await import('./heap-growth.mjs');
  }
  await import('./compile-cache.mjs');
  const { runProgram } = await import('../src/main/main.ts');
  // Programs such as `head` close the pipe early. The command then ends without an error.
  process.stdout.on('error', () => undefined);
  await runProgram(process.argv.slice(2), process);
}

/**
 * Ends the command when its parent process ends. npx and npm start commands through a shell that ends on a signal without
 * forwarding it, and the command would otherwise continue without a terminal.
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

/**
 * Replaces this process by one with the allocator's settings, unless the environment already sets them. A process that
 * another Node process started with a message channel, as pm2 does, stays: the channel would close.
 */
function restartWithAllocatorSettings() {
  const { platform, execPath, execArgv, argv, env, connected } = process;
  if (platform !== 'linux' || connected) return;
  if (Object.keys(ALLOCATOR_SETTINGS).some((name) => env[name] !== undefined)) return;
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, ...ALLOCATOR_SETTINGS });
}

/** Starts this file again with the Node that is installed next to the service. */
function runWithInstalledNode() {
  const node = findInstalledNode();
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

/** Returns the path of the Node that npm installed, or null. */
function findInstalledNode() {
  const { resolve } = module.createRequire(import.meta.url);
  const { platform, arch } = process;
  // A checkout contains the first path, a release one of the others (scripts/release/node-packages.json).
  const paths = ['node/bin/node', `node-${platform}-${arch}/bin/node`, `node-bin-${platform}-${arch}/bin/node`];
  for (const path of [...paths, `node-win-${arch}/bin/node.exe`]) {
    try {
      return resolve(path);
    } catch {}
  }
  return null;
}
