import { existsSync, type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { SEALED_TABLES, selectPieces } from '../database/checksum.ts';
import { finishRows, type Query, type SqlValue } from '../database/database.ts';
import { INDEPENDENT_TABLES, selectIndependentRows } from '../database/independent-rows.ts';
import { BUSY_TIMEOUT_MS } from '../database/limits.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { FILE_NAME, MAX_REPORTED_PROBLEMS } from '../sqlite/database.ts';
import { isMigrated } from '../sqlite/migrate.ts';
import { DamageList } from '../transfer/damage.ts';
import { MISCOUNT, MISCOUNTED_ROWS, UNFINISHED, UNFINISHED_ROWS } from '../transfer/document-states.ts';
import type { NamedRow } from '../transfer/table-shape.ts';

/** Read-only access to a database. Nothing in its folder is created, migrated or written. */
export interface SqliteExamination {
  /** Returns one text for each problem of the stored bytes. */
  findProblems(): readonly string[];
  /**
   * True if the schema is the one of this version. If it is older, `read` must not be used. Throws `StoreError` if the
   * schema is newer, or is not a schema of Cellwire.
   */
  isCurrent(): boolean;
  read<Row>(query: Query<Row>): readonly Row[];
  /** Checks all stored rows and pieces. */
  findDamage(): DamageList;
}

/** Runs `examine` on the database of a folder. Returns null if there is none. Throws if the file cannot be read. */
export function examineSqlite<Result>(folder: string, examine: (database: SqliteExamination) => Result): Result | null {
  const file = join(folder, FILE_NAME);
  const before = readStats(file);
  if (before === null) return null;
  if (isInUse(file)) return examineFile(file, false, examine);
  const seen = captureResult(() => examineFile(file, true, examine));
  // The examination takes no lock. A service that started meanwhile may have changed pages.
  const after = readStats(file);
  if (isInUse(file) || after?.mtimeMs !== before.mtimeMs) return examineFile(file, false, examine);
  return seen();
}

/**
 * Examines a file. The write-ahead log exists while a process has the database open, or after such a process crashed.
 * Opening the file read-only would create the log. With `immutable` SQLite assumes that no process writes, and does not
 * create it.
 */
function examineFile<Result>(
  file: string,
  immutable: boolean,
  examine: (database: SqliteExamination) => Result,
): Result {
  const url = pathToFileURL(resolve(file));
  if (immutable) url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  const readAllRows = (sql: string, parameters: readonly SqlValue[] = []) => database.prepare(sql).all(...parameters);
  try {
    return examine({
      findProblems: () => {
        const rows = readAllRows(`pragma quick_check(${MAX_REPORTED_PROBLEMS})`);
        return rows.map(({ quick_check: text }) => String(text)).filter((text) => text !== 'ok');
      },
      isCurrent: () => isMigrated({ readRows: readAllRows }, MIGRATIONS),
      findDamage: () => {
        const list = new DamageList();
        database.exec('begin');
        for (const table of SEALED_TABLES) {
          for (const row of database.prepare(selectPieces(table)).iterate()) list.checkNamedRow(table, row as NamedRow);
        }
        for (const row of database.prepare(UNFINISHED_ROWS).iterate()) list.checkNamedRow(UNFINISHED, row as NamedRow);
        for (const { document_id: id } of readAllRows(MISCOUNTED_ROWS)) list.addDamage(String(id), MISCOUNT);
        for (const table of INDEPENDENT_TABLES) {
          const rows = database.prepare(selectIndependentRows(table)).iterate();
          for (const row of rows) list.checkNamedRow(table, row as NamedRow);
        }
        database.exec('commit');
        list.addMissingDocuments();
        return list;
      },
      read: <Row>(query: Query<Row>) => finishRows(query, readAllRows(query.sql, query.parameters)),
    });
  } finally {
    database.close();
  }
}

/** True if the database has a write-ahead log: a process uses it or was killed. */
function isInUse(file: string): boolean {
  return existsSync(`${file}-wal`);
}

/** Runs a task now, and returns a function that returns its result or throws its error. */
function captureResult<Result>(task: () => Result): () => Result {
  try {
    const seen = task();
    return () => seen;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function readStats(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null;
}
