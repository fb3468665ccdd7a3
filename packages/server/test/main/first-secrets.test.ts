import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { sendHttp } from '../http/send.ts';
import { createInstallation, type Installation } from './support.ts';

const SECRET = /cw_\w+|password|one-time/;

suite('serve --secrets-to', { concurrency: false }, () => {
  const setUpInstallation = async (t: TestContext): Promise<Installation> => {
    const created = await createInstallation();
    t.after(() => created.remove());
    return created;
  };

  test('writes the first secrets to a private file and prints only its path', async (t) => {
    const cellwire = await setUpInstallation(t);
    const file = join(cellwire.folder, 'secrets.txt');
    // A file of an earlier installation, readable by others.
    await writeFile(file, 'old');
    await chmod(file, 0o644);
    const service = await cellwire.serve({ args: ['--secrets-to', file], isLogKept: true });
    t.after(() => service.end('SIGTERM'));
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.doesNotMatch(service.printed, SECRET);
    assert.doesNotMatch(service.log, SECRET);
    assert.ok(service.printed.includes(file), service.printed);
    const text = await readFile(file, 'utf8');
    const readLabelledValue = (label: string) => new RegExp(`^ *${label} +(\\S+)`, 'm').exec(text)?.[1] ?? '';
    const response = await sendHttp(`${service.address}/api/v1/documents/${readLabelledValue('document')}`, {
      headers: { authorization: `Bearer ${readLabelledValue('token')}` },
    });
    assert.equal(response.status, 200);
    assert.match(readLabelledValue('password'), /^\S{12,}$/);
  });

  test('creates the file in a new data folder, and does not change it at later starts', async (t) => {
    const cellwire = await setUpInstallation(t);
    const file = join(cellwire.data, 'secrets.txt');
    const first = await cellwire.serve({ args: ['--secrets-to', file] });
    await first.end('SIGTERM');
    const text = await readFile(file, 'utf8');
    assert.match(text, SECRET);
    const second = await cellwire.serve({ args: ['--secrets-to', file] });
    await second.end('SIGTERM');
    assert.equal(second.printed, '');
    assert.equal(await readFile(file, 'utf8'), text);
  });

  test('is refused before anything is created if the file cannot be written', async (t) => {
    const cellwire = await setUpInstallation(t);
    const folder = join(cellwire.folder, 'folder');
    await mkdir(folder);
    for (const file of [join(cellwire.folder, 'missing/secrets.txt'), folder]) {
      const { code, stdout, stderr } = await cellwire.runCommand('serve', '--secrets-to', file);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /--secrets-to: /);
    }
    assert.ok(!existsSync(cellwire.data));
  });
});
