import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
/** Maximum size of the whole client, minified and compressed, in bytes. */
const MAX_BYTES = 12_000;

suite('the package', () => {
  test(`is at most ${MAX_BYTES} bytes, minified and compressed`, async () => {
    // The bundler is a dependency of the console. A variable keeps the compiler from looking for its types here.
    const rolldown = 'rolldown';
    const { build } = (await import(rolldown)) as { readonly build: (options: object) => Promise<Bundle> };
    const { output } = await build({
      input: join(PACKAGE, 'src', 'index.ts'),
      write: false,
      output: { format: 'esm', minify: true },
    });
    const [{ code }] = output;
    const bytes = gzipSync(code, { level: 9 }).length;
    assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`);
  });

  test('has types that a program compiles with, and has no dependencies', () => {
    const folder = mkdtempSync(join(tmpdir(), 'client-package-'));
    try {
      const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
      const tsc = join(dirname(typescript), JSON.parse(readFileSync(typescript, 'utf8')).bin.tsc);
      execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', join(folder, 'dist')], {
        cwd: PACKAGE,
      });
      symlinkSync(MODULES, join(folder, 'node_modules'));
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      writeFileSync(join(folder, 'program.ts'), PROGRAM);
      const options = [
        '--ignoreConfig',
        '--strict',
        '--exactOptionalPropertyTypes',
        '--noEmit',
        '--module',
        'nodenext',
      ];
      const target = ['--target', 'es2023', '--types', 'node', '--skipLibCheck', 'false'];
      execFileSync(process.execPath, [tsc, ...options, ...target, join(folder, 'program.ts')], {
        cwd: folder,
        stdio: 'inherit',
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
    const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
    assert.deepEqual(
      [manifest.dependencies, manifest.peerDependencies, manifest.sideEffects],
      [undefined, undefined, false],
    );
  });
});

interface Bundle {
  readonly output: readonly [{ readonly code: string }];
}

const PROGRAM = `
import { asDate, Cellwire, range, verify, ValidationError, type DocumentUpdated } from './dist/index.js';

interface Order { Number: string; Sum: number; Due: string | null }

const cw = new Cellwire({ url: 'https://h', token: 't', attempts: 2, timeout: 1000, fetch });
const book = cw.document('D');
const rows: (string | number | boolean | null)[][] = await book.read(range('Orders', 'A1:C'));
const cells = await book.read('A1', { render: 'cells' });
const first: unknown = cells[0]?.[0];
const orders = book.table<Order>('Orders!A:C', { key: 'Number' });
const sum: number = (await orders.find({ where: { Sum: { gte: 1 } } })).reduce((all, { Sum }) => all + Sum, 0);
for await (const { Number: id } of orders) console.log(id.toUpperCase());
const { upserted } = await orders.upsert([{ Number: 'a', Due: asDate(1) }], { onProgress: ({ records }) => console.log(records) });
const created: number = upserted.created;
for await (const change of book.follow()) console.log(change.gap ? change.revision : change.ranges.length, change.place);
const event: DocumentUpdated = await verify('', new Headers(), 's');
try { await book.clear('A1', { dryRun: true, signal: AbortSignal.timeout(1) }); } catch (error) {
  if (error instanceof ValidationError) console.log(error.errors['range']?.[0], error.batch);
}
const { proposal } = await book.write('A1', [[1]], { propose: true, title: 'T' });
if (proposal !== undefined) await book.proposals.apply(proposal.id, { reason: 'R', ifRevision: 1 });
type WriteOption = keyof NonNullable<Parameters<typeof book.write>[2]>;
type CopyOption = keyof NonNullable<Parameters<typeof cw.documents.copy>[1]>;
const knowsDryRun: 'dryRun' extends WriteOption ? true : false = true;
const knowsMistypedOption: 'dryrun' extends WriteOption ? true : false = false;
const canProposeCopy: 'propose' extends CopyOption ? true : false = false;
export { rows, first, sum, created, event, knowsDryRun, knowsMistypedOption, canProposeCopy };
`;
