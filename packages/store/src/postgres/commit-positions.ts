import type { CommitPositions, StoreCommitPosition } from '../database/database.ts';
import type { ConnectionPool } from './connection-pool.ts';

/** A snapshot of PostgreSQL. Transactions from `end` on, and transactions in `running`, were not committed. */
interface TransactionPosition {
  /** Value of `PostgresConnection.history`, in which transaction ids are unique. */
  readonly history: string;
  readonly end: string;
  readonly running: readonly string[];
}

/**
 * The sum of hashes of the ids changes when a proposal is opened or closed; it does not depend on the order of the ids.
 */
const OPEN_PROPOSALS = `select count(*) as open, coalesce(sum(hashtextextended(id, 0)), 0)::text as ids from (
  select id from proposals where state = 'open' and expires_at > ? limit ?) as listed`;

/**
 * Selects rows that were inserted after a snapshot. Ids of transactions that are greater than any current one belong to
 * another cluster, from which this one was copied.
 */
const insertedSince = (table: string) => `(select document_id from ${table}
    where transaction_id >= ?::bigint and transaction_id < pg_snapshot_xmax(pg_current_snapshot())::text::bigint
    limit ?)
  union all (select document_id from ${table} where transaction_id = any(?::bigint[]) limit ?)`;

// A new document gets its first checkpoint together with its row in `documents`, so `checkpoints` shows new documents.
const CHANGES = `with
  inserted as (${insertedSince('commits')} union all ${insertedSince('checkpoints')}),
  proposed as (${OPEN_PROPOSALS})
select pg_current_snapshot()::text as snapshot, proposed.open, proposed.ids,
  (select count(*) from inserted) as rows,
  coalesce((select json_agg(distinct document_id) from inserted), '[]')::text as documents
from proposed`;

/**
 * Positions are snapshots. Rows of `commits` and `checkpoints` have the id of the transaction that inserted them, which
 * tells if a snapshot contains them.
 */
export class PostgresCommitPositions implements CommitPositions {
  private readonly pool: ConnectionPool;

  constructor(pool: ConnectionPool) {
    this.pool = pool;
  }

  changesSince({ since, now, maxCommits, maxProposals }: Parameters<CommitPositions['changesSince']>[0]) {
    const position = since === null ? null : (JSON.parse(since) as TransactionPosition);
    const { end, running } = position ?? NOTHING_SINCE;
    const inserted = [end, maxCommits + 1, `{${running.join()}}`, maxCommits + 1];
    return this.pool.read(async (connection) => {
      const { rows } = await connection.sendStatement(CHANGES, [...inserted, ...inserted, now, maxProposals + 1]);
      const [row] = rows;
      const { history } = connection;
      const isKnown = position === null || position.history === history;
      const isComplete = isKnown && Number(row?.['rows']) <= maxCommits;
      return {
        position: encodeCommitPosition(String(row?.['snapshot']), history),
        documents: isComplete ? (JSON.parse(String(row?.['documents'])) as readonly string[]) : null,
        openProposals: Number(row?.['open']) > maxProposals ? null : `${row?.['open']} ${row?.['ids']}`,
      };
    });
  }
}

const MAX_BIGINT = '9223372036854775807';
/** Parameters that find no rows. */
const NOTHING_SINCE: Pick<TransactionPosition, 'end' | 'running'> = { end: MAX_BIGINT, running: [] };

/** The position of all commits that a snapshot of PostgreSQL contains. `snapshot` has the form `xmin:xmax:xip,xip`. */
function encodeCommitPosition(snapshot: string, history: string): StoreCommitPosition {
  const [, end = '', running = ''] = snapshot.split(':');
  const position: TransactionPosition = { history, end, running: running === '' ? [] : running.split(',') };
  return JSON.stringify(position);
}
