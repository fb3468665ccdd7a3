import { accessSync, constants, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readFreeDiskBytes, StoreError } from '@cellwire/store';
import {
  databaseCommitQueries,
  describeLoss,
  findLosses,
  readNewestCommits,
  toDatabaseCommit,
  unfinishedDocuments,
} from '@cellwire/store/documents';
import { examinePostgres, examineSqlite, type SqliteExamination } from '@cellwire/store/examine';
import {
  buildKeyFilePath,
  createSuccessorBox,
  findUnreadableSecrets,
  openSecretBox,
  type SecretBox,
  successorRows,
} from '@cellwire/store/keys';
import { type DamageList, findSnapshotDamage, openSnapshot } from '@cellwire/store/transfer';
import { type SealedSecrets, sealedSecrets as sealedSecretsOf } from '@cellwire/store/webhooks';
import { toStoreLocation } from '../compose/compose.ts';
import { loadConfig, type ProcessEnvironment } from '../config/config.ts';
import type { Config } from '../config/types.ts';
import { createFailedCheck, createPassedCheck, type DoctorCheck } from './doctor-check.ts';
import { checkDocuments, checkRows } from './doctor-damage.ts';
import { formatNamedItems } from './table.ts';

const MIN_NODE_MAJOR = 24;
const MIN_POSTGRES_MAJOR = 15;
/** Minimum free disk space, in bytes: enough for a large import and SQLite's own files. */
const MIN_FREE_BYTES = 512 * 1024 * 1024;
/** Maximum subscriptions that one check lists. */
const MAX_NAMED = 5;
const GIB = 1024 ** 3;
const CURRENT_SCHEMA = 'current';
const OLDER_SCHEMA =
  'older; the next start of this version migrates it, and older versions cannot use it then: make a backup first';
/** Permission bits of group and others. */
const OTHERS = 0o077;

/** Runs all checks of this installation. A check that depends on a failed one is left out. */
export async function runChecks(environment: ProcessEnvironment): Promise<readonly DoctorCheck[]> {
  const config = loadConfig(environment);
  if ('kind' in config) {
    return [
      checkNodeVersion(),
      createFailedCheck('configuration', `${config.problems.join('; ')}. Correct or unset these settings.`),
    ];
  }
  const fixed = [checkNodeVersion(), createPassedCheck('configuration', `data in ${resolve(config.dataFolder)}`)];
  const folder = readStats(config.dataFolder);
  const { url } = config.database;
  if (url !== null)
    return [
      ...fixed,
      ...(folder === null ? [] : checkFolderAndKeys(config, folder)),
      ...(await checkPostgres(config, url)),
    ];
  if (folder === null) {
    return [
      ...fixed,
      createPassedCheck('data folder', 'not there yet; serve makes it'),
      await checkDiskSpace(findExistingParent(config.dataFolder)),
    ];
  }
  return [
    ...fixed,
    ...checkFolderAndKeys(config, folder),
    await checkDiskSpace(config.dataFolder),
    ...checkDatabase(config),
  ];
}

function checkNodeVersion(): DoctorCheck {
  const supported = Number(process.versions.node.split('.')[0]) >= MIN_NODE_MAJOR;
  if (supported) return createPassedCheck('node', process.version);
  return createFailedCheck(
    'node',
    `${process.version} is too old: run npm ci, which installs the right version beside the service`,
  );
}

/** Checks the data folder, and its keys if the folder can be read. */
function checkFolderAndKeys(config: Config, folder: Stats): readonly DoctorCheck[] {
  const found = checkDataFolder(config, folder);
  return isAccessible(config.dataFolder, READ_AND_ENTER) ? [found, checkKeys(config)] : [found];
}

function checkDataFolder({ dataFolder: path }: Config, folder: Stats): DoctorCheck {
  if (!folder.isDirectory()) return createFailedCheck('data folder', `${path} is no folder: set CELLWIRE_DATA`);
  if (isReadOnly(path)) return createFailedCheck('data folder', formatReadOnlyAdvice(path));
  const closed = findInaccessiblePath(path);
  if (closed !== null)
    return createFailedCheck(
      'data folder',
      `this user may not write ${closed}: be the user that the folder belongs to, or chown -R it`,
    );
  if ((folder.mode & OTHERS) !== 0)
    return createFailedCheck('data folder', `other users can get into it: chmod 700 ${path}`);
  return createPassedCheck('data folder', 'only its owner can get into it');
}

/** The first path in the folder that this user must be able to write but cannot; null: none. */
function findInaccessiblePath(path: string): string | null {
  if (!isAccessible(path, READ_AND_ENTER | constants.W_OK)) return path;
  const files = readdirSync(path).map((name) => join(path, name));
  return files.find((file) => !isAccessible(file, constants.R_OK | constants.W_OK)) ?? null;
}

/** Whether the disk is mounted read-only. */
function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EROFS';
  }
}

function formatReadOnlyAdvice(path: string): string {
  return (
    `the disk of ${path} is read-only, possibly because of errors: read the system's log (dmesg), ` +
    'make a backup to another disk (cellwire backup works), then repair the disk and mount it for writing'
  );
}

const READ_AND_ENTER = constants.R_OK | constants.X_OK;

function isAccessible(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function checkKeys(config: Config): DoctorCheck {
  if (config.secretsKey !== null) return createPassedCheck('keys', 'given by the settings');
  const file = buildKeyFilePath(config.dataFolder);
  const found = readStats(file);
  if (found === null) return createPassedCheck('keys', 'not there yet; the service makes them');
  if ((found.mode & OTHERS) !== 0) return createFailedCheck('keys', `other users can read ${file}: chmod 600 ${file}`);
  try {
    openSecretBox(config);
    return createPassedCheck('keys', 'readable, for their owner only');
  } catch (error) {
    return createFailedCheck('keys', `${formatError(error)}: restore ${file} from a backup`);
  }
}

async function checkDiskSpace(path: string): Promise<DoctorCheck> {
  const free = await readFreeDiskBytes(path);
  const message = `${(free / GIB).toFixed(1)} GiB free`;
  return free >= MIN_FREE_BYTES
    ? createPassedCheck('disk', message)
    : createFailedCheck('disk', `${message}: make room; writes fail on a full disk`);
}

function checkDatabase(config: Config): readonly DoctorCheck[] {
  try {
    const checks = examineSqlite(config.dataFolder, (database) => [
      checkIntegrity(database),
      ...checkContents(config, database),
    ]);
    return checks ?? [createPassedCheck('database', 'not there yet; serve makes it')];
  } catch (error) {
    return [
      createFailedCheck('database', `${formatError(error)}: check the permissions of its files, or restore a backup`),
    ];
  }
}

/** Checks a PostgreSQL database. Its server verifies its own pages. */
async function checkPostgres(config: Config, url: string): Promise<readonly DoctorCheck[]> {
  try {
    const { version, major, sealed, facts, isEncrypted } = await examinePostgres(url);
    const connection = checkConnection(url, isEncrypted);
    const found = `PostgreSQL ${version}`;
    if (major < MIN_POSTGRES_MAJOR) {
      return [createFailedCheck('database', `${found} is too old: use ${MIN_POSTGRES_MAJOR} or newer`)];
    }
    if (sealed === null)
      return [createPassedCheck('database', found), connection, createPassedCheck('schema', OLDER_SCHEMA)];
    const damage = await findPostgresDamage(config);
    const secrets = checkSealedSecrets(config, sealed, facts);
    return [
      createPassedCheck('database', found),
      connection,
      createPassedCheck('schema', CURRENT_SCHEMA),
      checkDocuments(damage),
      checkRows(damage),
      secrets,
    ];
  } catch (error) {
    return [createFailedCheck('database', `${formatError(error)}: ${suggestRemedy(formatError(error))}`)];
  }
}

/** Advice by the message of a failed connection. The first match applies. */
const CONNECTION_REMEDIES: readonly (readonly [message: RegExp, remedy: string])[] = [
  [
    /altname|does not match certificate/i,
    'the server’s certificate is for another host name: use the name that it is for in CELLWIRE_DATABASE_URL',
  ],
  [/certificate has expired/i, 'renew the server’s certificate'],
  [
    /self[- ]signed|unable to (?:verify|get)|certificate/i,
    'add &sslrootcert=FILE to CELLWIRE_DATABASE_URL, with the certificate of the authority that signed the server’s',
  ],
  [
    /does not support SSL/i,
    'turn TLS on at the server, or leave sslmode out of CELLWIRE_DATABASE_URL if nobody else is on the network between',
  ],
  [/no pg_hba\.conf entry.*no encryption/i, 'the server wants TLS: add ?sslmode=verify-full to CELLWIRE_DATABASE_URL'],
  [/no pg_hba\.conf entry/i, 'let this machine and user in, in the server’s pg_hba.conf'],
  [/password|SCRAM/i, 'correct user and password in CELLWIRE_DATABASE_URL'],
  [/database ".*" does not exist/i, 'make that database, or correct its name in CELLWIRE_DATABASE_URL'],
  [/ENOTFOUND|EAI_AGAIN/, 'correct the host name in CELLWIRE_DATABASE_URL'],
];

/** Advice for the message of a failed connection to PostgreSQL. */
function suggestRemedy(message: string): string {
  const found = CONNECTION_REMEDIES.find(([pattern]) => pattern.test(message));
  return found?.[1] ?? 'look at CELLWIRE_DATABASE_URL, and whether that server runs';
}

/** Checks whether the connection to the database server is encrypted and verified. */
function checkConnection(url: string, isEncrypted: boolean): DoctorCheck {
  const name = 'database connection';
  if (isLocalAddress(url) && !isEncrypted)
    return createPassedCheck(name, 'not encrypted, and does not leave this machine');
  const mode = new URL(url).searchParams.get('sslmode');
  if (!isEncrypted) {
    return createPassedCheck(
      name,
      'not encrypted: others on the network can read it; add ?sslmode=verify-full to the address',
    );
  }
  if (mode !== 'no-verify') return createPassedCheck(name, 'encrypted, and the server’s certificate is verified');
  return createPassedCheck(
    name,
    'encrypted, but the server is not verified; add ?sslmode=verify-full&sslrootcert=FILE to the address',
  );
}

/** Whether an address is that of this machine. A Unix socket is an escaped path in place of the host. */
function isLocalAddress(url: string): boolean {
  const { hostname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  return host.startsWith('/') || /^(?:|localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host);
}

/** Checks that the database has the commits that the newest-commits file names. */
function checkNewestCommits({ dataFolder }: Config, database: SqliteExamination): DoctorCheck {
  const name = 'newest commits';
  const { newest, losses } = readNewestCommits(dataFolder);
  const found = newest.map(({ document: id }) => {
    const [head, removedQuery] = databaseCommitQueries(id);
    return toDatabaseCommit([database.read(head), database.read(removedQuery)]);
  });
  const all = [...losses, ...findLosses(newest, found, Date.now())];
  if (all.length === 0) return createPassedCheck(name, 'all are there');
  return {
    ...createFailedCheck(name, `${all.map(describeLoss).join('; ')}: ${LOSS_ADVICE}`),
    documents: [...new Set(all.map(({ document }) => document))],
  };
}

const LOSS_ADVICE =
  'acknowledged writes are lost, for example because cellwire.db-wal was deleted or an older copy was restored; ' +
  'restore the right files or the newest backup, or accept the loss with cellwire doctor --repair';

async function findPostgresDamage(config: Config): Promise<DamageList> {
  const moment = await openSnapshot(toStoreLocation(config));
  try {
    return await findSnapshotDamage(moment);
  } finally {
    await moment.close();
  }
}

function checkIntegrity(database: SqliteExamination): DoctorCheck {
  const problems = database.findProblems();
  if (problems.length === 0) return createPassedCheck('database', 'its stored pages are sound');
  return createFailedCheck('database', `${problems.join('; ')}: stop the service and restore a backup`);
}

/** Checks the contents of a database with the current schema. For another schema, only the schema is reported. */
function checkContents(config: Config, database: SqliteExamination): readonly DoctorCheck[] {
  const schema = checkSchema(database);
  if (schema.state !== 'current') return [schema.check];
  const left = database.read(unfinishedDocuments({})).length;
  const damage = database.findDamage();
  return [
    schema.check,
    checkDocuments(damage),
    checkRows(damage),
    checkNewestCommits(config, database),
    checkSealedSecrets(config, database.read(sealedSecretsOf({})), database.read(successorRows({}))),
    createPassedCheck('unfinished documents', left === 0 ? 'none' : `${left}; the service removes them by itself`),
  ];
}

function checkSchema(database: SqliteExamination): {
  readonly state: 'current' | 'other';
  readonly check: DoctorCheck;
} {
  const name = 'schema';
  try {
    if (database.isCurrent()) return { state: 'current', check: createPassedCheck(name, CURRENT_SCHEMA) };
    return { state: 'other', check: createPassedCheck(name, OLDER_SCHEMA) };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const advice = 'use the version that wrote it, or restore a backup of this version';
    return { state: 'other', check: createFailedCheck(name, `${error.message}: ${advice}`) };
  }
}

/** Rows that link a key to its successor after a rotation. */
type KeySuccessors = Parameters<typeof createSuccessorBox>[1];

/** Checks that the key decrypts the stored secrets. In a restored folder it may not. */
function checkSealedSecrets(config: Config, rows: readonly SealedSecrets[], successors: KeySuccessors): DoctorCheck {
  const name = 'sealed secrets';
  if (rows.length === 0) return createPassedCheck(name, 'none yet');
  const key = openBoxIfPresent(config);
  const closed = findUnreadableSecrets(key && createSuccessorBox(key, successors), rows, Date.now());
  if (closed.length === 0) return createPassedCheck(name, `the key opens them all; subscriptions: ${rows.length}`);
  const which = closed.slice(0, MAX_NAMED).map((row) => `${row.id} of document ${row.document_id}`);
  const more = closed.length > MAX_NAMED ? ` and ${closed.length - MAX_NAMED} more` : '';
  return createFailedCheck(
    name,
    `the key does not open the secrets of ${formatNamedItems('subscription', which)}${more}: ${describeKeyRemedy(config)}, ` +
      'or create these subscriptions again',
  );
}

function describeKeyRemedy({ secretsKey, dataFolder }: Config): string {
  if (secretsKey !== null) return 'set CELLWIRE_SECRETS_KEY to the key of the time';
  return `restore ${buildKeyFilePath(dataFolder)} from the same backup as the database`;
}

/**
 * Opens the secret box, if a key exists. Null: there is no usable key, which another check reports. Never creates a
 * key.
 */
function openBoxIfPresent(config: Config): SecretBox | null {
  if (config.secretsKey === null && readStats(buildKeyFilePath(config.dataFolder)) === null) return null;
  try {
    return openSecretBox(config);
  } catch {
    return null;
  }
}

function readStats(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null;
}

/** The nearest folder above the path that exists. */
function findExistingParent(path: string): string {
  const parent = dirname(resolve(path));
  return readStats(parent) === null ? findExistingParent(parent) : parent;
}

function formatError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
