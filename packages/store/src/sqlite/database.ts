import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteError } from 'better-sqlite3';
import { clearScheduledScrub, scheduledScrub } from '../accounts/users.ts';
import {
  type Database,
  finishRows,
  type Query,
  type RowsOf,
  StoreError,
  type StoreSnapshot,
  splitIntoBatches,
  type Unit,
  type UnitOutcome,
} from '../database/database.ts';
import { FOLDER_LOCK_MS, SQLITE_READER_CACHE_KIB } from '../database/limits.ts';
import { createPrivateFolder } from '../database/private-folder.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { SqliteCommitPositions } from './commit-positions.ts';
import { SqliteConnection } from './connection.ts';
import { createInUseError, FolderLock } from './folder-lock.ts';
import { type LongReads, ReaderThread } from './long-reads.ts';
import { isMigrated, migrate } from './migrate.ts';
import { openSnapshot, readSnapshot } from './snapshot.ts';
import { createInlineExecutor, createThreadExecutor, SqliteWriter, type TransactionExecutor } from './writer.ts';

export const FILE_NAME = 'cellwire.db';
/** Folder in which a restore builds the database before it is moved into place. */
export const RESTORING_FOLDER = 'restoring';
const PRIVATE_FILE = 0o600;
export const MAX_REPORTED_PROBLEMS = 10;
/** Maximum number of rows that `readLatest` caches: rows of documents and callers of recent requests. */
const MAX_REMEMBERED_ROWS = 10_000;
const DATA_VERSION = 'pragma data_version';

interface SqliteOptions {
  /** Folder of the database. It is created if missing, accessible only for this user. */
  readonly folder: string;
  /** Where writes run. `thread`: for a server. `inline`: for a short-lived process; see `createInlineExecutor`. */
  readonly writer: 'thread' | 'inline';
}

/** Opens the embedded database and migrates its schema. Throws if the file is unusable. */
export function openSqlite(options: SqliteOptions): Database {
  createPrivateFolder(options.folder);
  const file = join(options.folder, FILE_NAME);
  // SQLite creates its companion files with the mode of the database file.
  closeSync(openSync(file, 'a', PRIVATE_FILE));
  const use = new FolderLock(options.folder);
  // A running restore locks the folder exclusively, so an existing subfolder belongs to a restore that was killed.
  if (options.writer === 'thread') rmSync(join(options.folder, RESTORING_FOLDER), { recursive: true, force: true });
  let reader = new SqliteConnection(file);
  try {
    reader.db.pragma('journal_mode = WAL');
    if (!isMigrated(reader, MIGRATIONS)) {
      // An open connection of this process would count as another user of the file.
      reader.close();
      use.runExclusively(() => migrateAlone(file));
      reader = new SqliteConnection(file);
    }
    if (options.writer === 'thread') runScheduledScrub(reader, use);
  } catch (error) {
    reader.close();
    use.close();
    throw error;
  }
  reader.db.pragma('query_only = ON');
  const executor = options.writer === 'thread' ? createThreadExecutor(file) : createInlineExecutor(file);
  const longReads = options.writer === 'thread' ? new ReaderThread(file) : null;
  return new SqliteDatabase({ file, reader, executor, folderLock: use, longReads });
}

/**
 * Migrates the database while no other process has it open. Versions before the lock of the folder hold only SQLite's
 * own lock. Throws `StoreError` (`IN_USE`) if another process has it open.
 */
function migrateAlone(file: string): void {
  const connection = new SqliteConnection(file);
  try {
    connection.db.pragma(`busy_timeout = ${FOLDER_LOCK_MS}`);
    connection.db.pragma('locking_mode = EXCLUSIVE');
    migrate(connection, MIGRATIONS);
  } catch (error) {
    throw error instanceof SqliteError && error.code === 'SQLITE_BUSY' ? createInUseError(error) : error;
  } finally {
    connection.close();
  }
}

/**
 * Rewrites the file if an erasure requested it, because free pages may still contain deleted data. If another process
 * uses the folder, the next start does it.
 */
function runScheduledScrub(connection: SqliteConnection, use: FolderLock): void {
  if (connection.readRows(scheduledScrub({}).sql, scheduledScrub({}).parameters).length === 0) return;
  try {
    use.runExclusively(() => {
      connection.db.exec('vacuum');
      const { sql, parameters } = clearScheduledScrub({});
      connection.runStatement(sql, parameters);
      connection.db.pragma('wal_checkpoint(TRUNCATE)');
    });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'IN_USE') throw error;
  }
}

/** Opens a separate read-only connection to the database of a folder, which must have been opened before. */
export function openSqliteReader(folder: string): Pick<Database, 'readAll' | 'openSnapshot'> & { close(): void } {
  const file = join(folder, FILE_NAME);
  const connection = new SqliteConnection(file, SQLITE_READER_CACHE_KIB);
  connection.db.pragma('query_only = ON');
  return {
    readAll: async (queries) => readSnapshot(connection, queries),
    openSnapshot: () => openSnapshot(file),
    close: () => connection.close(),
  };
}

interface SqliteParts {
  /** Path of the database file. */
  readonly file: string;
  readonly reader: SqliteConnection;
  readonly executor: TransactionExecutor;
  readonly folderLock: FolderLock;
  readonly longReads: LongReads | null;
}

class SqliteDatabase implements Database {
  readonly commitPositions: SqliteCommitPositions;
  readonly openSnapshot: () => StoreSnapshot;
  private readonly reader: SqliteConnection;
  private readonly writer: SqliteWriter;
  private readonly folderLock: FolderLock;
  /** Null in processes that serve no requests. They run all reads in their only thread. */
  private readonly longReads: LongReads | null;
  private readonly dataVersion: () => unknown;
  /** First rows by query object, valid until the next commit. */
  private readonly latestRows = new Map<Query<unknown>, unknown>();
  private version: unknown;
  /** True if `version` is known to be current, because no commit can have been acknowledged since it was read. */
  private isChecked = false;
  /** Has the next read check whether another process has written. */
  private readonly markVersionUnchecked = (): void => {
    this.isChecked = false;
  };

  constructor({ file, reader, executor, folderLock, longReads }: SqliteParts) {
    this.reader = reader;
    this.openSnapshot = () => openSnapshot(file);
    this.commitPositions = new SqliteCommitPositions(reader);
    this.longReads = longReads;
    this.dataVersion = reader.prepareSingleValue(DATA_VERSION);
    this.folderLock = folderLock;
    // The writer has a connection of its own, so the reader's counter shows its commits, too.
    this.writer = new SqliteWriter(executor, this.markVersionUnchecked);
  }

  async read<Row>(query: Query<Row>): Promise<readonly Row[]> {
    return this.readRows(query);
  }

  async readOne<Row>(query: Query<Row>): Promise<Row | null> {
    return this.readRows(query)[0] ?? null;
  }

  /** The query's row, from the cache while nothing was written. */
  readLatest<Row>(query: Query<Row>): Row | null {
    if (this.latestRows.size >= MAX_REMEMBERED_ROWS) this.forgetCaches();
    this.checkVersion();
    const cached = this.latestRows.get(query);
    if (cached !== undefined) return cached as Row | null;
    const row = this.readRows(query)[0] ?? null;
    this.latestRows.set(query, row);
    return row;
  }

  /**
   * Reads SQLite's counter of commits by other connections: the writer's, and connections of other processes. Reading
   * it takes half as long as reading a row. It is read once for all code that runs without a wait.
   */
  private checkVersion(): void {
    if (this.isChecked) return;
    const version = this.dataVersion();
    if (version !== this.version) this.forgetCaches();
    this.version = version;
    this.isChecked = true;
    queueMicrotask(this.markVersionUnchecked);
  }

  /** Forgets cached rows. The next read checks whether another process has written. */
  private forgetCaches(): void {
    this.latestRows.clear();
    this.isChecked = false;
  }

  async readAll<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<RowsOf<Queries>> {
    return readSnapshot(this.reader, queries);
  }

  /** Reads in the thread for long reads if there is one. */
  readInBackground<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<RowsOf<Queries>> {
    return this.longReads?.readAll(queries) ?? this.readAll(queries);
  }

  async *readInBatches<Row>(query: Query<Row>, size: number): AsyncIterable<readonly Row[]> {
    if (this.longReads !== null) yield* this.longReads.readBatches(query, size);
    else yield* splitIntoBatches(this.readRows(query), size);
  }

  write(unit: Unit): Promise<UnitOutcome> {
    return this.writer.queueUnit(unit);
  }

  /** Null: SQLite has no pool of connections. */
  countConnections(): null {
    return null;
  }

  async checkIntegrity(): Promise<readonly string[]> {
    try {
      const rows = this.reader.readRows(`pragma quick_check(${MAX_REPORTED_PROBLEMS})`);
      return rows.map(({ quick_check: text }) => String(text)).filter((text) => text !== 'ok');
    } catch (error) {
      if (error instanceof SqliteError) return [error.message];
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.writer.close();
    await this.longReads?.close();
    this.reader.close();
    this.folderLock.close();
  }

  private readRows<Row>(query: Query<Row>): readonly Row[] {
    return finishRows(query, this.reader.readRows(query.sql, query.parameters));
  }
}
