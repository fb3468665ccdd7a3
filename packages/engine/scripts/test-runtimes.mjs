// Packs the engine, installs the package and runs the example of its README in several runtimes:
//
//   npm run test:engine -- --runtime node20,node22,node24,node26,deno,bun,chromium
//
// Chromium must already be installed. It runs the example and the engine as one bundled script.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { installRuntime, RUNTIMES } from '../../../scripts/runtimes.mjs';
import { CHROMIUM } from '../../../test/browser/chromium.ts';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
/** Time in which the browser runs the example, in milliseconds of its virtual clock. */
const BROWSER_MS = 20_000;
const KNOWN = [...Object.keys(RUNTIMES).filter((name) => name !== 'workerd'), 'chromium'];

const { values } = parseArgs({ options: { runtime: { type: 'string', default: KNOWN.join() } } });
const names = values.runtime.split(',');
const unknown = names.find((name) => !KNOWN.includes(name));
if (unknown !== undefined || (names.includes('chromium') && CHROMIUM === null)) {
  console.error(unknown === undefined ? 'chromium is not installed' : `${unknown}: known are ${KNOWN.join(', ')}`);
  process.exit(2);
}

const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
const example = /```ts\n([\s\S]*?)```/.exec(readme)[1];
const expected = [...example.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map((match) => match[1]).join('\n');
const folder = mkdtempSync(join(tmpdir(), 'engine-runtimes-'));
try {
  const program = installPackage();
  for (const name of names) {
    const printed = name === 'chromium' ? await runInBrowser(program) : runModule(name, program);
    const isRight = printed.trim() === expected;
    console.log(`${isRight ? 'ok  ' : 'FAIL'} ${name}`);
    if (isRight) continue;
    console.error(`expected:\n${expected}\nprinted:\n${printed}`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Installs the packed engine in a folder of its own. Returns the path of the example there. */
function installPackage() {
  const target = join(folder, 'program');
  mkdirSync(target);
  const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
  const packArguments = ['pack', '--json', '--loglevel=error', '--pack-destination', target];
  const [{ filename }] = JSON.parse(execFileSync('npm', packArguments, { ...options, cwd: PACKAGE }));
  writeFileSync(join(target, 'package.json'), '{"type":"module"}');
  execFileSync('npm', ['install', '--loglevel=error', `./${filename}`], { ...options, cwd: target });
  const file = join(target, 'example.mjs');
  writeFileSync(file, example);
  return file;
}

function runModule(name, file) {
  const [command, ...args] = installRuntime(name, folder);
  // Without its configuration Deno does not look for installed packages.
  const options = args.map((word) => (word === '--no-config' ? '--node-modules-dir=manual' : word));
  return execFileSync(command, [...options, file], { cwd: join(folder, 'program'), encoding: 'utf8' });
}

/** Runs the example in a page that shows what it prints. */
async function runInBrowser(file) {
  const { build } = await import('rolldown');
  const script = join(folder, 'bundle.js');
  await build({ input: file, output: { file: script, format: 'iife' } });
  const page = join(folder, 'page.html');
  const show = "console.log = (...parts) => document.body.append(parts.join(' '), '\\n');";
  writeFileSync(page, `<meta charset="utf-8"><body><script>${show}</script><script src="bundle.js"></script></body>`);
  const options = ['--no-sandbox', `--virtual-time-budget=${BROWSER_MS}`, '--dump-dom', pathToFileURL(page).href];
  const dom = execFileSync(CHROMIUM, options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return /<\/script>([^<]*)<\/body>/.exec(dom)?.[1] ?? dom;
}
