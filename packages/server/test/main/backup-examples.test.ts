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
import { COMMAND, type Installation, newInstallation, type Serving } from './support.ts';

const PAGE = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');
const DAY_S = 86_400;
const GPG = { skip: spawnSync('gpg', ['--version']).status === 0 ? false : 'gpg is not installed' };

/** The indented block of the page that begins with a text. */
function blockWith(start: string): string {
  const from = PAGE.indexOf(`\n    ${start}`);
  assert.ok(from >= 0, start);
  const [block = ''] = /^(?:\n {4}.*)+/.exec(PAGE.slice(from)) ?? [];
  return block.replaceAll(/^ {4}/gm, '').trim();
}

suite('the examples of backups', { concurrency: false }, () => {
  const place = mkdtempSync(join(tmpdir(), 'cellwire-backups-'));
  const [backups, settings, programs] = ['backup', 'etc', 'bin'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  let cellwire: Installation;
  let serving: Serving;

  before(async () => {
    for (const folder of [backups, settings, programs]) mkdirSync(folder);
    writeFileSync(join(programs, 'cellwire'), `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`, {
      mode: 0o755,
    });
    cellwire = await newInstallation();
    serving = await cellwire.serve();
  });
  after(async () => {
    await serving.end('SIGTERM');
    await cellwire.remove();
    rmSync(place, { recursive: true, force: true });
  });

  /** Runs lines of the page with the folders of this test in place of the page's. */
  const run = (lines: string, shell: 'sh' | 'bash', data = cellwire.data) => {
    const here = lines
      .replaceAll('/var/lib/cellwire', data)
      .replaceAll('/etc/cellwire', settings)
      .replaceAll(/(?<=[\s=])\/backup\b/g, backups);
    const env = { ...cellwire.env, PATH: `${programs}:${process.env['PATH']}`, GNUPGHOME: settings };
    return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const child = execFile(shell, ['-c', here], { env, cwd: place }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stdout, stderr }),
      );
    });
  };
  const old = (name: string, days: number) => {
    const file = join(backups, name);
    writeFileSync(file, '');
    const at = Date.now() / 1_000 - days * DAY_S;
    utimesSync(file, at, at);
  };

  const cronLine = () => {
    const [, command = ''] = /^ {4}15 3 \* \* \* cellwire {2}(.+)$/m.exec(PAGE) ?? [];
    // An unescaped % ends the line in a crontab.
    assert.doesNotMatch(command, /(?<!\\)%/);
    return command.replaceAll('\\%', '%');
  };

  test('the scheduled one writes a file that can be restored, and deletes those that are two weeks old', async () => {
    old('cellwire-2000-01-01.backup', 20);
    old('cellwire-2000-01-02.backup', 10);
    const { code, stderr } = await run(cronLine(), 'sh');
    assert.equal(code, 0, stderr);
    const names = readdirSync(backups).sort();
    assert.equal(names.length, 2);
    assert.equal(names[0], 'cellwire-2000-01-02.backup');
    const restored = await newInstallation();
    const made = await restored.json('restore', '--from', join(backups, names[1] ?? ''));
    assert.equal(made.documents, 1);
    await restored.remove();
  });

  test('the scheduled one deletes nothing where the backup fails', async () => {
    for (const name of readdirSync(backups)) rmSync(join(backups, name));
    old('cellwire-2000-01-01.backup', 20);
    const { code } = await run(cronLine(), 'sh', join(place, 'no-data'));
    assert.notEqual(code, 0);
    assert.deepEqual(readdirSync(backups), ['cellwire-2000-01-01.backup']);
  });

  test('the encrypted one is read with the secret key alone', GPG, async () => {
    for (const name of readdirSync(backups)) rmSync(join(backups, name));
    old('cellwire-2000-01-01.backup.gpg', 20);
    const keys = await run(blockWith('gpg --batch --passphrase'), 'bash');
    assert.equal(keys.code, 0, keys.stderr);
    writeFileSync(join(settings, 'backup.asc'), readFileSync(join(place, 'backup.asc')));
    const script = blockWith('#!/bin/bash');
    const failed = await run(script, 'bash', join(place, 'no-data'));
    assert.notEqual(failed.code, 0);
    assert.ok(existsSync(join(backups, 'cellwire-2000-01-01.backup.gpg')));
    const { code, stderr } = await run(script, 'bash');
    assert.equal(code, 0, stderr);
    const [made = '', ...others] = readdirSync(backups).filter((name) => name.endsWith('.gpg'));
    assert.deepEqual(others, []);
    const bytes = readFileSync(join(backups, made));
    assert.equal(bytes.indexOf('owner@localhost'), -1);
    const decrypt = blockWith('gpg --batch --output').replace('cellwire-2026-11-22.backup.gpg', join(backups, made));
    const read = await run(decrypt, 'bash');
    assert.equal(read.code, 0, read.stderr);
    assert.match(read.stdout, /is sound: 1 documents/);
    spawnSync('gpgconf', ['--kill', 'all'], { env: { ...process.env, GNUPGHOME: settings } });
  });
});

for (const database of ['the embedded database', 'PostgreSQL']) {
  test(`one document comes back out of a backup, into its own place beside the service, on ${database}`, async (t) => {
    const at = database === 'PostgreSQL' ? await createSchema() : null;
    const cellwire = await newInstallation(at === null ? {} : { CELLWIRE_DATABASE_URL: at.url });
    const serving = await cellwire.serve();
    t.after(async () => {
      await serving.end('SIGTERM');
      await cellwire.remove();
      await at?.remove();
    });
    const [token, document] = [serving.given('token'), serving.given('document')];
    const values = `/documents/${document}/values/A60`;
    const shown = async () => (await serving.call(token, 'GET', values)).body.values.cells[0][0]?.v;
    await serving.call(token, 'PUT', values, { values: [['before']] });
    const file = join(cellwire.folder, 'all.backup');
    const made = await cellwire.json('backup', '--to', file);
    assert.deepEqual([made.documents, made.damaged], [1, []]);
    const age = /^cellwire_last_backup_age_seconds (\S+)$/m.exec((await serving.text('/metrics')).text)?.[1];
    assert.ok(Number(age) < 300);
    await serving.call(token, 'PUT', values, { values: [['after']] });
    const refused = await cellwire.run('restore', '--from', file, '--document', document);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /--replace/);
    assert.equal(await shown(), 'after');
    const replaced = await cellwire.json('restore', '--from', file, '--document', document, '--replace');
    assert.deepEqual(replaced, { documents: 1, problems: [] });
    assert.equal(await shown(), 'before');
    assert.equal((await serving.call(token, 'PUT', values, { values: [['again']] })).status, 200);
    await cellwire.json('document', 'delete', '--document', document);
    assert.equal((await serving.call(token, 'GET', values)).status, 404);
    await cellwire.json('restore', '--from', file, '--document', document, '--replace');
    assert.equal(await shown(), 'before');
  });
}
