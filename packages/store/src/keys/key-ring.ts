import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Database, prepareQuery, prepareStatement, type Statement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import { KEY_REFRESH_MS } from '../database/limits.ts';
import { sealedSecrets } from '../webhooks/webhooks.ts';
import {
  createSecretBox,
  deletePreviousKey,
  KEY_BYTES,
  type KeyLocation,
  loadOrCreateKey,
  readPreviousKey,
  replaceKeyFile,
  type SecretBox,
} from './secrets.ts';

/** Name of the row of `meta` with the fingerprint of the key that seals the database's secrets. */
export const KNOWN_KEY = 'secrets key';
/** Name prefix of the rows of `meta` with the successor of a key, sealed with that key. */
const SUCCESSOR = 'secrets key after ';
/** Conflict: another rotation finished first. */
const KEY_CHANGED = 'key changed';

export const knownKey = prepareQuery(() => sql.selectFrom('meta').select('value').where('name', '=', KNOWN_KEY));

const successorOf = prepareQuery((p: { name: string }) =>
  sql.selectFrom('meta').select('value').where('name', '=', p.name),
);

/** Inserts the successor of a key. An existing successor is kept. */
const insertSuccessor = prepareStatement((p: { name: string; value: string }) =>
  sql
    .insertInto('meta')
    .values({ name: p.name, value: p.value })
    .onConflict((conflict) => conflict.column('name').doNothing()),
);

const changeKnownKey = prepareStatement(
  (p: { from: string; to: string }) =>
    sql.updateTable('meta').set({ value: p.to }).where('name', '=', KNOWN_KEY).where('value', '=', p.from),
  { rows: 1, conflict: KEY_CHANGED },
);

type ResealParameters = { document_id: string; id: number; from: Uint8Array; to: Uint8Array };

/** Statements that replace a sealed value unless it has changed since it was read. */
const RESEAL_STATEMENTS = {
  secret: prepareStatement((p: ResealParameters) =>
    sql
      .updateTable('webhooks')
      .set({ secret: p.to })
      .where('document_id', '=', p.document_id)
      .where('id', '=', p.id)
      .where('secret', '=', p.from),
  ),
  old_secret: prepareStatement((p: ResealParameters) =>
    sql
      .updateTable('webhooks')
      .set({ old_secret: p.to })
      .where('document_id', '=', p.document_id)
      .where('id', '=', p.id)
      .where('old_secret', '=', p.from),
  ),
  bot_token: prepareStatement((p: ResealParameters) =>
    sql
      .updateTable('webhooks')
      .set({ bot_token: p.to })
      .where('document_id', '=', p.document_id)
      .where('id', '=', p.id)
      .where('bot_token', '=', p.from),
  ),
} as const;

type KeyStore = Pick<Database, 'readOne' | 'read' | 'write'>;

interface SealingKey {
  readonly bytes: Uint8Array;
  readonly box: SecretBox;
}

/**
 * The keys that open an installation's secrets. Secrets are sealed with the key whose fingerprint is in the database.
 * `meta` contains the successor of each rotated key, sealed with that key. A node that knows any of these keys
 * therefore finds the newest one, and no file has to be distributed.
 */
export class KeyRing implements SecretBox {
  private readonly store: KeyStore;
  private readonly location: KeyLocation;
  private readonly keys: SealingKey[];
  private current: SealingKey;

  private constructor(store: KeyStore, location: KeyLocation, first: Uint8Array) {
    this.store = store;
    this.location = location;
    this.current = createSealingKey(first);
    this.keys = [this.current];
  }

  /** Loads or creates the key of the installation, and loads the keys that the database keeps. */
  static async open(store: KeyStore, location: KeyLocation): Promise<KeyRing> {
    const ring = new KeyRing(store, location, loadOrCreateKey(location));
    const previous = location.secretsKey === null ? readPreviousKey(location.dataFolder) : null;
    await ring.loadSuccessors();
    if (previous !== null && previous.length === KEY_BYTES) ring.keys.unshift(createSealingKey(previous));
    return ring;
  }

  get fingerprint(): string {
    return this.current.box.fingerprint;
  }

  /** Encrypts a secret with the current key. */
  seal(secret: string): Uint8Array {
    return this.current.box.seal(secret);
  }

  /** Decrypts a secret with the key that sealed it. Null if no known key opens it. */
  open(sealed: Uint8Array): string | null {
    const opened = this.current.box.open(sealed);
    if (opened !== null) return opened;
    for (const { box } of this.keys) {
      const text = box === this.current.box ? null : box.open(sealed);
      if (text !== null) return text;
    }
    return null;
  }

  /** Uses the key with a fingerprint for sealing. Returns false if the ring does not contain it. */
  useKey(fingerprint: string): boolean {
    const key = this.keys.find(({ box }) => box.fingerprint === fingerprint);
    if (key !== undefined) this.current = key;
    return key !== undefined;
  }

  /**
   * Adopts rotations by other processes: uses the newest key, stores it in the data folder if the key is kept there,
   * and reseals secrets that were sealed with an older key.
   */
  async refresh(): Promise<void> {
    await this.loadSuccessors();
    const recordedKey = await this.store.readOne(knownKey({}));
    if (recordedKey === null || recordedKey.value === this.fingerprint) return;
    if (this.useKey(recordedKey.value)) await this.resealOldSecrets();
  }

  /** Creates a new key and reseals all secrets with it. Returns the number of secrets. */
  async rotateKey(): Promise<number> {
    const before = this.current;
    const next = await this.publishSuccessor(before);
    // After this time, every node has loaded the new key and can open secrets that are sealed with it.
    await setTimeout(2 * KEY_REFRESH_MS);
    const { statements, count } = await this.prepareReseal(next.box);
    const moved = changeKnownKey({ from: before.box.fingerprint, to: next.box.fingerprint });
    const outcome = await this.store.write({ document: null, statements: [moved, ...statements] });
    if (outcome.kind === 'conflict') throw new Error('the key was rotated by another process at the same time');
    this.current = next;
    if (this.location.secretsKey === null) replaceKeyFile(this.location.dataFolder, next.bytes);
    return count;
  }

  /** Returns the successor of a key. It continues an interrupted rotation. */
  private async publishSuccessor(before: SealingKey): Promise<SealingKey> {
    const fresh = randomBytes(KEY_BYTES);
    const name = SUCCESSOR + before.box.fingerprint;
    const value = Buffer.from(before.box.seal(fresh.toString('hex'))).toString('hex');
    await this.store.write({ document: null, statements: [insertSuccessor({ name, value })] });
    await this.loadSuccessors();
    const next = this.keys[this.keys.indexOf(before) + 1];
    if (next === undefined) throw new Error('the new key cannot be read back');
    return next;
  }

  /** Reseals secrets of older keys, and deletes the file of the previous key. */
  async resealOldSecrets(): Promise<void> {
    const { dataFolder, secretsKey } = this.location;
    if (secretsKey === null) replaceKeyFile(dataFolder, this.current.bytes);
    const { statements } = await this.prepareReseal(this.current.box);
    if (statements.length > 0) await this.store.write({ document: null, statements });
    if (secretsKey === null) deletePreviousKey(dataFolder);
  }

  /** True if no secret can be sealed with an older key. */
  get isSettled(): boolean {
    return this.keys.length === 1;
  }

  /** Appends the successors of the last key. */
  private async loadSuccessors(): Promise<void> {
    for (;;) {
      const last = this.keys.at(-1) ?? this.current;
      const row = await this.store.readOne(successorOf({ name: SUCCESSOR + last.box.fingerprint }));
      const hex = row === null ? null : last.box.open(Buffer.from(row.value, 'hex'));
      if (hex === null) return;
      this.keys.push(createSealingKey(Buffer.from(hex, 'hex')));
    }
  }

  /** Prepares statements that reseal with `box` the secrets that were sealed with other keys. */
  private async prepareReseal(
    box: SecretBox,
  ): Promise<{ readonly statements: readonly Statement[]; readonly count: number }> {
    const statements: Statement[] = [];
    let count = 0;
    for (const row of await this.store.read(sealedSecrets({}))) {
      for (const column of ['secret', 'old_secret', 'bot_token'] as const) {
        const from = row[column];
        const text = from === null ? null : this.open(from);
        if (from === null || text === null) continue;
        count++;
        if (box.open(from) !== null) continue;
        const { document_id, id } = row;
        statements.push(RESEAL_STATEMENTS[column]({ document_id, id, from, to: box.seal(text) }));
      }
    }
    return { statements, count };
  }
}

/** All rows of `meta` with successors of keys. */
export const successorRows = prepareQuery(() =>
  sql.selectFrom('meta').select(['name', 'value']).where('name', 'like', `${SUCCESSOR}%`),
);

/** Creates a box that opens secrets of a key and of all its successors. It seals with the given key. */
export function createSuccessorBox(
  first: SecretBox,
  rows: readonly { readonly name: string; readonly value: string }[],
): SecretBox {
  const boxes = [first];
  // The loop also visits boxes that it appends.
  for (const box of boxes) {
    const row = rows.find(({ name }) => name === SUCCESSOR + box.fingerprint);
    const hex = row === undefined ? null : box.open(Buffer.from(row.value, 'hex'));
    if (hex !== null) boxes.push(createSecretBox(Buffer.from(hex, 'hex')));
  }
  return { ...first, open: (sealed) => boxes.map((box) => box.open(sealed)).find((text) => text !== null) ?? null };
}

function createSealingKey(bytes: Uint8Array): SealingKey {
  return { bytes, box: createSecretBox(bytes) };
}
