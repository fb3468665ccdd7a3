import { MIGRATIONS } from '../migrations.ts';
import { Link } from './link.ts';
import { isMigrated } from './migrate.ts';

/** A database that is looked at and never changed. */
export interface ExaminedPostgres {
  /** As the server tells it, e.g. `15.18`. */
  readonly version: string;
  readonly major: number;
  /** Whether the schema is the one of this version. */
  readonly isCurrent: boolean;
}

/**
 * Rejects with `StoreError` where the database cannot be reached or used, and where the schema is newer than this
 * version, or not one of Cellwire's.
 */
export async function examinePostgres(url: string): Promise<ExaminedPostgres> {
  const link = await Link.open(url);
  try {
    const { rows } = await link.send("select current_setting('server_version') as version");
    const version = String(rows[0]?.['version']);
    return { version, major: Number.parseInt(version, 10), isCurrent: await isMigrated(link, MIGRATIONS) };
  } finally {
    await link.close();
  }
}
