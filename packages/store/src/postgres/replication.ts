import type { Query } from '../database/database.ts';

/** Number of streaming standbys, and the lag of the slowest one. */
interface ReplicationRow {
  readonly standbys: number;
  /**
   * Bytes of the log that are not replayed yet; null if there is no standby, or if the user may not see it
   * (`pg_monitor`).
   */
  readonly lag: number | null;
}

/**
 * Counts the streaming standbys. A base backup is a sender with another state and is not counted. If the user may not
 * see states, every sender is counted.
 */
export const replication: Query<ReplicationRow> = {
  sql: `select count(*) filter (where coalesce(state, 'streaming') = 'streaming')::int as standbys,
    max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))::bigint as lag
  from pg_stat_replication`,
  parameters: [],
};
