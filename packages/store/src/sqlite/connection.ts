import Database from 'better-sqlite3';
import type { SqlValue } from '../database/database.ts';
import {
  BUSY_TIMEOUT_MS,
  MAX_PREPARED_STATEMENTS,
  SQLITE_CACHE_KIB,
  SQLITE_CHECKPOINT_PAGES,
  SQLITE_WAL_LIMIT_BYTES,
} from '../database/limits.ts';

type SqliteRow = Readonly<Record<string, SqlValue>>;

interface CachedStatement {
  readonly statement: Database.Statement<unknown[], MutableSqliteRow>;
  /** Names of the columns of type blob. */
  readonly bytes: readonly string[];
  /** Kept here because reading them from the statement is a native call. */
  readonly returnsRows: boolean;
  readonly isReadOnly: boolean;
}

type MutableSqliteRow = Record<string, SqlValue>;

/** One connection to the database file with its prepared statements. */
export class SqliteConnection {
  readonly db: Database.Database;
  /** Prepared statements by SQL text. Cleared when full, which is rare because there are few texts. */
  private readonly statements = new Map<string, CachedStatement>();

  /** `cache`: size of the page cache in KiB. */
  constructor(file: string, cache = SQLITE_CACHE_KIB) {
    this.db = new Database(file, { timeout: BUSY_TIMEOUT_MS });
    // FULL: when a commit returns, it is on disk, not only in the cache of the operating system.
    this.db.pragma('synchronous = FULL');
    // On macOS, `fsync` leaves data in the drive's cache; only F_FULLFSYNC writes it to disk. Other systems ignore this
    // setting.
    this.db.pragma('fullfsync = ON');
    this.db.pragma('checkpoint_fullfsync = ON');
    this.db.pragma('foreign_keys = ON');
    // Overwrites deleted data, which would otherwise stay in the file until its page is reused.
    this.db.pragma('secure_delete = ON');
    this.db.pragma(`cache_size = -${cache}`);
    this.db.pragma(`wal_autocheckpoint = ${SQLITE_CHECKPOINT_PAGES}`);
    this.db.pragma(`journal_size_limit = ${SQLITE_WAL_LIMIT_BYTES}`);
  }

  /** Runs a statement without result rows, and returns the number of changed rows. */
  runStatement(sql: string, parameters: readonly SqlValue[] = []): number {
    return this.getStatement(sql).statement.run(parameters).changes;
  }

  readRows(sql: string, parameters: readonly SqlValue[] = []): readonly SqliteRow[] {
    const { statement, bytes } = this.getStatement(sql);
    const rows = statement.all(parameters);
    for (const column of bytes) for (const row of rows) row[column] = toPlainBytes(row[column] as SqlValue);
    return rows;
  }

  /** Prepares a query of one value that is repeated often. Creating a row object would take longer than the query. */
  prepareSingleValue(sql: string): () => unknown {
    const statement = this.db.prepare<[], unknown>(sql).pluck();
    return () => statement.get();
  }

  returnsRows(sql: string): boolean {
    return this.getStatement(sql).returnsRows;
  }

  /** True if a statement is read-only. */
  isReadOnly(sql: string): boolean {
    return this.getStatement(sql).isReadOnly;
  }

  close(): void {
    this.statements.clear();
    this.db.close();
  }

  /** The prepared statement of a text, from the cache if possible. */
  private getStatement(sql: string): CachedStatement {
    const cached = this.statements.get(sql);
    if (cached !== undefined) return cached;
    if (this.statements.size >= MAX_PREPARED_STATEMENTS) this.statements.clear();
    const statement = this.db.prepare<unknown[], MutableSqliteRow>(sql);
    const { reader: returnsRows, readonly: isReadOnly } = statement;
    const columns = returnsRows ? statement.columns() : [];
    const bytes = columns.filter(({ type }) => type?.toLowerCase() === 'blob').map(({ name }) => name);
    const prepared = { statement, bytes, returnsRows, isReadOnly };
    this.statements.set(sql, prepared);
    return prepared;
  }
}

/**
 * Converts a `Buffer` of SQLite to a plain byte array. The `slice` of a `Buffer` shares memory; that of other byte
 * arrays copies.
 */
function toPlainBytes(value: SqlValue): SqlValue {
  return value instanceof Uint8Array ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : value;
}
