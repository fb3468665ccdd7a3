// Runs before and after `npm pack` and `npm publish`, in the folder of a package. `before` builds JavaScript and
// declarations and changes the manifest to use them, because Node does not strip types under node_modules. `after`
// restores the manifest of the repository.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const PACKAGE = process.cwd();
const MANIFEST = join(PACKAGE, 'package.json');
const KEPT = join(PACKAGE, 'package.json.kept');
const LICENSE = join(PACKAGE, 'LICENSE');

const step = { before: prepareManifest, after: restoreManifest }[process.argv[2]];
if (!step) throw new Error('usage: node scripts/pack.mjs before|after');
step();

function prepareManifest() {
  rmSync(join(PACKAGE, 'dist'), { recursive: true, force: true });
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
  const tsc = join(dirname(typescript), JSON.parse(readFileSync(typescript, 'utf8')).bin.tsc);
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: PACKAGE, stdio: 'inherit' });
  copyFileSync(join(PACKAGE, '../../LICENSE'), LICENSE);
  const { scripts: _, exports: sources, ...manifest } = JSON.parse(readFileSync(MANIFEST, 'utf8'));
  renameSync(MANIFEST, KEPT);
  const exports = Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, toBuiltPath(source)]));
  writeFileSync(MANIFEST, `${JSON.stringify({ ...manifest, exports }, null, 2)}\n`);
}

function toBuiltPath(source) {
  const module = source.replace('./src/', './dist/').replace(/\.ts$/, '');
  return { types: `${module}.d.ts`, default: `${module}.js` };
}

function restoreManifest() {
  renameSync(KEPT, MANIFEST);
  rmSync(LICENSE, { force: true });
  rmSync(join(PACKAGE, 'dist'), { recursive: true, force: true });
}
