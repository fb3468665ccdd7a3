import type { ClusterListener, NodeCluster } from '../database/cluster.ts';
import type { Database } from '../database/database.ts';
import { openSqlite, openSqliteReader } from '../sqlite/database.ts';

/** Where the data is: the embedded database in a folder, or a PostgreSQL server. Plain data: threads get it, too. */
export type StoreLocation =
  | { readonly kind: 'sqlite'; readonly folder: string }
  | {
      readonly kind: 'postgres';
      /** With its secrets: never logged. */
      readonly url: string;
      /** Connections at once. */
      readonly connections: number;
    };

/** `server`: one that goes on, and writes much; `command`: a process that does one thing and ends. */
export type StoreUse = 'server' | 'command';

/** Opens the database and brings its schema up to date. Rejects where it is not usable. */
export async function openStore(location: StoreLocation, use: StoreUse): Promise<Database> {
  if (location.kind === 'sqlite') {
    return openSqlite({ folder: location.folder, writer: use === 'server' ? 'thread' : 'inline' });
  }
  // Loaded where it is used: the command line of the embedded database does not wait for it.
  const { openPostgres } = await import('../postgres/database.ts');
  return openPostgres(location);
}

/** What only reads, for a thread beside the one that has the database. */
export interface StoreReader extends Pick<Database, 'readAll'> {
  close(): void | Promise<void>;
}

/** A connection of its own to a database that is open. */
export async function openReader(location: StoreLocation): Promise<StoreReader> {
  if (location.kind === 'sqlite') return openSqliteReader(location.folder);
  const { openPostgresReader } = await import('../postgres/database.ts');
  return openPostgresReader(location.url);
}

/** What nodes of one database share; null: the embedded one has one node. */
export async function openCluster(location: StoreLocation, listener: ClusterListener): Promise<NodeCluster | null> {
  if (location.kind === 'sqlite') return null;
  const { openPostgresRelay } = await import('../postgres/relay.ts');
  const { openPostgresRates } = await import('../postgres/rates.ts');
  return { relay: openPostgresRelay(location.url, listener), rates: openPostgresRates(location.url) };
}
