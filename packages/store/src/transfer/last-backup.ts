import { join } from 'node:path';
import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { StoreLocation } from '../open/location.ts';
import { SqliteConnection } from '../sqlite/connection.ts';
import { FILE_NAME } from '../sqlite/database.ts';

/** Name of the row of `meta` with the time of the last complete backup. */
const NAME = 'last backup';

/** Time of the last complete backup in milliseconds since 1970-01-01 UTC, as text. */
export const lastBackup = prepareQuery(() => sql.selectFrom('meta').select('value').where('name', '=', NAME));

const storeLastBackup = prepareStatement((p: { at: string }) =>
  sql
    .insertInto('meta')
    .values({ name: NAME, value: p.at })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: p.at })),
);

/**
 * Records a complete backup. `time`: in milliseconds since 1970-01-01 UTC. Does not migrate the schema. Rejects if the
 * database accepts no writes.
 */
export async function recordBackup(location: StoreLocation, time: number): Promise<void> {
  const { sql: text, parameters } = storeLastBackup({ at: String(time) });
  if (location.kind === 'postgres') {
    const { PostgresConnection } = await import('../postgres/connection.ts');
    const connection = await PostgresConnection.openPrimary(location.url);
    return connection.sendStatement(text, parameters).then(
      () => connection.close(),
      async (error: unknown) => {
        await connection.close();
        throw error;
      },
    );
  }
  const connection = new SqliteConnection(join(location.folder, FILE_NAME));
  try {
    connection.runStatement(text, parameters);
  } finally {
    connection.close();
  }
}
