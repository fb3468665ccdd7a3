import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createSchema } from '../../../store/test/postgres/server.ts';
import { toStoreLocation } from '../../src/compose/compose.ts';
import { startServer } from '../../src/compose/server.ts';
import type { Config } from '../../src/config/types.ts';
import {
  type Installation,
  type RestoreResult,
  restoreInstallation,
  writeBackup,
} from '../../src/service/operator/backup.ts';
import { describeRefusal, isRefusal, type Refusal } from '../../src/service/refusal.ts';
import { Api, requireAccepted, startWorld, type World } from '../http/support.ts';

/** The database of an installation. */
export type DatabaseKind = 'the embedded database' | 'PostgreSQL';

const ignoreSteps = (): void => {};
const NOW = Date.UTC(2026, 10, 22);

/** Creates a configuration with an empty data folder and an empty database. */
export async function createEmptyConfig(
  t: TestContext,
  kind: DatabaseKind,
  base: Config,
  folder: string,
): Promise<Config> {
  const config = { ...base, port: 0, dataFolder: folder, secretsKey: null };
  if (kind !== 'PostgreSQL') return { ...config, database: { ...base.database, url: null } };
  const schema = await createSchema();
  t.after(() => schema.remove());
  return { ...config, database: { ...base.database, url: schema.url } };
}

/** The installation that a configuration describes, as commands use it. */
export function toInstallation(config: Config): Installation {
  return { store: toStoreLocation(config), dataFolder: config.dataFolder, secretsKey: config.secretsKey };
}

export async function createBackup(config: Config, to: string, withoutKey = false) {
  return requireAccepted(await writeBackup(toInstallation(config), { to, withoutKey, now: NOW, onStep: ignoreSteps }));
}

export function restoreBackup(config: Config, from: string, withoutKey = false): Promise<RestoreResult | Refusal> {
  return restoreInstallation(toInstallation(config), { from, withoutKey, now: NOW, onStep: ignoreSteps });
}

/** The reason that a refusal states. */
export function readReason(result: object): string {
  assert.ok(isRefusal(result), JSON.stringify(result));
  return describeRefusal(result);
}

/** Starts a service on the given database, independent of the database of the test run. */
export async function startWorldOn(t: TestContext, kind: DatabaseKind): Promise<World> {
  const notifications = { allowPrivateNetworks: true };
  if (kind !== 'PostgreSQL') {
    const world = await startWorld({ notifications, databaseUrl: null });
    t.after(() => world.close());
    return world;
  }
  const schema = await createSchema();
  const world = await startWorld({ notifications, databaseUrl: schema.url });
  t.after(async () => {
    await world.close();
    await schema.remove();
  });
  return world;
}

/** Opens the same document on a service that starts with other data. */
export async function openOnNewService(t: TestContext, config: Config, book: Api): Promise<Api> {
  const server = await startServer(config);
  t.after(() => server.close());
  return new Api(server.address, book.token, book.document);
}
