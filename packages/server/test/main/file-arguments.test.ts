import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createInstallation } from './support.ts';

/** Error texts of the system: `ENOENT: no such file`, `(EACCES)`. */
const SYSTEM_TEXT = /\bE[A-Z]{3,}\b|no such file or directory|errno|syscall/;

test('a command with an unusable file argument names the path and the reason in words', async (t) => {
  const cellwire = await createInstallation();
  t.after(() => cellwire.remove());
  await cellwire.runForJson('user', 'create', '--email', 'anna@example.com', '--name', 'Anna');
  const { id } = await cellwire.runForJson('document', 'create', '--owner', 'anna@example.com', '--title', 'Orders');
  const resolvePath = (...path: readonly string[]) => join(cellwire.folder, ...path);
  await mkdir(resolvePath('folder'));
  await writeFile(resolvePath('file'), 'x');
  const missing = resolvePath('missing', 'file');
  const below = resolvePath('file', 'below');
  const owner = ['--owner', 'anna@example.com', '--title', 'Imported'];
  const user = ['--user', 'anna@example.com'];
  const commands: readonly (readonly string[])[] = [
    ['google-key', 'create', ...user, '--out', missing],
    ['google-key', 'create', ...user, '--out', below],
    ['google-key', 'create', ...user, '--out', resolvePath('folder')],
    ['google-key', 'create', ...user, '--out', resolvePath('file')],
    ['google-proxy', '--listen', '127.0.0.1:0', '--ca-dir', below],
    ['user', 'export', ...user, '--to', missing],
    ['user', 'export', ...user, '--to', below],
    ['user', 'export', ...user, '--to', resolvePath('folder')],
    ['document', 'create', ...owner, '--from', `${missing}.csv`],
    ['document', 'create', ...owner, '--from', `${below}.xlsx`],
    ['document', 'create', ...owner, '--from', `${missing}.cellwire`],
    ['document', 'create', ...owner, '--from', `${below}.cellwire`],
    ['document', 'export', '--document', id, '--to', `${missing}.xlsx`],
    ['document', 'export', '--document', id, '--to', `${below}.csv`],
    ['document', 'export', '--document', id, '--to', `${missing}.cellwire`],
    ['document', 'export', '--document', id, '--to', `${below}.cellwire`],
    ['backup', '--to', missing],
    ['backup', '--to', below],
    ['backup', '--to', resolvePath('folder')],
    ['backup', 'verify', missing],
    ['backup', 'verify', below],
    ['backup', 'verify', resolvePath('folder')],
    ['restore', '--from', missing],
    ['restore', '--from', resolvePath('folder')],
    ['restore', '--from', missing, '--document', id],
    ['restore', '--from', resolvePath('folder'), '--document', id],
    ['migrate', '--from', missing, '--to', resolvePath('new')],
    ['migrate', '--from', below, '--to', resolvePath('new')],
    ['migrate', '--from', cellwire.data, '--to', below],
    ['serve', '--secrets-to', missing],
    ['serve', '--secrets-to', below],
    ['serve', '--secrets-to', resolvePath('folder')],
  ];
  for (const words of commands) {
    const { code, stdout, stderr } = await cellwire.runCommand(...words);
    const line = `${words.join(' ')}\n${stdout}${stderr}`;
    assert.equal(code, 1, line);
    assert.doesNotMatch(stderr.replaceAll(cellwire.folder, ''), SYSTEM_TEXT, line);
    assert.match(stderr, /missing|file|folder/, line);
  }
  const { keys } = await cellwire.runForJson('google-key', 'list');
  assert.equal(keys.filter((key: { revokedAt: string | null }) => key.revokedAt === null).length, 0);
});
