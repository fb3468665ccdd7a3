import { type Database, prepareStatement, StoreError } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import { type SealedSecrets, sealedSecrets } from '../webhooks/webhooks.ts';
import { KeyRing, knownKey, KNOWN_KEY as NAME } from './key-ring.ts';
import { hasKey, type KeyLocation, type SecretBox } from './secrets.ts';

/** Of several nodes that start at once the first says which key it is. */
const rememberKey = prepareStatement((p: { fingerprint: string }) =>
  sql
    .insertInto('meta')
    .values({ name: NAME, value: p.fingerprint })
    .onConflict((conflict) => conflict.column('name').doNothing()),
);

/** From now on the database is used with that key. */
export const replaceKey = prepareStatement((p: { fingerprint: string }) =>
  sql
    .insertInto('meta')
    .values({ name: NAME, value: p.fingerprint })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: p.fingerprint })),
);

const WRONG_KEY =
  'The key for secrets is not the one that this database was used with. Give all nodes the same: set ' +
  'CELLWIRE_SECRETS_KEY, or put back keys/secrets.key. Where that key is lost: cellwire key adopt';

/**
 * Holds a key against the one that the database's secrets are sealed with; the first one is remembered. Rejects with
 * `StoreError` (`WRONG_KEY`) where it is another: with it, nodes would seal what the others cannot read.
 */
export async function verifyKey(database: Pick<Database, 'readOne' | 'read' | 'write'>, box: SecretBox): Promise<void> {
  const known = await database.readOne(knownKey({}));
  if (known?.value === box.fingerprint) return;
  if (known !== null && box instanceof KeyRing && box.useKey(known.value)) return;
  if (known === null && !belongsToAnotherKey(box, await database.read(sealedSecrets({})))) {
    await database.write({ document: null, statements: [rememberKey({ fingerprint: box.fingerprint })] });
    if ((await database.readOne(knownKey({})))?.value === box.fingerprint) return;
  }
  throw new StoreError(WRONG_KEY, 'WRONG_KEY');
}

/**
 * Opens with the key of this place; one is made where there is none and the database does not know any. Rejects as
 * `checkKey` does, and then leaves no key behind that would stand in the way of the right one.
 */
export async function openKeyRing(
  database: Pick<Database, 'readOne' | 'read' | 'write'>,
  place: KeyLocation,
): Promise<KeyRing> {
  if (!hasKey(place)) {
    const known = await database.readOne(knownKey({}));
    if (known !== null || (await database.read(sealedSecrets({}))).length > 0)
      throw new StoreError(WRONG_KEY, 'WRONG_KEY');
  }
  const ring = await KeyRing.open(database, place);
  await verifyKey(database, ring);
  return ring;
}

/** From now on this is the key; what is sealed with another stays unreadable. */
export async function adoptKey(database: Pick<Database, 'write'>, box: SecretBox): Promise<void> {
  await database.write({ document: null, statements: [replaceKey({ fingerprint: box.fingerprint })] });
}

/** Subscriptions with something in use that a key (null: none) does not open; `now` in milliseconds since 1970. */
export function unreadableSubscriptions(
  box: SecretBox | null,
  rows: readonly SealedSecrets[],
  now: number,
): readonly SealedSecrets[] {
  return rows.filter(({ secret, old_secret, old_secret_until, bot_token }) => {
    // One whose overlap is over stays where it is until the next rotation, and signs nothing any more.
    const old = (old_secret_until ?? 0) > now ? old_secret : null;
    return [secret, old, bot_token].some((sealed) => sealed !== null && (box === null || box.open(sealed) === null));
  });
}

/** A database of before keys were remembered: one that opens nothing of what is there is another's. */
function belongsToAnotherKey(box: SecretBox, rows: readonly SealedSecrets[]): boolean {
  return rows.length > 0 && unreadableSubscriptions(box, rows, Number.POSITIVE_INFINITY).length === rows.length;
}
