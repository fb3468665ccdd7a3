import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Licences that require only a copyright notice. */
const ALLOWED = new Set(['MIT', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'ISC']);

/** Packages that build the console and are not part of it. */
const BUILD_PACKAGES = /^lightningcss(-|$)/;

interface Package {
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

const lock = new URL('../package-lock.json', import.meta.url);
const packages = (JSON.parse(readFileSync(lock, 'utf8')) as { readonly packages: Readonly<Record<string, Package>> })
  .packages;

test('dependencies of the service have permissive licences', () => {
  const installed = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link,
  );
  const others = installed.flatMap(([path, { license = 'none' }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return ALLOWED.has(license) || BUILD_PACKAGES.test(name) ? [] : [`${name}: ${license}`];
  });
  assert.ok(installed.length > 50);
  assert.deepEqual(others, []);
});
