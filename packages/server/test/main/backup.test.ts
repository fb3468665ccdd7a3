import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { StoreLocation } from '@cellwire/store';
import { Browser } from '../http/browser.ts';
import type { Json } from '../http/support.ts';
import { newInstallation } from './support.ts';

test('a backup made while the service runs is restored and served', async (t) => {
  const [here, there] = await Promise.all([newInstallation(), newInstallation()]);
  t.after(() => Promise.all([here.remove(), there.remove()]));
  const serving = await here.serve();
  const token = serving.given('token');
  const path = `/documents/${serving.given('document')}/values/Summary!A1:G5`;
  const before = await serving.call(token, 'GET', path);
  assert.equal(before.status, 200);
  const file = join(here.folder, 'all.backup');
  const { bytes, rows, ...made } = await here.json('backup', '--to', file);
  assert.deepEqual(made, { file, documents: 1, key: true, damaged: [] });
  assert.ok(bytes > 0 && rows > 0);
  await serving.end('SIGTERM');

  const { documents, lost } = await there.json('restore', '--from', file);
  assert.deepEqual([documents, lost], [1, []]);
  const again = await there.run('restore', '--from', file, '--json');
  assert.deepEqual([again.code, again.stdout], [1, '']);
  assert.match(again.stderr, /^error: The .* already contains (a database|data): choose an empty one/);
  const restored = await there.serve();
  assert.deepEqual(await restored.call(token, 'GET', path), before);
  await restored.end('SIGTERM');
});

test('a deleted document comes back from a backup, also out of the bin that the backup has', async (t) => {
  const here = await newInstallation();
  t.after(() => here.remove());
  await here.json('user', 'create', '--email', 'anna@example.com', '--name', 'Anna');
  const made = await here.json('document', 'create', '--owner', 'anna@example.com', '--title', 'Orders');
  const [before, after] = [join(here.folder, 'before.backup'), join(here.folder, 'after.backup')];
  // The creation is an entry of the log of accounts, which has its own numbers.
  const ids = async () => {
    const { entries } = await here.json('audit', '--document', made.id);
    const own = (entries as readonly Json[]).filter(({ action }) => String(action) !== 'document.create');
    return own.map(({ id }) => Number(id));
  };
  await here.json('backup', '--to', before);
  await here.json('document', 'delete', '--document', made.id);
  await here.json('backup', '--to', after);
  const restored = await here.json('restore', '--from', before, '--document', made.id);
  assert.deepEqual(restored, { documents: 1, problems: [] });
  assert.deepEqual((await here.json('document', 'list', '--deleted')).documents, []);
  const numbers = await ids();
  assert.equal(new Set(numbers).size, numbers.length);

  await here.json('document', 'delete', '--document', made.id, '--permanently');
  assert.deepEqual((await here.json('document', 'list', '--deleted')).documents, []);
  await here.json('restore', '--from', after, '--document', made.id);
  const { documents } = await here.json('document', 'list');
  assert.deepEqual(
    documents.map(({ id, title }: Json) => [id, title]),
    [[made.id, 'Orders']],
  );
  assert.ok(Math.max(...(await ids())) > Math.max(...numbers));
});

test('an installation is moved, and a document of it is put beside as a copy', async (t) => {
  const [here, there] = await Promise.all([newInstallation(), newInstallation()]);
  t.after(() => Promise.all([here.remove(), there.remove()]));
  const { id: owner } = await here.json('user', 'create', '--email', 'anna@example.com', '--name', 'Anna');
  const document = await here.json('document', 'create', '--owner', String(owner), '--title', 'Orders');
  const bundle = join(here.folder, 'orders.cellwire');
  const exported = await here.json('document', 'export', '--document', document.id, '--to', bundle);
  assert.deepEqual([exported.file, exported.sheets, exported.bytes > 0], [bundle, 1, true]);
  const copy = await here.json('document', 'create', '--owner', String(owner), '--from', bundle);
  assert.deepEqual(copy, { ...document, id: copy.id, unknownUsers: [] });
  assert.notEqual(copy.id, document.id);

  const moved = await here.json('migrate', '--from', placeOf(here.location), '--to', placeOf(there.location));
  assert.equal(moved.documents, 2);
});

/** As `migrate` takes it. */
function placeOf(location: StoreLocation): string {
  return location.kind === 'sqlite' ? location.folder : location.url;
}

test('a document that is shared with anyone is so after it is restored', async (t) => {
  const here = await newInstallation();
  t.after(() => here.remove());
  const serving = await here.serve();
  const browser = new Browser(serving.address);
  await browser.signIn({ email: serving.given('user'), password: serving.given('password') });
  await browser.ask('PUT', '/password', { body: { current: serving.given('password'), password: 'battery staple' } });
  const document = serving.given('document');
  const shared = await browser.ask('PUT', `/documents/${document}/anyone`, { body: { role: 'view' } });
  assert.equal(shared.status, 200);
  const file = join(here.folder, 'shared.backup');
  await here.json('backup', '--to', file);
  await here.json('restore', '--from', file, '--document', document, '--replace');
  assert.equal((await browser.ask('GET', `/documents/${document}/shares`)).body['anyone'], 'view');
  await serving.end('SIGTERM');
});
