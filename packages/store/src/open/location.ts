import type { ClusterListener, NodeCluster } from '../database/cluster.ts';
import type { Database } from '../database/database.ts';
import { openSqlite, openSqliteReader } from '../sqlite/database.ts';

/**
 * Location of the data: the embedded database in a folder, or a PostgreSQL server. Plain data that can be sent to
 * threads.
 */
export type StoreLocation =
  | { readonly kind: 'sqlite'; readonly folder: string }
  | {
      readonly kind: 'postgres';
      /** Contains secrets: must never be logged. */
      readonly url: string;
      /** Maximum number of connections. */
      readonly connections: number;
    };

/** `server`: a long-running process with many writes. `command`: a short-lived process. */
export type StoreUse = 'server' | 'command';

/** Opens the database and migrates its schema. Rejects if it is unusable. */
export async function openStore(location: StoreLocation, use: StoreUse): Promise<Database> {
  if (location.kind === 'sqlite') {
    return openSqlite({ folder: location.folder, writer: use === 'server' ? 'thread' : 'inline' });
  }
  // The module is loaded on demand: commands on the embedded database start faster without it.
  const { openPostgres } = await import('../postgres/database.ts');
  return openPostgres(location);
}

/** A read-only connection for another thread. */
export interface StoreReader extends Pick<Database, 'readAll' | 'openSnapshot'> {
  close(): void | Promise<void>;
}

/** Opens a separate connection to a database that is already open. */
export async function openReader(location: StoreLocation): Promise<StoreReader> {
  if (location.kind === 'sqlite') return openSqliteReader(location.folder);
  const { openPostgresReader } = await import('../postgres/database.ts');
  return openPostgresReader(location.url);
}

/** Opens the services shared by nodes of one database; null for the embedded database, which has one node. */
export async function openCluster(location: StoreLocation, listener: ClusterListener): Promise<NodeCluster | null> {
  if (location.kind === 'sqlite') return null;
  const { openPostgresRelay } = await import('../postgres/relay.ts');
  const { openPostgresRates } = await import('../postgres/rates.ts');
  return { relay: openPostgresRelay(location.url, listener), rates: openPostgresRates(location.url) };
}
