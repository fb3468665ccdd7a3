import { existsSync, type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { SEALED_TABLES, selectPieces } from '../database/checksum.ts';
import { finishRows, type Query, type SqlValue } from '../database/database.ts';
import { BUSY_TIMEOUT_MS } from '../database/limits.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { FILE_NAME, MAX_REPORTED_PROBLEMS } from '../sqlite/database.ts';
import { isMigrated } from '../sqlite/migrate.ts';
import { DamageList, type DocumentDamage, type NamedRow } from '../transfer/damage.ts';

/** A database that is looked at and never changed: nothing in its folder is made, migrated or written. */
export interface SqliteExamination {
  /** One text a problem of the stored bytes, none when all is well. */
  problems(): readonly string[];
  /**
   * Whether the schema is the one of this version; where it is older, `read` has nothing to go by. Throws `StoreError`
   * where the schema is newer, or not one of Cellwire's.
   */
  isCurrent(): boolean;
  read<Row>(query: Query<Row>): readonly Row[];
  /** Documents with pieces that are not what was written. */
  damage(): readonly DocumentDamage[];
}

/** Runs `look` on the database of a folder; null where there is none. Throws where the file cannot be read. */
export function examineSqlite<Seen>(folder: string, look: (database: SqliteExamination) => Seen): Seen | null {
  const file = join(folder, FILE_NAME);
  const before = readStats(file);
  if (before === null) return null;
  if (isInUse(file)) return examineFile(file, false, look);
  const seen = captureOutcome(() => examineFile(file, true, look));
  // A service that started meanwhile may have changed pages under the look, which took no lock.
  const after = readStats(file);
  if (isInUse(file) || after?.mtimeMs !== before.mtimeMs) return examineFile(file, false, look);
  return seen();
}

/**
 * SQLite keeps its log beside the file while somebody has it open, or after one who had it open died. Even one who
 * only reads would make that log where it is not there, and leave it; `immutable` says that nobody writes, and makes
 * none.
 */
function examineFile<Seen>(file: string, immutable: boolean, look: (database: SqliteExamination) => Seen): Seen {
  const url = pathToFileURL(resolve(file));
  if (immutable) url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  const all = (sql: string, parameters: readonly SqlValue[] = []) => database.prepare(sql).all(...parameters);
  try {
    return look({
      problems: () => {
        const rows = all(`pragma quick_check(${MAX_REPORTED_PROBLEMS})`);
        return rows.map(({ quick_check: text }) => String(text)).filter((text) => text !== 'ok');
      },
      isCurrent: () => isMigrated({ all }, MIGRATIONS),
      damage: () => {
        const list = new DamageList();
        for (const table of SEALED_TABLES) {
          for (const row of database.prepare(selectPieces(table)).iterate()) list.checkNamed(table, row as NamedRow);
        }
        return list.documents;
      },
      read: <Row>(query: Query<Row>) => finishRows(query, all(query.sql, query.parameters)),
    });
  } finally {
    database.close();
  }
}

function isInUse(file: string): boolean {
  return existsSync(`${file}-wal`);
}

/** What a task gave or threw, for later. */
function captureOutcome<Seen>(task: () => Seen): () => Seen {
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
