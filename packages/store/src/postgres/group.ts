import { setTimeout as delay } from 'node:timers/promises';
import { StoreError, type Unit } from '../database/database.ts';
import { MAX_GROUP_COMMITS_PER_DOCUMENT, POSTGRES_OUTCOME_CHECK_MS, POSTGRES_OUTCOME_MS } from '../database/limits.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { toStoreError } from './failure.ts';
import { encodeCommits, type GroupShape } from './group-statement.ts';
import { findRequiredLock, lockStatements } from './locks.ts';
import type { PostgresUnitResult } from './transaction.ts';
import { UNKNOWN_OUTCOME } from './transaction-outcome.ts';

/** Commits of several documents: for each document its units, in order. All units have the same shape. */
export interface CommitGroup {
  readonly shape: GroupShape;
  readonly batches: readonly (readonly Unit[])[];
}

/** The outcome of the units of one document. */
export interface GroupedBatchOutcome {
  /** Results of the first units. The others must be written separately. */
  readonly results: readonly PostgresUnitResult[];
  /** True if the other units may have been committed. */
  readonly isDoubtful: boolean;
}

/**
 * Writes commits of several documents in one transaction and one round trip. Commits that are not on top of the latest
 * one, and those of documents that another transaction has locked, are left out. If the transaction fails, nothing was
 * written. If the connection is lost, the group is sent again: each commit depends on a state that never recurs, so at
 * most one of its copies is added. Commits that the second attempt does not add are doubtful.
 */
export async function writeGroup(pool: ConnectionPool, group: CommitGroup): Promise<readonly GroupedBatchOutcome[]> {
  const until = performance.now() + POSTGRES_OUTCOME_MS;
  for (let isDoubtful = false; ; ) {
    const sent = await sendGroup(pool, group);
    if (sent.kind === 'committed') {
      return group.batches.map((_, i) => ({ results: COMMITTED.slice(0, sent.counts[i]), isDoubtful }));
    }
    if (sent.kind === 'failed') return group.batches.map(() => ({ results: [], isDoubtful }));
    if (sent.kind === 'unsent' && !isDoubtful) return failAll(group, sent.error);
    if (performance.now() > until) return failAll(group, new StoreError(sent.error.message, UNKNOWN_OUTCOME));
    isDoubtful ||= sent.kind === 'lost';
    await delay(POSTGRES_OUTCOME_CHECK_MS);
  }
}

const COMMITTED: readonly PostgresUnitResult[] = Array.from({ length: MAX_GROUP_COMMITS_PER_DOCUMENT }, () => ({
  kind: 'committed',
  results: [],
}));

function failAll({ batches }: CommitGroup, error: StoreError): readonly GroupedBatchOutcome[] {
  return batches.map((units) => ({ results: units.map(() => ({ kind: 'failed', error })), isDoubtful: false }));
}

type SentGroup =
  /** `counts`: for each document, how many of its first units were committed. */
  | { readonly kind: 'committed'; readonly counts: readonly number[] }
  /** The transaction was rolled back. */
  | { readonly kind: 'failed' }
  /** The connection was lost after the group was sent. */
  | { readonly kind: 'lost'; readonly error: StoreError }
  | { readonly kind: 'unsent'; readonly error: StoreError };

/** Sends a group. Each statement adds at most one commit to a document, because it changes a row only once. */
async function sendGroup(pool: ConnectionPool, { shape, batches }: CommitGroup): Promise<SentGroup> {
  const locks = lockStatements(null, findRequiredLock(batches[0] ?? []));
  const depth = Math.max(...batches.map((units) => units.length));
  const layers = Array.from({ length: depth }, (_, layer) => batches.flatMap((units) => units[layer] ?? []));
  try {
    const statements = layers.map((units) => ({ sql: shape.sql, parameters: [encodeCommits(shape, units)] }));
    return await pool.runWithConnection(async (connection): Promise<SentGroup> => {
      const answer = await connection.commitStatements([...locks, ...statements]);
      if (answer.kind === 'failed') return connection.isBroken ? { kind: 'lost', error: answer.error } : FAILED;
      const added = layers.map((_, layer) => new Set(answer.listFirstColumn(locks.length + layer)));
      return { kind: 'committed', counts: batches.map((units) => countCommitted(units, added)) };
    });
  } catch (error) {
    return { kind: 'unsent', error: toStoreError(error) };
  }
}

const FAILED: SentGroup = { kind: 'failed' };

/** The number of a document's first units that were committed. `added`: documents with a new commit, by statement. */
function countCommitted(units: readonly Unit[], added: readonly ReadonlySet<string | null>[]): number {
  const missing = units.findIndex(({ document }, layer) => !added[layer]?.has(document));
  return missing === -1 ? units.length : missing;
}
