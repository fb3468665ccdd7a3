// Types, style and loading, as `npm run check` has them, side by side: each command shows what it says when it has ended.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Several checkers of one project each resolve most of its types again: half the processor's time. */
const ONE_CHECKER = ['--checkers', '1'];
const COMMANDS = [
  // By itself, too: the engine must do without Node's types.
  ['tsc', '-p', 'packages/engine', ...ONE_CHECKER],
  ['tsc', '-p', '.', ...ONE_CHECKER],
  // Sources alone: stricter about absent elements than the tests are.
  ['tsc', '-p', 'packages/event-loop', ...ONE_CHECKER],
  ['tsc', '-p', 'packages/files', ...ONE_CHECKER],
  ['tsc', '-p', 'packages/store', ...ONE_CHECKER],
  ['tsc', '-p', 'packages/server', ...ONE_CHECKER],
  ['tsc', '-p', 'packages/console', ...ONE_CHECKER],
  // Checked alone: the client must compile without the types of Node and of browsers.
  ['tsc', '-p', 'packages/client', ...ONE_CHECKER],
  ['biome', 'check', '.'],
  // That it loads as it is. What that strips and compiles is kept: each of the tests' processes would do it anew, and so
  // would each command that they run.
  ['node', '--import', './test/setup.mjs', 'packages/server/src/compose/server.ts'],
  ['node', '--import', './packages/server/bin/compiling.mjs', 'packages/server/src/compose/server.ts'],
];

const codes = await Promise.all(COMMANDS.map(run));
process.exitCode = Math.max(...codes);

/** Runs a command of the installed packages; its exit code, 1 where it ended otherwise. */
function run([name, ...args]) {
  const command = join(ROOT, 'node_modules', '.bin', name);
  const child = spawn(command, args, {
    cwd: ROOT,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = [];
  child.stdout.on('data', (part) => said.push(part));
  child.stderr.on('data', (part) => said.push(part));
  return new Promise((resolve) => {
    child.once('error', ({ message }) => {
      console.error(message);
      resolve(1);
    });
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(said));
      resolve(code ?? 1);
    });
  });
}
