import { type Database, prepareStatement, StoreError } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import { type SealedSecrets, sealedSecrets } from '../webhooks/webhooks.ts';
import { KeyRing, knownKey, KNOWN_KEY as NAME } from './key-ring.ts';
import { hasKey, type KeyLocation, type SecretBox } from './secrets.ts';

/** Records the key. If several nodes start at once, the first one wins. */
const rememberKey = prepareStatement((p: { fingerprint: string }) =>
  sql
    .insertInto('meta')
    .values({ name: NAME, value: p.fingerprint })
    .onConflict((conflict) => conflict.column('name').doNothing()),
);

/** Replaces the recorded key. */
export const replaceKey = prepareStatement((p: { fingerprint: string }) =>
  sql
    .insertInto('meta')
    .values({ name: NAME, value: p.fingerprint })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: p.fingerprint })),
);

const WRONG_KEY =
  'The key for secrets is not the one of this database. Give all nodes the same: set ' +
  'CELLWIRE_SECRETS_KEY, or put back keys/secrets.key. If that key is lost: cellwire key adopt';

/**
 * Compares a key with the one recorded in the database; if none is recorded, records the key. Rejects with `StoreError`
 * (`WRONG_KEY`) if it is another key, because a node would then seal secrets that other nodes cannot open.
 */
export async function verifyKey(database: Pick<Database, 'readOne' | 'read' | 'write'>, box: SecretBox): Promise<void> {
  const recordedKey = await database.readOne(knownKey({}));
  if (recordedKey?.value === box.fingerprint) return;
  if (recordedKey !== null && box instanceof KeyRing && box.useKey(recordedKey.value)) return;
  if (recordedKey === null && !belongsToAnotherKey(box, await database.read(sealedSecrets({})))) {
    await database.write({ document: null, statements: [rememberKey({ fingerprint: box.fingerprint })] });
    if ((await database.readOne(knownKey({})))?.value === box.fingerprint) return;
  }
  throw new StoreError(WRONG_KEY, 'WRONG_KEY');
}

/**
 * Opens the key ring with the key of a location. A key is created if there is none and the database records none.
 * Rejects as `verifyKey` does, without leaving a new key behind.
 */
export async function openKeyRing(
  database: Pick<Database, 'readOne' | 'read' | 'write'>,
  location: KeyLocation,
): Promise<KeyRing> {
  if (!hasKey(location)) {
    const recordedKey = await database.readOne(knownKey({}));
    if (recordedKey !== null || (await database.read(sealedSecrets({}))).length > 0)
      throw new StoreError(WRONG_KEY, 'WRONG_KEY');
  }
  const ring = await KeyRing.open(database, location);
  await verifyKey(database, ring);
  return ring;
}

/** Records a key as the current one. Secrets sealed with another key stay unreadable. */
export async function adoptKey(database: Pick<Database, 'write'>, box: SecretBox): Promise<void> {
  await database.write({ document: null, statements: [replaceKey({ fingerprint: box.fingerprint })] });
}

/**
 * Returns subscriptions with an active secret that `box` (null for no key) cannot open. `now`: in milliseconds since
 * 1970-01-01 UTC.
 */
export function findUnreadableSecrets(
  box: SecretBox | null,
  rows: readonly SealedSecrets[],
  now: number,
): readonly SealedSecrets[] {
  return rows.filter(({ secret, old_secret, old_secret_until, bot_token }) => {
    // An old secret stays stored until the next rotation, but after its overlap it is not used for signatures.
    const old = (old_secret_until ?? 0) > now ? old_secret : null;
    return [secret, old, bot_token].some((sealed) => sealed !== null && (box === null || box.open(sealed) === null));
  });
}

/**
 * True if a key opens none of the secrets, which means that it belongs to another database. For databases without a
 * recorded key.
 */
function belongsToAnotherKey(box: SecretBox, rows: readonly SealedSecrets[]): boolean {
  return rows.length > 0 && findUnreadableSecrets(box, rows, Number.POSITIVE_INFINITY).length === rows.length;
}
