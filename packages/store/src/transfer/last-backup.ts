import { join } from 'node:path';
import { prepare, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { StoreLocation } from '../open/location.ts';
import { SqliteConnection } from '../sqlite/connection.ts';
import { FILE_NAME } from '../sqlite/database.ts';

/** The row of `meta` that says when the last whole backup was written. */
const NAME = 'last backup';

/** Milliseconds since 1970-01-01 UTC, as a text. */
export const lastBackup = prepare(() => sql.selectFrom('meta').select('value').where('name', '=', NAME));

const storeLastBackup = prepareStatement((p: { at: string }) =>
  sql
    .insertInto('meta')
    .values({ name: NAME, value: p.at })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: p.at })),
);

/**
 * Records that everything was backed up at `at`, in milliseconds since 1970-01-01 UTC. Does not update the schema. Rejects
 * if the database takes no writes.
 */
export async function recordBackup(location: StoreLocation, at: number): Promise<void> {
  const { sql: text, parameters } = storeLastBackup({ at: String(at) });
  if (location.kind === 'postgres') {
    const { PostgresConnection } = await import('../postgres/connection.ts');
    const connection = await PostgresConnection.openPrimary(location.url);
    return connection.send(text, parameters).then(
      () => connection.close(),
      async (error: unknown) => {
        await connection.close();
        throw error;
      },
    );
  }
  const connection = new SqliteConnection(join(location.folder, FILE_NAME));
  try {
    connection.run(text, parameters);
  } finally {
    connection.close();
  }
}
