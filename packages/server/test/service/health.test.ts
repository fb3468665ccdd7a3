import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import Sqlite from 'better-sqlite3';
import { openSqlite } from '../../../store/src/sqlite/database.ts';
import { createReadinessCheck } from '../../src/service/health.ts';
import { createInstallation, createTemporaryFolder } from '../documents/support.ts';

/** Longer than a write takes on a busy machine, in milliseconds. */
const LONG_MS = 60_000;

test('a service is not ready while its writes do not reach the disk, and ready again afterwards', async (t) => {
  const folder = createTemporaryFolder(t);
  const database = openSqlite({ folder, writer: 'thread' });
  const isReady = createReadinessCheck({ database, folder, cacheMs: 0, timeoutMs: 20 });
  const patient = createReadinessCheck({ database, folder, cacheMs: 0, timeoutMs: LONG_MS });
  assert.equal(await patient(), true);
  const other = new Sqlite(join(folder, 'cellwire.db'));
  other.exec('begin immediate');
  assert.equal(await isReady(), false);
  other.exec('rollback');
  other.close();
  assert.equal(await patient(), true);
  await database.close();
  assert.equal(await patient(), false);
});

test('a service on a full disk is not ready, though a small write still succeeds', async (t) => {
  const folder = createTemporaryFolder(t);
  const database = openSqlite({ folder, writer: 'inline' });
  const checkReadiness = (checkedFolder: string | null) =>
    createReadinessCheck({ database, folder: checkedFolder, timeoutMs: LONG_MS, minFreeBytes: Number.MAX_VALUE })();
  assert.deepEqual([await checkReadiness(folder), await checkReadiness(null)], [false, true]);
  await database.close();
});

test('concurrent readiness checks share one write', async (t) => {
  const { database } = await createInstallation(t);
  let writes = 0;
  const write: typeof database.write = (unit) => {
    writes++;
    return database.write(unit);
  };
  const isReady = createReadinessCheck({ database: { write }, folder: null, cacheMs: LONG_MS, timeoutMs: LONG_MS });
  const answers = await Promise.all(Array.from({ length: 50 }, () => isReady()));
  assert.deepEqual([answers.every(Boolean), await isReady(), writes], [true, true, 1]);
});
