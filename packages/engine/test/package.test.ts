import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const TYPESCRIPT = createRequire(import.meta.url).resolve('typescript/package.json');
const TSC = join(dirname(TYPESCRIPT), JSON.parse(readFileSync(TYPESCRIPT, 'utf8')).bin.tsc);

function runCommand(...args: string[]): string {
  return execFileSync(process.execPath, args, { cwd: PACKAGE, encoding: 'utf8' });
}

describe('the published package', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'engine-package-'));
  after(() => rmSync(folder, { recursive: true }));

  it('runs and type-checks the example of its README', () => {
    const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
    const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const expected = [...example.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map((match) => match[1]);
    // `npm run check` checks the types. Checking them again would take most of the time of this test.
    runCommand(TSC, '-p', 'tsconfig.build.json', '--noCheck', '--outDir', join(folder, 'dist'));
    symlinkSync(MODULES, join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const source = example.replace("'@cellwire/engine'", "'./dist/index.js'");
    writeFileSync(join(folder, 'example.mjs'), source);
    assert.deepEqual(runCommand(join(folder, 'example.mjs')).trim().split('\n'), expected);
    writeFileSync(join(folder, 'example.ts'), source);
    const options = [
      '--ignoreConfig',
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--types',
      'node',
    ];
    runCommand(TSC, ...options, join(folder, 'example.ts'));
  });

  it('declares its imports as dependencies', () => {
    const { dependencies } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
    const files = runCommand('-e', 'console.log(fs.globSync("src/**/*.ts").join("\\n"))').trim().split('\n');
    const importedPackages = new Set(
      files.flatMap((file) =>
        [...readFileSync(join(PACKAGE, file), 'utf8').matchAll(/ from '([^.'][^']*)'/g)].map((match) => match[1]),
      ),
    );
    assert.deepEqual([...importedPackages].sort(), Object.keys(dependencies).sort());
  });
});
