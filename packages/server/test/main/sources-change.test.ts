import assert from 'node:assert/strict';
import { appendFile, cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createInstallation, type Installation, type Json, type ServiceProcess } from './support.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Copies the service's program to a folder, with links to the dependencies of this checkout. */
async function copyProgram(to: string): Promise<string> {
  const dependencies = ['engine', 'event-loop', 'files', 'store'];
  const paths = [...dependencies, 'server'].flatMap((name) => [`${name}/src`, `${name}/package.json`]);
  for (const path of ['server/bin', ...paths]) {
    await cp(join(ROOT, 'packages', path), join(to, 'packages', path), { recursive: true });
  }
  const modules = join(to, 'node_modules');
  await mkdir(join(modules, '@cellwire'), { recursive: true });
  for (const name of dependencies) await symlink(join(to, 'packages', name), join(modules, '@cellwire', name));
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (name !== '@cellwire') await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
  return join(to, 'packages/server/bin/cellwire.mjs');
}

/** More formulas than the serving thread calculates itself. */
const HEAVY = { values: Array.from({ length: 20_000 }, (_, row) => [`=SQRT(1+Z${row + 1})`]) };

suite('a service whose program files change at runtime', { concurrency: false }, () => {
  let cellwire: Installation;
  let program: string;
  let service: ServiceProcess;
  let token: string;
  let document: string;

  const write = (range: string, body: unknown) =>
    service.call(token, 'PUT', `/documents/${document}/values/${range}`, body);
  const CHANGED = 'documents/calculation/thread.ts';
  const REMOVED = 'service/document/job-thread.ts';
  const locateSource = (path: string) => join(cellwire.folder, 'program/packages/server/src', path);
  const upgradeInPlace = async () => {
    await appendFile(locateSource(CHANGED), "\nthrow new Error('the next version');\n");
    await rm(locateSource(REMOVED));
  };
  /** Restores the two files; the compiled code of the others stays valid. */
  const restoreSources = async () => {
    for (const path of [CHANGED, REMOVED]) await cp(join(ROOT, 'packages/server/src', path), locateSource(path));
  };

  before(async () => {
    cellwire = await createInstallation();
    const config = join(cellwire.folder, 'config.json');
    await writeFile(config, JSON.stringify({ workers: 1 }));
    cellwire = cellwire.addEnvironment({ CELLWIRE_CONFIG: config });
    program = await copyProgram(join(cellwire.folder, 'program'));
    service = await cellwire.serve({ command: program, isLogKept: true });
    token = service.readFirstStartValue('token');
    document = service.readFirstStartValue('document');
  });
  after(async () => {
    await service.end('SIGTERM');
    await cellwire.remove();
  });

  test('reports it in the log and in the metrics', async () => {
    // No write before the change: on a busy machine even one cell may start a thread, which then keeps the old
    // program.
    assert.match((await service.readText('/metrics')).text, /^cellwire_sources_changed 0$/m);
    await upgradeInPlace();
    await service.waitForLogLine(/"level":50.*the program files have changed since the start.*restart the service/);
    assert.match((await service.readText('/metrics')).text, /^cellwire_sources_changed 1$/m);
  });

  test('refuses requests that need a new thread with 503 and Retry-After, and serves all others', async () => {
    const { status, headers } = await service.send(token, 'PUT', `/documents/${document}/values/C1:C20000`, HEAVY);
    assert.deepEqual([status, headers.get('retry-after') !== null], [503, true]);
    assert.equal((await write('A60', { values: [[1]] })).status, 200);
    assert.equal((await write('A61', { values: [[2]] })).status, 200);
    const read = await service.call(token, 'GET', `/documents/${document}/values/A60:A61`);
    assert.deepEqual(
      read.body.values.cells.map((row: Json) => row[0].v),
      [1, 2],
    );
    const upload = await service.send(token, 'POST', '/documents?title=T', 'a,b\n1,2\n', 'text/csv');
    assert.deepEqual([upload.status, upload.headers.get('retry-after') !== null], [503, true]);
    assert.equal((await service.readText('/readyz')).status, 200);
    assert.doesNotMatch(service.log, /the next version|"status":500/);
  });

  test('keeps using its existing threads', async () => {
    await service.end('SIGTERM');
    await restoreSources();
    service = await cellwire.serve({ command: program, isLogKept: true });
    assert.equal((await write('C1:C20000', HEAVY)).status, 200);
    await upgradeInPlace();
    await service.waitForLogLine(/the program files have changed since the start/);
    assert.equal((await write('D1:D20000', HEAVY)).status, 200);
    const read = await service.call(token, 'GET', `/documents/${document}/values/D1:D4`);
    assert.equal(read.body.values.cells?.[1][0].v, 1, JSON.stringify(read));
  });
});
