import type { Query } from '../database.ts';

/** Standbys that stream from the server, and how far the one that is furthest behind has come. */
export interface ReplicationRow {
  readonly standbys: number;
  /** Bytes of the log that it has not replayed; null: there is none, or this user may not see it (`pg_monitor`). */
  readonly lag: number | null;
}

/** A base backup streams as well, with another state; who may not see the state sees every sender. */
export const replication: Query<ReplicationRow> = {
  sql: `select count(*) filter (where coalesce(state, 'streaming') = 'streaming')::int as standbys,
    max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))::bigint as lag
  from pg_stat_replication`,
  parameters: [],
};
