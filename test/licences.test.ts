import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Licences that ask no more of who uses, changes or passes on the service than to name their authors. */
const ALLOWED = new Set(['MIT', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'ISC']);

/** Others, of what builds the console and leaves nothing of itself in it. */
const BUILDS_ONLY = /^lightningcss(-|$)/;

interface Package {
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

const lock = new URL('../package-lock.json', import.meta.url);
const packages = (JSON.parse(readFileSync(lock, 'utf8')) as { readonly packages: Readonly<Record<string, Package>> })
  .packages;

test('what is installed to run the service is under licences that allow every use', () => {
  const installed = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link,
  );
  const others = installed.flatMap(([path, { license = 'none' }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return ALLOWED.has(license) || BUILDS_ONLY.test(name) ? [] : [`${name}: ${license}`];
  });
  assert.ok(installed.length > 50);
  assert.deepEqual(others, []);
});
