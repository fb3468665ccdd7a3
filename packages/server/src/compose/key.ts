import { existsSync } from 'node:fs';
import { type Database, openStore } from '@cellwire/store';
import { adoptKey, findUnreadableSecrets, KeyRing } from '@cellwire/store/keys';
import { sealedSecrets } from '@cellwire/store/webhooks';
import type { Config } from '../config/types.ts';
import { toStoreLocation } from './compose.ts';

interface KeyLosses {
  /** Ids of the subscriptions whose secrets the present key cannot decrypt. */
  readonly lost: readonly number[];
}

/** The losses if the configured key became the database's key; null: there is no data. */
export function previewAdoption(config: Config): Promise<KeyLosses | null> {
  return runWithPresentKey(config, (database, ring) => findLosses(database, ring));
}

/** Makes the configured key the database's key, after the previous key was lost; null: there is no data. */
export function adoptConfiguredKey(config: Config): Promise<KeyLosses | null> {
  return runWithPresentKey(config, async (database, ring) => {
    await adoptKey(database, ring);
    return findLosses(database, ring);
  });
}

/**
 * Opens the database and its keys for the task, and closes the database afterwards. Null if the embedded database has
 * no data folder yet.
 */
async function runWithPresentKey<T>(
  config: Config,
  work: (database: Database, ring: KeyRing) => Promise<T>,
): Promise<T | null> {
  if (config.database.url === null && !existsSync(config.dataFolder)) return null;
  const database = await openStore(toStoreLocation(config), 'command');
  try {
    return await work(database, await KeyRing.open(database, config));
  } finally {
    await database.close();
  }
}

/** Lists the ids of the subscriptions with a secret or bot token in use that no key of the ring can open. */
async function findLosses(database: Database, ring: KeyRing): Promise<KeyLosses> {
  const lost = findUnreadableSecrets(ring, await database.read(sealedSecrets({})), Date.now());
  return { lost: lost.map(({ id }) => id) };
}
