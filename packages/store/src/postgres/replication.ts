import type { Query } from '../database/database.ts';

/** Standbys that stream from the server, and the lag of the slowest one. */
interface ReplicationRow {
  readonly standbys: number;
  /** Bytes of the log that it has not replayed; null: there is none, or this user may not see it (`pg_monitor`). */
  readonly lag: number | null;
}

/** A base backup is a sender, too, with another state. A user who may not see states counts every sender. */
export const replication: Query<ReplicationRow> = {
  sql: `select count(*) filter (where coalesce(state, 'streaming') = 'streaming')::int as standbys,
    max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))::bigint as lag
  from pg_stat_replication`,
  parameters: [],
};
