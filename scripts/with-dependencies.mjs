// Installs missing packages, builds the console if its build is missing or outdated, then runs a command with the
// installed programs first in the path. Plain JavaScript for Node 20 and newer, without dependencies, because it runs
// before any are installed.
//
//   node scripts/with-dependencies.mjs [--dev] COMMAND [ARGUMENT …]
//
// With --dev the development tools are required, too.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MODULES = join(ROOT, 'node_modules');
const PROGRAMS = join(MODULES, '.bin');
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Interval of the check whether npm is still running, in milliseconds. */
const PARENT_CHECK_MS = 200;
const ON_WINDOWS = process.platform === 'win32';

const programArguments = process.argv.slice(2);
const dev = programArguments[0] === '--dev';
const [command, ...parameters] = dev ? programArguments.slice(1) : programArguments;
if (command === undefined) {
  console.error('usage: node scripts/with-dependencies.mjs [--dev] COMMAND [ARGUMENT …]');
  process.exit(2);
}
process.exitCode = (await installPackages(dev)) || (await buildConsole()) || (await runProgram(command, parameters));

/** Installs missing packages. Returns 0 if all are installed, else the exit code of the installation. */
async function installPackages(includesDev) {
  const missingPackage = findMissingPackage(includesDev);
  if (missingPackage === null) return 0;
  console.error(`Installing dependencies (${missingPackage} is missing or has another version) …`);
  // Hides warnings. Most of them say that npm runs on an older Node than the service will.
  const code = await runProgram('npm', ['ci', '--loglevel=error', ...(includesDev ? ['--include=dev'] : [])], 2);
  if (code !== 0) console.error('npm ci failed; its output is above.');
  else console.error('Dependencies are installed.');
  return code;
}

/** Builds the console if its sources have changed since the installation. The installation builds it, too. */
function buildConsole() {
  return runProgram(process.execPath, [join(ROOT, 'scripts', 'build-console.mjs')], 2);
}

/** Returns the first package that is missing or differs from package-lock.json; null if there is none. */
function findMissingPackage(includesDev) {
  const lockedPackages = readPackages(join(ROOT, 'package-lock.json'));
  // npm writes this file at the end of an installation, so an interrupted one has none.
  const present = readPackages(join(MODULES, '.package-lock.json'));
  for (const [path, entry] of Object.entries(lockedPackages)) {
    // A workspace may have additional packages in its folder.
    if (!path.includes('node_modules/') || (entry.dev && !includesDev)) continue;
    const installedPackage = present[path];
    if (installedPackage === undefined && (entry.optional || entry.devOptional)) continue;
    if (
      installedPackage === undefined ||
      installedPackage.version !== entry.version ||
      installedPackage.integrity !== entry.integrity
    ) {
      return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    }
  }
  // Files of installation scripts and links, which are missing after `npm ci --ignore-scripts`.
  return ['node', 'cellwire'].find((program) => !existsSync(join(PROGRAMS, program))) ?? null;
}

function readPackages(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')).packages ?? {};
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}

/** Runs a program to its end and passes signals on. `output` is the descriptor of its standard output. */
function runProgram(program, args, output = 1) {
  return new Promise((resolve) => {
    const env = { ...process.env, PATH: `${PROGRAMS}${delimiter}${process.env.PATH}` };
    const child = spawn(program, args, { stdio: [0, output, 2], env, cwd: ROOT, shell: ON_WINDOWS });
    const forwardSignal = (signal) => child.kill(signal);
    for (const signal of FORWARDED_SIGNALS) process.on(signal, forwardSignal);
    // A shell between npm and this process ends on a signal without forwarding it.
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid !== parent) forwardSignal('SIGTERM');
    }, PARENT_CHECK_MS);
    const end = (code) => {
      clearInterval(timer);
      for (const signal of FORWARDED_SIGNALS) process.off(signal, forwardSignal);
      resolve(code);
    };
    child.on('error', (error) => {
      console.error(`${program} cannot be started: ${error.message}`);
      end(1);
    });
    child.on('exit', (code, signal) => end(code ?? 128 + constants.signals[signal]));
  });
}
