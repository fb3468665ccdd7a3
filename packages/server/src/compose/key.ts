import { existsSync } from 'node:fs';
import type { Config } from '../config/types.ts';
import { adoptKey, unreadable } from '../store/known-key.ts';
import { openStore } from '../store/location.ts';
import { openSecretBox } from '../store/secrets.ts';
import { sealedSecrets } from '../store/webhooks.ts';
import { storeOf } from './compose.ts';

/**
 * Makes the key of this configuration the database's, where the one before is lost; null where there is no data. `lost`:
 * ids of the subscriptions whose secrets it does not open.
 */
export async function adoptPresentKey(config: Config): Promise<{ readonly lost: readonly number[] } | null> {
  if (config.database.url === null && !existsSync(config.dataFolder)) return null;
  const secrets = openSecretBox(config);
  const database = await openStore(storeOf(config), 'command');
  try {
    await adoptKey(database, secrets);
    const lost = unreadable(secrets, await database.read(sealedSecrets({})), Date.now());
    return { lost: lost.map(({ id }) => id) };
  } finally {
    await database.close();
  }
}
