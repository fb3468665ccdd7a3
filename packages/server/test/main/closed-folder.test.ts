import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { WITH_FOLDER } from '../../../store/test/postgres/folder-databases.ts';
import { COMMAND, type Installation, newInstallation } from './support.ts';

/** For whom permissions count: root is let through all of them. */
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
/** Where the checkout is root's alone, nobody else can start the command. */
const OUT_OF_REACH = spawnSync(process.execPath, [COMMAND, '--version'], USER).status !== 0;

function doctor(cellwire: Installation): readonly { name: string; ok: boolean; message: string }[] {
  const { stdout } = spawnSync(process.execPath, [COMMAND, 'doctor', '--json'], { ...USER, env: cellwire.env });
  return JSON.parse(stdout.toString()).checks;
}

test('doctor tells of a data folder that this user may not write, or not even enter', {
  // If only root can read the checkout, no other user can start the command.
  skip: WITH_FOLDER.skip || OUT_OF_REACH,
}, async (t) => {
  const cellwire = await newInstallation();
  t.after(() => cellwire.remove());
  await cellwire.json('user', 'create', '--email', 'a@example.org', '--name', 'A');
  if ('uid' in USER) execFileSync('chown', ['-R', `${USER.uid}:${USER.gid}`, cellwire.folder]);
  assert.ok(doctor(cellwire).every(({ ok }) => ok));
  const closings = [
    [join(cellwire.data, 'cellwire.db'), 0o400],
    [cellwire.data, 0o500],
    [cellwire.data, 0o000],
  ] as const;
  for (const [path, mode] of closings) {
    await chmod(path, mode);
    const failed = doctor(cellwire).find(({ ok }) => !ok);
    assert.equal(failed?.name, 'data folder');
    assert.ok(failed.message.includes(`may not write ${path}`), failed.message);
  }
  await chmod(cellwire.data, 0o700);
});
