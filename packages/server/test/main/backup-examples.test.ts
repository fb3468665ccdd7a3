import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { createSchema } from '../../../store/test/postgres/server.ts';
import { COMMAND, createInstallation, type Installation, type LocalService } from './support.ts';

const PAGE = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');
const DAY_S = 86_400;
const GPG = { skip: spawnSync('gpg', ['--version']).status === 0 ? false : 'gpg is not installed' };

/** The indented block of the page that starts with the given text. */
function findBlock(start: string): string {
  const from = PAGE.indexOf(`\n    ${start}`);
  assert.ok(from >= 0, start);
  const [block = ''] = /^(?:\n {4}.*)+/.exec(PAGE.slice(from)) ?? [];
  return block.replaceAll(/^ {4}/gm, '').trim();
}

suite('the backup examples', { concurrency: false }, () => {
  const workFolder = mkdtempSync(join(tmpdir(), 'cellwire-backups-'));
  const [backups, settings, programs] = ['backup', 'etc', 'bin'].map((name) => join(workFolder, name)) as [
    string,
    string,
    string,
  ];
  let cellwire: Installation;
  let service: LocalService;

  before(async () => {
    for (const folder of [backups, settings, programs]) mkdirSync(folder);
    writeFileSync(join(programs, 'cellwire'), `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`, {
      mode: 0o755,
    });
    cellwire = await createInstallation();
    service = await cellwire.serveInProcess();
  });
  after(async () => {
    await service.end();
    await cellwire.remove();
    rmSync(workFolder, { recursive: true, force: true });
  });

  /** Runs command lines of the page. Replaces the folders on the page by folders of this test. */
  const run = (lines: string, shell: 'sh' | 'bash', data = cellwire.data) => {
    const commands = lines
      .replaceAll('/var/lib/cellwire', data)
      .replaceAll('/etc/cellwire', settings)
      .replaceAll(/(?<=[\s=])\/backup\b/g, backups);
    const env = { ...cellwire.env, PATH: `${programs}:${process.env['PATH']}`, GNUPGHOME: settings };
    return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const child = execFile(shell, ['-c', commands], { env, cwd: workFolder }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stdout, stderr }),
      );
    });
  };
  const createOldFile = (name: string, days: number) => {
    const file = join(backups, name);
    writeFileSync(file, '');
    const modifiedAt = Date.now() / 1_000 - days * DAY_S;
    utimesSync(file, modifiedAt, modifiedAt);
  };

  const readCronLine = () => {
    const [, command = ''] = /^ {4}15 3 \* \* \* cellwire {2}(.+)$/m.exec(PAGE) ?? [];
    // An unescaped % ends the command in a crontab.
    assert.doesNotMatch(command, /(?<!\\)%/);
    return command.replaceAll('\\%', '%');
  };

  test('the scheduled backup writes a restorable file and deletes files older than two weeks', async () => {
    createOldFile('cellwire-2000-01-01.backup', 20);
    createOldFile('cellwire-2000-01-02.backup', 10);
    const { code, stderr } = await run(readCronLine(), 'sh');
    assert.equal(code, 0, stderr);
    const names = readdirSync(backups).sort();
    assert.equal(names.length, 2);
    assert.equal(names[0], 'cellwire-2000-01-02.backup');
    const restored = await createInstallation();
    const result = await restored.runForJson('restore', '--from', join(backups, names[1] ?? ''));
    assert.equal(result.documents, 1);
    await restored.remove();
  });

  test('the scheduled backup deletes nothing if it fails', async () => {
    for (const name of readdirSync(backups)) rmSync(join(backups, name));
    createOldFile('cellwire-2000-01-01.backup', 20);
    const { code } = await run(readCronLine(), 'sh', join(workFolder, 'no-data'));
    assert.notEqual(code, 0);
    assert.deepEqual(readdirSync(backups), ['cellwire-2000-01-01.backup']);
  });

  test('the encrypted backup is readable with the secret key only', GPG, async () => {
    for (const name of readdirSync(backups)) rmSync(join(backups, name));
    createOldFile('cellwire-2000-01-01.backup.gpg', 20);
    const keys = await run(findBlock('gpg --batch --passphrase'), 'bash');
    assert.equal(keys.code, 0, keys.stderr);
    writeFileSync(join(settings, 'backup.asc'), readFileSync(join(workFolder, 'backup.asc')));
    const script = findBlock('#!/bin/bash');
    const failed = await run(script, 'bash', join(workFolder, 'no-data'));
    assert.notEqual(failed.code, 0);
    assert.ok(existsSync(join(backups, 'cellwire-2000-01-01.backup.gpg')));
    const { code, stderr } = await run(script, 'bash');
    assert.equal(code, 0, stderr);
    const [encryptedName = '', ...others] = readdirSync(backups).filter((name) => name.endsWith('.gpg'));
    assert.deepEqual(others, []);
    const bytes = readFileSync(join(backups, encryptedName));
    assert.equal(bytes.indexOf('owner@localhost'), -1);
    const decrypt = findBlock('gpg --batch --output').replace(
      'cellwire-2026-11-22.backup.gpg',
      join(backups, encryptedName),
    );
    const decrypted = await run(decrypt, 'bash');
    assert.equal(decrypted.code, 0, decrypted.stderr);
    assert.match(decrypted.stdout, /is sound: 1 document\./);
    spawnSync('gpgconf', ['--kill', 'all'], { env: { ...process.env, GNUPGHOME: settings } });
  });
});

for (const database of ['the embedded database', 'PostgreSQL']) {
  test(`one document can be restored from a backup while the service runs, on ${database}`, async (t) => {
    const schema = database === 'PostgreSQL' ? await createSchema() : null;
    const cellwire = await createInstallation(schema === null ? {} : { CELLWIRE_DATABASE_URL: schema.url });
    const service = await cellwire.serve();
    t.after(async () => {
      await service.end('SIGTERM');
      await cellwire.remove();
      await schema?.remove();
    });
    const [token, document] = [service.readFirstStartValue('token'), service.readFirstStartValue('document')];
    const values = `/documents/${document}/values/A60`;
    const readCurrentValue = async () => (await service.call(token, 'GET', values)).body.values.cells[0][0]?.v;
    await service.call(token, 'PUT', values, { values: [['before']] });
    const file = join(cellwire.folder, 'all.backup');
    const result = await cellwire.runForJson('backup', '--to', file);
    assert.deepEqual([result.documents, result.damaged], [1, []]);
    const age = /^cellwire_last_backup_age_seconds (\S+)$/m.exec((await service.readText('/metrics')).text)?.[1];
    assert.ok(Number(age) < 300);
    await service.call(token, 'PUT', values, { values: [['after']] });
    const refused = await cellwire.runCommand('restore', '--from', file, '--document', document);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /--replace/);
    assert.equal(await readCurrentValue(), 'after');
    const replaced = await cellwire.runForJson('restore', '--from', file, '--document', document, '--replace');
    assert.deepEqual(replaced, { documents: 1, problems: [] });
    assert.equal(await readCurrentValue(), 'before');
    assert.equal((await service.call(token, 'PUT', values, { values: [['again']] })).status, 200);
    await cellwire.runForJson('document', 'delete', '--document', document);
    assert.equal((await service.call(token, 'GET', values)).status, 404);
    await cellwire.runForJson('restore', '--from', file, '--document', document, '--replace');
    assert.equal(await readCurrentValue(), 'before');
  });
}
