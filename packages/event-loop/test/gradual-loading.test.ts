import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { loadGradually } from '@cellwire/event-loop';
import { SLICE_MS } from '../src/limits.ts';

/** Modules by file name. Node resolves `a-package` for the files below `program`. */
const MODULES: Readonly<Record<string, string>> = {
  'program/entry.mjs':
    "import {\n  part,\n} from 'a-package';\nexport * from './first.mjs';\nimport '../loaded.mjs';\nvoid part;",
  'program/first.mjs': "import './circle.mjs';",
  'program/circle.mjs': "import 'node:process';\nimport './first.mjs';",
  'program/node_modules/a-package/index.mjs': 'import"./minified.mjs";export*from"./part.mjs";',
  'program/node_modules/a-package/minified.mjs': '',
  'program/node_modules/a-package/part.mjs': 'export const part = 1;',
  'program/node_modules/a-package/package.json': '',
  'loaded.mjs': '',
};

/** Each module records the turn of the event loop in which it runs, and then uses up the time of a slice. */
const RECORD_TURN = `
  globalThis.turnsOfModules.push(globalThis.turnOfEventLoop);
  for (const end = performance.now() + ${2 * SLICE_MS}; performance.now() < end; );`;

test('a module is loaded after its imports, with turns of the event loop in between', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cellwire-gradual-loading-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const address = (name: string) => pathToFileURL(join(folder, name));
  for (const [name, text] of Object.entries(MODULES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), name.endsWith('.json') ? '{ "exports": "./index.mjs" }' : text + RECORD_TURN);
  }
  const shared = globalThis as unknown as { turnOfEventLoop: number; readonly turnsOfModules: number[] };
  Object.assign(shared, { turnOfEventLoop: 0, turnsOfModules: [] });
  let isLoading = true;
  t.after(() => {
    isLoading = false;
  });
  const countTurn = (): void => {
    shared.turnOfEventLoop++;
    if (isLoading) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  const entry = address('program/entry.mjs');
  await loadGradually(entry, {
    folder: address('program/'),
    resolvePackage: (name) => address(`program/node_modules/${name}/index.mjs`).href,
  });
  const count = shared.turnsOfModules.length;
  await import(entry.href);
  assert.equal(count, Object.keys(MODULES).length - 1, 'all modules have run');
  assert.equal(shared.turnsOfModules.length, count, 'no module runs again');
  assert.ok(new Set(shared.turnsOfModules).size >= count - 2, `turns: ${shared.turnsOfModules.join(' ')}`);
});
