import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newInstallation } from './support.ts';

test('a backup made while the service runs is restored, moved and served by commands', async (t) => {
  const [here, there] = await Promise.all([newInstallation(), newInstallation()]);
  t.after(() => Promise.all([here.remove(), there.remove()]));
  const serving = await here.serve();
  const [token, document] = [serving.given('token'), serving.given('document')];
  const path = `/documents/${document}/values/Summary!A1:G5`;
  const before = await serving.call(token, 'GET', path);
  assert.equal(before.status, 200);

  const file = join(here.folder, 'all.backup');
  const { bytes, rows, ...made } = await here.json('backup', '--to', file);
  assert.deepEqual(made, { file, documents: 1, key: true });
  assert.ok(bytes > 0 && rows > 0);
  await serving.end('SIGTERM');

  const { documents, lost } = await there.json('restore', '--from', file);
  assert.deepEqual([documents, lost], [1, []]);
  const again = await there.run('restore', '--from', file, '--json');
  assert.deepEqual([again.code, again.stdout], [1, '']);
  assert.match(again.stderr, /^error: There is (a database|data) in .* already: choose an empty one/);

  const place = await newInstallation();
  t.after(() => place.remove());
  const to = place.location;
  const from = there.location;
  const text = (at: typeof to) => (at.kind === 'sqlite' ? at.folder : at.url);
  assert.deepEqual(await there.json('migrate', '--from', text(from), '--to', text(to)), { documents: 1, rows });

  const moved = await place.with({ CELLWIRE_SECRETS_KEY_FILE: await keyText(there.data, place.folder) }).serve();
  assert.deepEqual(await moved.call(token, 'GET', path), before);
  await moved.end('SIGTERM');
});

/** The key of a data folder as the settings take it. */
async function keyText(data: string, folder: string): Promise<string> {
  const path = join(folder, 'key');
  await writeFile(path, (await readFile(join(data, 'keys', 'secrets.key'))).toString('hex'), { mode: 0o600 });
  return path;
}
