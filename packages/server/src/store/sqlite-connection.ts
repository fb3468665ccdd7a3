import Database from 'better-sqlite3';
import {
  BUSY_TIMEOUT_MS,
  MAX_PREPARED_STATEMENTS,
  SQLITE_CACHE_KIB,
  SQLITE_WAL_LIMIT_BYTES,
} from '../limits/limits.ts';
import type { SqlValue } from './database.ts';

export type Row = Readonly<Record<string, SqlValue>>;

/** One connection to the database file with its prepared statements. */
export class SqliteConnection {
  readonly db: Database.Database;
  /** By SQL text. Emptied when full: the texts are fixed but for a few, so that hardly ever happens. */
  private readonly statements = new Map<string, Database.Statement<unknown[], Row>>();

  constructor(file: string) {
    this.db = new Database(file, { timeout: BUSY_TIMEOUT_MS });
    // FULL: a commit is on the disk, not only in the system's cache, when it returns.
    this.db.pragma('synchronous = FULL');
    this.db.pragma('foreign_keys = ON');
    this.db.pragma(`cache_size = -${SQLITE_CACHE_KIB}`);
    this.db.pragma(`journal_size_limit = ${SQLITE_WAL_LIMIT_BYTES}`);
  }

  prepare(sql: string): Database.Statement<unknown[], Row> {
    const known = this.statements.get(sql);
    if (known !== undefined) return known;
    if (this.statements.size >= MAX_PREPARED_STATEMENTS) this.statements.clear();
    const prepared = this.db.prepare<unknown[], Row>(sql);
    this.statements.set(sql, prepared);
    return prepared;
  }

  all(sql: string, parameters: readonly SqlValue[]): readonly Row[] {
    return this.prepare(sql).all(parameters);
  }

  close(): void {
    this.statements.clear();
    this.db.close();
  }
}
