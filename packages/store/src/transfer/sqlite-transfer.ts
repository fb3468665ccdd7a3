import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  finishRows,
  type Query,
  type RowsOf,
  type SqlValue,
  type Statement,
  StoreError,
} from '../database/database.ts';
import { TRANSFER_BATCH_BYTES, TRANSFER_BATCH_ROWS } from '../database/limits.ts';
import { createPrivateFolder } from '../database/private-folder.ts';
import { addChecksums, type RecordedMigration, SELECT_RECORD, verifyRecord } from '../migrations/migration-record.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { SqliteConnection } from '../sqlite/connection.ts';
import { FILE_NAME, RESTORING_FOLDER } from '../sqlite/database.ts';
import { FolderLock, LOCK_NAME, lockFolder } from '../sqlite/folder-lock.ts';
import { migrate } from '../sqlite/migrate.ts';
import { measureRow } from './row-bytes.ts';
import {
  buildInsertSql,
  buildSelectAllSql,
  type CatalogueColumn,
  type TableShape,
  type TransferRow,
  type TransferSource,
  toTableShapes,
} from './table-shape.ts';
import type { TransferSnapshot, TransferTarget } from './transfer-target.ts';

const COLUMNS = `select m.name as "table", p.name as name, p.pk as place,
    case lower(p.type) when 'integer' then 'number' when 'blob' then 'bytes' else 'text' end as kind,
    m.sql like '% autoincrement%' as serial
  from sqlite_master m join pragma_table_info(m.name) p
  where m.type = 'table' and m.name not like 'sqlite!_%' escape '!'`;
const SERIALS = 'select name, seq from sqlite_sequence';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

export async function openSqliteSource(folder: string, isExclusive: boolean): Promise<TransferSource> {
  const { connection, close } = openDatabaseForReading(folder, isExclusive);
  try {
    const tables = readTables(connection);
    return {
      migrations: connection.readRows(SELECT_RECORD) as unknown as readonly RecordedMigration[],
      tables,
      serials: Object.fromEntries(connection.readRows(SERIALS).map(({ name, seq }) => [String(name), Number(seq)])),
      counts: Object.fromEntries(tables.map(({ name }) => [name, countTableRows(connection, name)])),
      rows: (table) => readRows(connection, { sql: buildSelectAllSql(table), parameters: [] }),
      close: async () => close(),
    };
  } catch (error) {
    close();
    throw error;
  }
}

export async function openSqliteSnapshot(folder: string): Promise<TransferSnapshot> {
  const { connection, close } = openDatabaseForReading(folder, false);
  return { rows: (_, query) => readRows(connection, query), close: async () => close() };
}

/** Opens a read-only transaction. On a read-only disk no process can write, so no lock is taken. */
function openDatabaseForReading(
  folder: string,
  isExclusive: boolean,
): { readonly connection: SqliteConnection; readonly close: () => void } {
  const file = join(folder, FILE_NAME);
  if (!existsSync(file)) throw new StoreError(`There is no database in the folder ${folder}`, 'NO_DATA');
  const release = lockForReading(folder, isExclusive);
  const copy = release === null && !existsSync(`${file}-shm`) ? copyDatabase(folder) : null;
  const connection = new SqliteConnection(copy === null ? file : join(copy, FILE_NAME));
  const close = () => {
    connection.close();
    release?.();
    if (copy !== null) rmSync(copy, { recursive: true, force: true });
  };
  try {
    connection.db.pragma('query_only = ON');
    connection.runStatement('begin');
    return { connection, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Locks the folder; null on a read-only disk. */
function lockForReading(folder: string, isExclusive: boolean): (() => void) | null {
  try {
    if (isExclusive) return lockFolder(folder).release;
    const use = new FolderLock(folder);
    return () => use.close();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EROFS') return null;
    throw error;
  }
}

/**
 * Copies the database and returns the folder of the copy, because SQLite can open a database with a write-ahead log
 * only if it can create the log's index.
 */
function copyDatabase(folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'cellwire-copy-'));
  for (const name of [FILE_NAME, `${FILE_NAME}-wal`]) {
    if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(copy, name), constants.COPYFILE_FICLONE);
  }
  return copy;
}

function readTables(connection: SqliteConnection): readonly TableShape[] {
  const columns = connection.readRows(COLUMNS).map((row) => ({ ...row, serial: row['serial'] === 1 }));
  return toTableShapes(columns as unknown as readonly CatalogueColumn[]);
}

function countTableRows(connection: SqliteConnection, table: string): number {
  return Number(connection.readRows(`select count(*) as count from "${table}"`)[0]?.['count']);
}

async function* readRows(
  connection: SqliteConnection,
  { sql, parameters }: Query<unknown>,
): AsyncGenerator<readonly TransferRow[]> {
  let rows: TransferRow[] = [];
  let bytes = 0;
  const all = connection.db
    .prepare<SqlValue[], SqlValue[]>(sql)
    .raw(true)
    .iterate(...parameters);
  for (const row of all) {
    rows.push(row);
    bytes += measureRow(row);
    if (rows.length < TRANSFER_BATCH_ROWS && bytes < TRANSFER_BATCH_BYTES) continue;
    yield rows;
    rows = [];
    bytes = 0;
  }
  if (rows.length > 0) yield rows;
}

/** Creates a database in a subfolder. The data folder stays locked until the database is complete. */
export async function openSqliteTarget(folder: string): Promise<TransferTarget> {
  const isNew = createPrivateFolder(folder);
  const lock = lockFolder(folder);
  const discard = () => {
    rmSync(join(folder, RESTORING_FOLDER), { recursive: true, force: true });
    lock.release();
    if (isNew) removeEmptyFolder(folder);
  };
  if (existsSync(join(folder, FILE_NAME))) {
    lock.release();
    throw new StoreError(`The folder ${folder} already contains a database: choose an empty one`, 'NOT_EMPTY');
  }
  rmSync(join(folder, RESTORING_FOLDER), { recursive: true, force: true });
  mkdirSync(join(folder, RESTORING_FOLDER), { mode: PRIVATE_FOLDER });
  const draft = join(folder, RESTORING_FOLDER, FILE_NAME);
  closeSync(openSync(draft, 'wx', PRIVATE_FILE));
  return createTarget(new SqliteConnection(draft), draft, { target: join(folder, FILE_NAME), discard, lock });
}

/** Removes a created folder and its lock. The folder must have no other content. */
function removeEmptyFolder(folder: string): void {
  rmSync(join(folder, LOCK_NAME), { force: true });
  rmdirSync(folder);
}

interface TargetFolder {
  readonly target: string;
  readonly discard: () => void;
  readonly lock: { release(): void };
}

/**
 * Creates a target that writes to the database file `draft`. When it is complete, the file is moved to its final path.
 */
function createTarget(
  connection: SqliteConnection,
  draft: string,
  { target, discard, lock }: TargetFolder,
): TransferTarget {
  const { db } = connection;
  // An incomplete database is useless, so it is synced to disk only once, at the end.
  db.pragma('journal_mode = MEMORY');
  db.pragma('synchronous = OFF');
  return {
    prepare: async (migrations) => {
      verifyRecord(migrations, addChecksums(MIGRATIONS));
      migrate(connection, MIGRATIONS.slice(0, migrations.length));
      const tables = readTables(connection);
      for (const { name } of tables) connection.runStatement(`delete from "${name}"`);
      return tables;
    },
    insert: async (table, rows) => {
      const insert = db.prepare(buildInsertSql(table));
      connection.runStatement('begin');
      for (const row of rows) insert.run(row);
      connection.runStatement('commit');
    },
    setSerial: async ({ name }, greatest) => {
      connection.runStatement('delete from sqlite_sequence where name = ?', [name]);
      connection.runStatement('insert into sqlite_sequence (name, seq) values (?, ?)', [name, greatest]);
    },
    rows: (table) => readRows(connection, { sql: buildSelectAllSql(table), parameters: [] }),
    update: async () => migrate(connection, MIGRATIONS),
    reader: {
      readAll: async <const Queries extends readonly Query<unknown>[]>(queries: Queries) =>
        queries.map((query) =>
          finishRows(query, connection.readRows(query.sql, query.parameters)),
        ) as unknown as RowsOf<Queries>,
    },
    write: async ({ sql, parameters }: Statement) => {
      connection.runStatement(sql, parameters);
    },
    finish: async () => {
      connection.close();
      syncToDisk(draft);
      linkSync(draft, target);
      syncToDisk(dirname(target));
      rmSync(dirname(draft), { recursive: true });
      lock.release();
    },
    abandon: async () => {
      connection.close();
      discard();
    },
  };
}

/** Syncs a file, or the entries of a folder, to disk. */
function syncToDisk(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
