import { existsSync } from 'node:fs';
import { type Database, openStore } from '@cellwire/store';
import { adoptKey, KeyRing, unreadableSubscriptions } from '@cellwire/store/keys';
import { sealedSecrets } from '@cellwire/store/webhooks';
import type { Config } from '../config/types.ts';
import { storeOf } from './compose.ts';

interface Losses {
  /** Ids of the subscriptions whose secrets the present key does not open. */
  readonly lost: readonly number[];
}

/** What would be lost if the key of this configuration became the database's; null where there is no data. */
export function lostByAdoption(config: Config): Promise<Losses | null> {
  return withPresentKey(config, (database, ring) => lossesOf(database, ring));
}

/** Makes the key of this configuration the database's, where the one before is lost; null where there is no data. */
export function adoptPresentKey(config: Config): Promise<Losses | null> {
  return withPresentKey(config, async (database, ring) => {
    await adoptKey(database, ring);
    return lossesOf(database, ring);
  });
}

async function withPresentKey<T>(
  config: Config,
  work: (database: Database, ring: KeyRing) => Promise<T>,
): Promise<T | null> {
  if (config.database.url === null && !existsSync(config.dataFolder)) return null;
  const database = await openStore(storeOf(config), 'command');
  try {
    return await work(database, await KeyRing.open(database, config));
  } finally {
    await database.close();
  }
}

async function lossesOf(database: Database, ring: KeyRing): Promise<Losses> {
  const lost = unreadableSubscriptions(ring, await database.read(sealedSecrets({})), Date.now());
  return { lost: lost.map(({ id }) => id) };
}
