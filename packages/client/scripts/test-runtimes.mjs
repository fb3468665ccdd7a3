// Installs several runtimes and runs in each the client's scenarios and its tests against the service:
//
//   npm run test:client -- --runtime node20,node22,node24,node26,deno,bun,workerd,chromium
//
// Chromium must already be installed.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { installRuntime, RUNTIMES } from '../../../scripts/runtimes.mjs';
import { CHROMIUM } from '../../../test/browser/chromium.ts';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DRIVER = join(PACKAGE, 'test', 'drivers', 'driver.mjs');
/** The drivers of runtimes that cannot read standard input. They import the client as one module. */
const BUNDLE_DRIVERS = {
  workerd: join(PACKAGE, 'test', 'drivers', 'workerd.mjs'),
  chromium: join(PACKAGE, 'test', 'drivers', 'chromium.mjs'),
};

const { values } = parseArgs({ options: { runtime: { type: 'string', default: Object.keys(RUNTIMES).join() } } });
const names = values.runtime.split(',');
const known = [...Object.keys(RUNTIMES), 'chromium'];
const unknown = names.find((name) => !known.includes(name));
if (unknown !== undefined) {
  console.error(`${unknown}: not a known runtime; known are ${known.join(', ')}`);
  process.exit(2);
}
if (names.includes('chromium') && CHROMIUM === null) {
  console.error('chromium: not installed; install chromium-headless-shell, or set CHROMIUM to the path of a browser');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'cellwire-runtimes-'));
try {
  const client = compileClient();
  const kinds = [];
  for (const name of names) {
    const limit = name === 'chromium' ? { concurrency: 4 } : {};
    kinds.push({ name, command: await createCommand(name, client), ...limit });
  }
  const tests = ['scenarios', 'service'].map((name) => join(PACKAGE, 'test', `${name}.test.ts`));
  const env = { ...process.env, CLIENT_RUNTIMES: JSON.stringify(kinds) };
  const args = ['--import', './test/setup.mjs', '--test', ...tests];
  process.exitCode = spawnSync(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Returns the command that runs the driver. `client` is the URL of the compiled client. */
async function createCommand(name, client) {
  const command = name === 'chromium' ? [CHROMIUM] : installRuntime(name, folder);
  const driver = BUNDLE_DRIVERS[name];
  if (driver === undefined) return [...command, DRIVER, client];
  return [process.execPath, driver, ...command, await bundleClient(client)];
}

/** Bundles the client into one module and returns its path. */
async function bundleClient(client) {
  const { build: roll } = await import('rolldown');
  const file = join(folder, 'client.js');
  await roll({ input: fileURLToPath(client), output: { file, format: 'esm' } });
  return file;
}

/** Compiles the client and returns the URL of its module. */
function compileClient() {
  const target = join(folder, 'dist');
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
  const tsc = join(dirname(typescript), JSON.parse(readFileSync(typescript, 'utf8')).bin.tsc);
  execFileSync(process.execPath, [tsc, '-p', join(PACKAGE, 'tsconfig.build.json'), '--outDir', target]);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return pathToFileURL(join(target, 'index.js')).href;
}
