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

const noteBackup = prepareStatement((p: { at: string }) =>
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
  const { sql: text, parameters } = noteBackup({ at: String(at) });
  if (location.kind === 'postgres') {
    const { Link } = await import('../postgres/link.ts');
    const link = await Link.openPrimary(location.url);
    return link.send(text, parameters).then(
      () => link.close(),
      async (error: unknown) => {
        await link.close();
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
