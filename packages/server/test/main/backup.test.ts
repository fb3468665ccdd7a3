import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { StoreLocation } from '@cellwire/store';
import { Browser } from '../http/browser.ts';
import type { Json } from '../http/support.ts';
import { createInstallation } from './support.ts';

test('a backup made while the service runs can be restored and served', async (t) => {
  const [source, target] = await Promise.all([createInstallation(), createInstallation()]);
  t.after(() => Promise.all([source.remove(), target.remove()]));
  const service = await source.serve();
  const token = service.readFirstStartValue('token');
  const path = `/documents/${service.readFirstStartValue('document')}/values/Summary!A1:G5`;
  const before = await service.call(token, 'GET', path);
  assert.equal(before.status, 200);
  const file = join(source.folder, 'all.backup');
  const { bytes, rows, ...summary } = await source.runForJson('backup', '--to', file);
  assert.deepEqual(summary, { file, documents: 1, key: true, damaged: [], damagedRows: [] });
  assert.ok(bytes > 0 && rows > 0);
  await service.end('SIGTERM');

  const { documents, lost } = await target.runForJson('restore', '--from', file);
  assert.deepEqual([documents, lost], [1, []]);
  const secondRestore = await target.runCommand('restore', '--from', file, '--json');
  assert.deepEqual([secondRestore.code, secondRestore.stdout], [1, '']);
  assert.match(secondRestore.stderr, /^error: The .* already contains (a database|data): choose an empty one/);
  const targetService = await target.serveInProcess();
  assert.deepEqual(await targetService.call(token, 'GET', path), before);
  await targetService.end();
});

test('a deleted document can be restored from a backup, also from its trash', async (t) => {
  const source = await createInstallation();
  t.after(() => source.remove());
  await source.runForJson('user', 'create', '--email', 'anna@example.com', '--name', 'Anna');
  const created = await source.runForJson('document', 'create', '--owner', 'anna@example.com', '--title', 'Orders');
  const [before, after] = [join(source.folder, 'before.backup'), join(source.folder, 'after.backup')];
  // Entries about created documents are in the log of accounts, which numbers its entries separately.
  const readIds = async () => {
    const { entries } = await source.runForJson('audit', '--document', created.id);
    const own = (entries as readonly Json[]).filter(({ action }) => String(action) !== 'document.create');
    return own.map(({ id }) => Number(id));
  };
  await source.runForJson('backup', '--to', before);
  await source.runForJson('document', 'delete', '--document', created.id);
  await source.runForJson('backup', '--to', after);
  const targetService = await source.runForJson('restore', '--from', before, '--document', created.id);
  assert.deepEqual(targetService, { documents: 1, problems: [] });
  assert.deepEqual((await source.runForJson('document', 'list', '--deleted')).documents, []);
  const entryIds = await readIds();
  assert.equal(new Set(entryIds).size, entryIds.length);

  await source.runForJson('document', 'delete', '--document', created.id, '--permanently');
  assert.deepEqual((await source.runForJson('document', 'list', '--deleted')).documents, []);
  await source.runForJson('restore', '--from', after, '--document', created.id);
  const { documents } = await source.runForJson('document', 'list');
  assert.deepEqual(
    documents.map(({ id, title }: Json) => [id, title]),
    [[created.id, 'Orders']],
  );
  assert.ok(Math.max(...(await readIds())) > Math.max(...entryIds));
});

test('an installation can be migrated, and one document imported as a copy', async (t) => {
  const [source, target] = await Promise.all([createInstallation(), createInstallation()]);
  t.after(() => Promise.all([source.remove(), target.remove()]));
  const { id: owner } = await source.runForJson('user', 'create', '--email', 'anna@example.com', '--name', 'Anna');
  const document = await source.runForJson('document', 'create', '--owner', String(owner), '--title', 'Orders');
  const bundle = join(source.folder, 'orders.cellwire');
  const exported = await source.runForJson('document', 'export', '--document', document.id, '--to', bundle);
  assert.deepEqual([exported.file, exported.sheets, exported.bytes > 0], [bundle, 1, true]);
  const copy = await source.runForJson('document', 'create', '--owner', String(owner), '--from', bundle);
  assert.deepEqual(copy, { ...document, id: copy.id, unknownUsers: [] });
  assert.notEqual(copy.id, document.id);

  const moved = await source.runForJson(
    'migrate',
    '--from',
    formatMigrationArgument(source.location),
    '--to',
    formatMigrationArgument(target.location),
  );
  assert.equal(moved.documents, 2);
});

/** Formats the argument of `migrate` for a location. */
function formatMigrationArgument(location: StoreLocation): string {
  return location.kind === 'sqlite' ? location.folder : location.url;
}

test('a document that is shared with anyone is so after it is restored', async (t) => {
  const here = await createInstallation();
  t.after(() => here.remove());
  const serving = await here.serveInProcess();
  const browser = new Browser(serving.address);
  await browser.signIn({
    email: serving.readFirstStartValue('user'),
    password: serving.readFirstStartValue('password'),
  });
  await browser.request('PUT', '/password', {
    body: { current: serving.readFirstStartValue('password'), password: 'battery staple' },
  });
  const document = serving.readFirstStartValue('document');
  const shared = await browser.request('PUT', `/documents/${document}/anyone`, { body: { role: 'view' } });
  assert.equal(shared.status, 200);
  const file = join(here.folder, 'shared.backup');
  await here.runForJson('backup', '--to', file);
  await here.runForJson('restore', '--from', file, '--document', document, '--replace');
  assert.equal((await browser.request('GET', `/documents/${document}/shares`)).body['anyone'], 'view');
  await serving.end();
});
