import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { send } from '../http/send.ts';
import { type Installation, newInstallation } from './support.ts';

const SECRET = /cw_\w+|password|one-time/;

suite('serve --secrets-to', { concurrency: false }, () => {
  const installation = async (t: TestContext): Promise<Installation> => {
    const made = await newInstallation();
    t.after(() => made.remove());
    return made;
  };

  test('writes the first secrets to a file of its user alone, and says only where they are', async (t) => {
    const cellwire = await installation(t);
    const file = join(cellwire.folder, 'secrets.txt');
    // Of an installation before, and readable for others.
    await writeFile(file, 'old');
    await chmod(file, 0o644);
    const serving = await cellwire.serve({ args: ['--secrets-to', file], isLogKept: true });
    t.after(() => serving.end('SIGTERM'));
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.doesNotMatch(serving.printed, SECRET);
    assert.doesNotMatch(serving.log, SECRET);
    assert.ok(serving.printed.includes(file), serving.printed);
    const text = await readFile(file, 'utf8');
    const given = (label: string) => new RegExp(`^ *${label} +(\\S+)`, 'm').exec(text)?.[1] ?? '';
    const read = await send(`${serving.address}/api/v1/documents/${given('document')}`, {
      headers: { authorization: `Bearer ${given('token')}` },
    });
    assert.equal(read.status, 200);
    assert.match(given('password'), /^\S{12,}$/);
  });

  test('makes the file in a data folder that the start makes, and leaves it alone at later starts', async (t) => {
    const cellwire = await installation(t);
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

  test('is refused before anything is made where the file cannot be written', async (t) => {
    const cellwire = await installation(t);
    const folder = join(cellwire.folder, 'folder');
    await mkdir(folder);
    for (const file of [join(cellwire.folder, 'missing/secrets.txt'), folder]) {
      const { code, stdout, stderr } = await cellwire.run('serve', '--secrets-to', file);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /--secrets-to: /);
    }
    assert.ok(!existsSync(cellwire.data));
  });
});
