// `npm run check`: checks types, style and loading in parallel. Each command's output is shown when it has ended.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Option for one type checker per project: several would resolve most types again, for twice the processor time. */
const ONE_CHECKER = ['--checkers', '1'];
const COMMANDS = [
  ['tsc', '-p', '.', ...ONE_CHECKER],
  ['tsc', '-p', 'packages/console', ...ONE_CHECKER],
  // Separate checks: the engine must compile with the library of Node 20, the oldest version that package.json supports,
  // and without the types of Node. The client must compile without types of Node and browsers.
  ['tsc', '-p', 'packages/engine/tsconfig.build.json', '--noEmit', ...ONE_CHECKER],
  ['tsc', '-p', 'packages/client', ...ONE_CHECKER],
  ['biome', 'check', '.'],
  // Checks that the service loads from its sources, and fills the compile caches that the tests' processes use.
  ['node', '--import', './test/setup.mjs', 'packages/server/src/compose/server.ts'],
  ['node', ...importCommandFiles('heap-growth', 'compile-cache'), 'packages/server/src/compose/server.ts'],
  ['node', ...importCommandFiles('compile-cache'), 'packages/server/src/main/program.ts'],
];

const codes = await Promise.all(COMMANDS.map(runCommand));
process.exitCode = Math.max(...codes);

/** Options that load files of the command `cellwire` first. */
function importCommandFiles(...names) {
  return names.flatMap((name) => ['--import', `./packages/server/bin/${name}.mjs`]);
}

/** Runs a command of the installed packages and returns its exit code, or 1 if a signal ended it. */
function runCommand([name, ...args]) {
  const command = join(ROOT, 'node_modules', '.bin', name);
  const child = spawn(command, args, {
    cwd: ROOT,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = [];
  child.stdout.on('data', (part) => output.push(part));
  child.stderr.on('data', (part) => output.push(part));
  return new Promise((resolve) => {
    child.once('error', ({ message }) => {
      console.error(message);
      resolve(1);
    });
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      resolve(code ?? 1);
    });
  });
}
