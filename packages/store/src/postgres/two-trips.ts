import { setTimeout as delay } from 'node:timers/promises';
import { type Statement, type StatementResult, StoreError, type Unit } from '../database/database.ts';
import { POSTGRES_OUTCOME_CHECK_MS, POSTGRES_OUTCOME_MS } from '../database/limits.ts';
import type { PostgresConnection, StatementAnswer } from './connection.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { waitUntilDurable } from './durability.ts';
import { toStoreError, UNAVAILABLE } from './failure.ts';
import { findRequiredLock, lockStatements, TRANSACTION_ID } from './locks.ts';
import { isUndoneByServer, type TransactionAttempt, UNKNOWN_OUTCOME } from './transaction-outcome.ts';

/** Identifies a transaction, so that its outcome can be queried after the connection was lost. */
interface TransactionName {
  /** Transaction id of the database. */
  readonly id: string;
  /** Value of `PostgresConnection.history`, in which the id is valid. */
  readonly history: string;
}

const BEGIN = 'begin isolation level read committed';
const STATUS = 'select pg_xact_status(?::text::xid8) as status';

/**
 * Sends the locks, the query of the transaction id and all statements at once, and then the commit if their answers are
 * valid. If the answer to the commit is lost, the outcome is determined by the transaction id.
 */
export async function writeInTwoTrips(pool: ConnectionPool, units: readonly Unit[]): Promise<TransactionAttempt> {
  const until = performance.now() + POSTGRES_OUTCOME_MS;
  try {
    const ending = await pool.runWithConnection((connection) => runTransaction(connection, units));
    if (ending.kind !== 'lost') return ending;
    const isCommitted = await wasCommitted(pool, ending.name, until);
    if (isCommitted) return { kind: 'committed', results: ending.results };
    return { kind: 'failed', error: ending.error, isUndone: true };
  } catch (error) {
    return { kind: 'failed', error: toStoreError(error), isUndone: false };
  }
}

/** The connection was lost between the commit and its answer. */
interface LostCommit {
  readonly kind: 'lost';
  readonly name: TransactionName;
  readonly results: readonly (readonly StatementResult[])[];
  readonly error: StoreError;
}

/**
 * Sends all statements at once, and then the commit if the answers are valid. Every statement sees all earlier commits;
 * statements after the locks also see all commits of the previous lock holders.
 */
async function runTransaction(
  connection: PostgresConnection,
  units: readonly Unit[],
): Promise<TransactionAttempt | LostCommit> {
  const [before, sent] = connection.sendTogether(() => {
    const locks = lockStatements(units[0]?.document ?? null, findRequiredLock(units));
    return [
      [
        connection.sendStatement(BEGIN),
        connection.sendStatement(TRANSACTION_ID),
        ...locks.map(({ sql, parameters }) => connection.sendStatement(sql, parameters)),
      ],
      units.map(({ statements }) => statements.map(({ sql, parameters }) => connection.sendStatement(sql, parameters))),
    ] as const;
  });
  const answers = await Promise.allSettled([...before, ...sent.flat()]);
  const problem = findProblem(
    answers,
    before.length,
    units.flatMap(({ statements }) => statements),
    connection,
  );
  if (problem !== null) {
    if (!connection.isBroken) await connection.sendStatement('rollback');
    return problem;
  }
  const [, number] = await Promise.all(before);
  const id = String(number?.rows[0]?.['id']);
  const results = await Promise.all(sent.map(async (one) => (await Promise.all(one)).map(toStatementResult)));
  try {
    await connection.sendStatement('commit');
    return { kind: 'committed', results };
  } catch (error) {
    const failed = toStoreError(error);
    if (connection.isBroken) return { kind: 'lost', name: { id, history: connection.history }, results, error: failed };
    return { kind: 'failed', error: failed, isUndone: isUndoneByServer(failed) };
  }
}

/** The number of changed rows and the returned rows. */
function toStatementResult({ count, rows }: StatementAnswer): StatementResult {
  return { changes: count, rows };
}

/** Returns the first reason not to commit, or null. `before`: number of answers before the answers of `statements`. */
function findProblem(
  answers: readonly PromiseSettledResult<StatementAnswer>[],
  before: number,
  statements: readonly Statement[],
  connection: PostgresConnection,
): TransactionAttempt | null {
  for (const [i, answer] of answers.entries()) {
    if (answer.status === 'rejected') return toFailedAttempt(toStoreError(answer.reason), connection);
    const guard = statements[i - before]?.guard;
    if (guard !== undefined && answer.value.count !== guard.rows) return { kind: 'conflict', conflict: guard.conflict };
  }
  return null;
}

/**
 * Returns the result of an attempt that failed before the commit was sent. Nothing was committed, so that after the
 * failure of an idle connection a retry is enough.
 */
function toFailedAttempt(error: StoreError, connection: PostgresConnection): TransactionAttempt {
  return { kind: 'failed', error, isUndone: isUndoneByServer(error) || connection.isBroken };
}

/**
 * Asks the database whether a transaction was committed. Rejects if the database is not available in time, or has
 * another history, in which the id may belong to another transaction.
 */
async function wasCommitted(pool: ConnectionPool, { id, history }: TransactionName, until: number): Promise<boolean> {
  for (;;) {
    try {
      const status = await pool.runWithConnection((connection) => readStatus(connection, { id, history }));
      if (status === 'committed') return true;
      if (status === 'aborted') return false;
    } catch (error) {
      if (toStoreError(error).code !== UNAVAILABLE) throw error;
    }
    if (performance.now() > until)
      throw new StoreError('The database does not report the outcome of a transaction', UNKNOWN_OUTCOME);
    await delay(POSTGRES_OUTCOME_CHECK_MS);
  }
}

/**
 * The status of a transaction whose answer was lost, such as `committed`. Throws if the database is no longer the one
 * that ran it.
 */
async function readStatus(connection: PostgresConnection, { id, history }: TransactionName): Promise<unknown> {
  if (connection.history !== history)
    throw new StoreError('The database has recovered from a crash or is another database', UNKNOWN_OUTCOME);
  const { rows } = await connection.sendStatement(STATUS, [id]);
  const status = rows[0]?.['status'];
  if (status === 'committed') await waitUntilDurable(connection);
  return status;
}
