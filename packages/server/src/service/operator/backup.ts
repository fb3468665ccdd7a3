import type { Writable } from 'node:stream';
import { type RowDamage, StoreError, type StoreLocation } from '@cellwire/store';
import {
  createSecretBox,
  createSuccessorBox,
  findUnreadableSecrets,
  type KeyLocation,
  openSecretBox,
  readStoredKey,
  replaceKey,
  type SecretBox,
  storeKey,
  successorRows,
} from '@cellwire/store/keys';
import {
  type ArchiveHead,
  checkArchive,
  DamageList,
  type DocumentDamage,
  excludeDocuments,
  findSourceDamage,
  measureSource,
  openArchive,
  openSource,
  openTarget,
  recordBackup,
  streamArchive,
  type TransferTarget,
  writeArchive,
} from '@cellwire/store/transfer';
import { sealedSecrets } from '@cellwire/store/webhooks';
import { describeRefusal, isRefusal, type Refusal } from '../refusal.ts';
import { copyTables, type OnStep, openAllDocuments, refuseOnDamage } from './copy-tables.ts';

/** The location of an installation. */
export interface Installation extends KeyLocation {
  readonly store: StoreLocation;
}

interface BackupInput {
  /** Path of the file, or a stream that receives the backup. */
  readonly to: string | Writable;
  /** Omits the key in the data folder. */
  readonly withoutKey?: boolean | undefined;
  /** Backs up the sound documents and omits damaged ones. */
  readonly skipDamaged?: boolean | undefined;
  readonly now: number;
  readonly onStep: OnStep;
}

interface BackupResult {
  /** Null: no file was written. */
  readonly file: string | null;
  readonly bytes: number;
  readonly documents: number;
  readonly rows: number;
  /** True if the file contains the key for secrets. */
  readonly key: boolean;
  /** Damaged documents, which the file does not contain. */
  readonly damaged: readonly DocumentDamage[];
  /** Damaged rows of accounts, subscriptions and proposals. The file contains them as they are. */
  readonly damagedRows: readonly RowDamage[];
  /** True if the installation stored the time of the backup. */
  readonly isRecorded: boolean;
}

/**
 * Writes a consistent copy of everything into a file while the service runs. A key in the data folder is included,
 * because secrets cannot be restored without it; a key from the settings is kept by the operator. Everything is
 * verified first: if a document is damaged, no file is written unless damaged documents are skipped.
 */
export function writeBackup(installation: Installation, input: BackupInput): Promise<BackupResult | Refusal> {
  const { to, withoutKey = false, skipDamaged = false, now, onStep } = input;
  return refuseOnDamage('to', async () => {
    const { dataFolder, secretsKey, store } = installation;
    const key = secretsKey !== null || withoutKey ? null : readStoredKey(dataFolder);
    const opened = await openSource(store, false);
    try {
      const damage = await findSourceDamage(opened, (done, total) => onStep('Checking', done, total));
      const { documents: damaged, rows: damagedRows } = damage;
      if (damaged.length > 0 && !skipDamaged)
        return { file: null, bytes: 0, documents: 0, rows: 0, key: false, damaged, damagedRows, isRecorded: false };
      const source = damaged.length === 0 ? opened : await excludeDocuments(opened, damage);
      const head = {
        holds: 'installation' as const,
        at: new Date(now).toISOString(),
        key: key === null ? null : Buffer.from(key).toString('hex'),
      };
      const onRows = (done: number, total: number) => onStep('Writing', done, total);
      const bytes =
        typeof to === 'string'
          ? await writeArchive(to, source, head, onRows)
          : await streamArchive(to, source, head, onRows);
      const isRecorded = damaged.length === 0 && (await tryRecordBackup(store, now));
      return {
        file: typeof to === 'string' ? to : STANDARD_OUTPUT,
        bytes,
        ...measureSource(source),
        key: key !== null,
        damaged,
        damagedRows,
        isRecorded,
      };
    } finally {
      await opened.close();
    }
  });
}

/**
 * Records the time of a complete backup in the database. False if that fails, for example on a read-only disk: the
 * backup is still valid.
 */
async function tryRecordBackup(store: StoreLocation, now: number): Promise<boolean> {
  return recordBackup(store, now).then(
    () => true,
    () => false,
  );
}

const STANDARD_OUTPUT = '-';

interface RestoreInput {
  readonly from: string;
  /** Restores even if no available key can decrypt its secrets. */
  readonly withoutKey?: boolean | undefined;
  readonly now: number;
  readonly onStep: OnStep;
}

export interface RestoreResult {
  readonly documents: number;
  readonly rows: number;
  /** When the backup was written, ISO 8601. */
  readonly at: string;
  /** Subscriptions whose secrets cannot be decrypted any more. */
  readonly lost: readonly number[];
  /** Documents that are damaged in the file: they are restored unchanged, and the service refuses to open them. */
  readonly problems: readonly DocumentDamage[];
  /** Damaged rows of accounts, subscriptions and proposals, restored unchanged. */
  readonly damagedRows: readonly RowDamage[];
}

/**
 * Restores a backup into an empty location. The file is read completely first. The data is written to a hidden
 * location. There every row is compared with the file, and every document is opened. Only then does the location become
 * an installation.
 */
export function restoreInstallation(installation: Installation, input: RestoreInput): Promise<RestoreResult | Refusal> {
  const { from, onStep } = input;
  return refuseOnDamage('from', async () => {
    const damage = new DamageList();
    const head = await checkArchive(from, (done, total) => onStep('Reading', done, total), damage);
    if (head.holds !== 'installation') throw new StoreError(ONE_DOCUMENT, 'OTHER_FORMAT');
    const key = openRestoredKey(installation, head);
    const target = await openTarget(installation.store);
    let lost: readonly number[];
    try {
      await copyTables(() => openArchive(from), target, onStep);
      await openAllDocuments(target, head.counts['documents'] ?? 0, damage, onStep);
      lost = await findLostSecrets(target, key, input);
      await target.write(replaceKey({ fingerprint: resolveKey(installation, head).fingerprint }));
    } catch (error) {
      await target.abandon();
      throw error;
    }
    await target.finish();
    const { documents, rows } = measureSource(head);
    const problems = damage.documents;
    return { documents: documents - problems.length, rows, at: head.at, lost, problems, damagedRows: damage.rows };
  });
}

interface VerificationResult {
  readonly file: string;
  readonly documents: number;
  readonly sound: boolean;
  /** `document` is null if the file itself cannot be read. */
  readonly problems: readonly { readonly document: string | null; readonly problem: string }[];
  readonly damagedRows: readonly RowDamage[];
}

/** Reads a backup completely and verifies its content. */
export async function verifyBackup(file: string, onStep: OnStep): Promise<VerificationResult> {
  const damage = new DamageList();
  const head = await refuseOnDamage('file', () =>
    checkArchive(file, (done, total) => onStep('Reading', done, total), damage),
  );
  if (isRefusal(head)) {
    const problems = [{ document: null, problem: describeRefusal(head) }];
    return { file, documents: 0, sound: false, problems, damagedRows: [] };
  }
  const { documents: problems, rows: damagedRows } = damage;
  const documents = measureSource(head).documents - problems.length;
  return { file, documents, sound: problems.length + damagedRows.length === 0, problems, damagedRows };
}

const ONE_DOCUMENT = 'The file contains a single document; import it with cellwire document create --from';

/** Opens the key of the restored installation; null: none exists yet. */
function openRestoredKey({ dataFolder, secretsKey }: Installation, { key }: ArchiveHead): SecretBox | null {
  if (secretsKey !== null) return createSecretBox(Buffer.from(secretsKey, 'hex'));
  const storedKey = readStoredKey(dataFolder);
  if (storedKey !== null && key !== null && Buffer.from(storedKey).toString('hex') !== key) {
    throw new StoreError(
      `${dataFolder}/keys already contains a key, which differs from the key of the backup`,
      'NOT_EMPTY',
    );
  }
  if (storedKey !== null) return createSecretBox(storedKey);
  return key === null ? null : createSecretBox(Buffer.from(key, 'hex'));
}

/** Ids of the subscriptions whose secrets are lost, if the operator accepts that; rejects otherwise. */
async function findLostSecrets(
  { reader }: TransferTarget,
  key: SecretBox | null,
  { withoutKey = false, now }: RestoreInput,
): Promise<readonly number[]> {
  const [sealed, successors] = await reader.readAll([sealedSecrets({}), successorRows({})]);
  const lost = findUnreadableSecrets(key && createSuccessorBox(key, successors), sealed, now).map(({ id }) => id);
  if (lost.length === 0 || withoutKey) return lost;
  throw new StoreError(
    `The key for the secrets of subscriptions (${lost.length}) is missing; set CELLWIRE_SECRETS_KEY to the key that the ` +
      'installation had when it was backed up, or pass --without-key to lose these secrets',
    'WRONG_KEY',
  );
}

/** Writes the backup's key into the data folder, or generates one, unless the settings contain a key. */
function resolveKey(installation: Installation, { key }: ArchiveHead): SecretBox {
  if (installation.secretsKey === null && key !== null) storeKey(installation.dataFolder, Buffer.from(key, 'hex'));
  return openSecretBox(installation);
}
