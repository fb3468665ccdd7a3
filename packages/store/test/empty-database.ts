import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS } from '../src/migrations/migrations.ts';
import { SqliteConnection } from '../src/sqlite/connection.ts';
import { FILE_NAME } from '../src/sqlite/database.ts';
import { migrate } from '../src/sqlite/migrate.ts';

const PRIVATE_FILE = 0o600;

/**
 * Offset and value of the two header bytes that select the write-ahead log (https://sqlite.org/fileformat2.html). A
 * database in memory has no log, and each opening would rewrite the file.
 */
const WAL_VERSION_OFFSET = 18;
const WAL_VERSION = 2;

/** The bytes of an empty database, which the first call creates. */
let empty: Uint8Array | null = null;

/**
 * Creates an empty database in a folder that has none. The result is the same as after opening it. Creating its tables
 * takes several times as long as copying the bytes, and tests open hundreds of databases.
 */
export function createEmptyDatabase(folder: string): void {
  const file = join(folder, FILE_NAME);
  if (existsSync(file)) return;
  empty ??= serializeEmptyDatabase();
  writeFileSync(file, empty, { mode: PRIVATE_FILE });
}

function serializeEmptyDatabase(): Uint8Array {
  const connection = new SqliteConnection(':memory:');
  migrate(connection, MIGRATIONS);
  const bytes = connection.db.serialize();
  bytes.fill(WAL_VERSION, WAL_VERSION_OFFSET, WAL_VERSION_OFFSET + 2);
  connection.close();
  return bytes;
}
