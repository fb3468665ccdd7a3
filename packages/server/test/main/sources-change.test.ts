import assert from 'node:assert/strict';
import { appendFile, cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Installation, type Json, newInstallation, type Serving } from './support.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Copies the service's program to a folder, with links to the dependencies of this checkout. */
async function copyProgram(to: string): Promise<string> {
  const used = ['engine', 'event-loop', 'files', 'store'];
  const paths = [...used, 'server'].flatMap((name) => [`${name}/src`, `${name}/package.json`]);
  for (const path of ['server/bin', ...paths]) {
    await cp(join(ROOT, 'packages', path), join(to, 'packages', path), { recursive: true });
  }
  const modules = join(to, 'node_modules');
  await mkdir(join(modules, '@cellwire'), { recursive: true });
  for (const name of used) await symlink(join(to, 'packages', name), join(modules, '@cellwire', name));
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (name !== '@cellwire') await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
  return join(to, 'packages/server/bin/cellwire.mjs');
}

/** More formulas than the serving thread calculates by itself. */
const HEAVY = { values: Array.from({ length: 20_000 }, (_, row) => [`=SQRT(1+Z${row + 1})`]) };

suite('a service whose program files change while it runs', { concurrency: false }, () => {
  let cellwire: Installation;
  let program: string;
  let serving: Serving;
  let token: string;
  let document: string;

  const write = (range: string, body: unknown) =>
    serving.call(token, 'PUT', `/documents/${document}/values/${range}`, body);
  const upgradeInPlace = async () => {
    const sources = join(cellwire.folder, 'program/packages/server/src');
    await appendFile(join(sources, 'documents/calculation/thread.ts'), "\nthrow new Error('the next version');\n");
    await rm(join(sources, 'service/document/job-thread.ts'));
  };

  before(async () => {
    cellwire = await newInstallation();
    const config = join(cellwire.folder, 'config.json');
    await writeFile(config, JSON.stringify({ workers: 1 }));
    cellwire = cellwire.with({ CELLWIRE_CONFIG: config });
    program = await copyProgram(join(cellwire.folder, 'program'));
    serving = await cellwire.serve({ command: program, isLogKept: true });
    token = serving.given('token');
    document = serving.given('document');
  });
  after(async () => {
    await serving.end('SIGTERM');
    await cellwire.remove();
  });

  test('says so in the log and in its figures', async () => {
    // Nothing is written before the change: on a busy machine even one cell may start a thread, which then stays.
    assert.match((await serving.text('/metrics')).text, /^cellwire_sources_changed 0$/m);
    await upgradeInPlace();
    await serving.logLine(/"level":50.*the program files have changed since the start.*restart the service/);
    assert.match((await serving.text('/metrics')).text, /^cellwire_sources_changed 1$/m);
  });

  test('refuses what needs a new thread with 503 and Retry-After, and answers everything else', async () => {
    const { status, headers } = await serving.send(token, 'PUT', `/documents/${document}/values/C1:C20000`, HEAVY);
    assert.deepEqual([status, headers.get('retry-after') !== null], [503, true]);
    assert.equal((await write('A60', { values: [[1]] })).status, 200);
    assert.equal((await write('A61', { values: [[2]] })).status, 200);
    const read = await serving.call(token, 'GET', `/documents/${document}/values/A60:A61`);
    assert.deepEqual(
      read.body.values.cells.map((row: Json) => row[0].v),
      [1, 2],
    );
    const file = await serving.send(token, 'POST', '/documents?title=T', 'a,b\n1,2\n', 'text/csv');
    assert.deepEqual([file.status, file.headers.get('retry-after') !== null], [503, true]);
    assert.equal((await serving.text('/readyz')).status, 200);
    assert.doesNotMatch(serving.log, /the next version|"status":500/);
  });

  test('goes on with the threads that it has', async () => {
    await serving.end('SIGTERM');
    await rm(join(cellwire.folder, 'program'), { recursive: true });
    await copyProgram(join(cellwire.folder, 'program'));
    serving = await cellwire.serve({ command: program, isLogKept: true });
    assert.equal((await write('C1:C20000', HEAVY)).status, 200);
    await upgradeInPlace();
    await serving.logLine(/the program files have changed since the start/);
    assert.equal((await write('D1:D20000', HEAVY)).status, 200);
    const read = await serving.call(token, 'GET', `/documents/${document}/values/D1:D4`);
    assert.equal(read.body.values.cells?.[1][0].v, 1, JSON.stringify(read));
  });
});
