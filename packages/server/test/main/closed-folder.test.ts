import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { WITH_FOLDER } from '../../../store/test/postgres/folder-databases.ts';
import { COMMAND, createInstallation, type Installation } from './support.ts';

/** A user without root permissions, because root ignores file modes. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
/** If only root can read the checkout, another user cannot start the command. */
const IS_UNREADABLE = spawnSync(process.execPath, [COMMAND, '--version'], UNPRIVILEGED).status !== 0;

function runDoctor(cellwire: Installation): readonly { name: string; ok: boolean; message: string }[] {
  const { stdout } = spawnSync(process.execPath, [COMMAND, 'doctor', '--json'], { ...UNPRIVILEGED, env: cellwire.env });
  return JSON.parse(stdout.toString()).checks;
}

test('doctor reports a data folder that its user cannot write or enter', {
  // If only root can read the checkout, no other user can start the command.
  skip: WITH_FOLDER.skip || IS_UNREADABLE,
}, async (t) => {
  const cellwire = await createInstallation();
  t.after(() => cellwire.remove());
  await cellwire.runForJson('user', 'create', '--email', 'a@example.org', '--name', 'A');
  if ('uid' in UNPRIVILEGED) execFileSync('chown', ['-R', `${UNPRIVILEGED.uid}:${UNPRIVILEGED.gid}`, cellwire.folder]);
  assert.ok(runDoctor(cellwire).every(({ ok }) => ok));
  const restrictions = [
    [join(cellwire.data, 'cellwire.db'), 0o400],
    [cellwire.data, 0o500],
    [cellwire.data, 0o000],
  ] as const;
  for (const [path, mode] of restrictions) {
    await chmod(path, mode);
    const failed = runDoctor(cellwire).find(({ ok }) => !ok);
    assert.equal(failed?.name, 'data folder');
    assert.ok(failed.message.includes(`may not write ${path}`), failed.message);
  }
  await chmod(cellwire.data, 0o700);
});
