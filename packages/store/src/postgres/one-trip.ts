import { setTimeout as delay } from 'node:timers/promises';
import { type Statement, type StatementResult, StoreError, type Unit } from '../database/database.ts';
import { POSTGRES_OUTCOME_CHECK_MS, POSTGRES_OUTCOME_MS } from '../database/limits.ts';
import { COMBINED_STATEMENTS, combineCommit } from './combined-commit.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { waitUntilDurable } from './durability.ts';
import { toStoreError } from './failure.ts';
import { canEncodeGuard, encodeGuard, GUARD_FAILURE } from './guards.ts';
import { findRequiredLock, lockStatements } from './locks.ts';
import { isUndoneByServer, type TransactionAttempt, UNKNOWN_OUTCOME } from './transaction-outcome.ts';

/** True if all units have a query that proves their commit, and the server can evaluate all guards. */
export function canUseOneTrip(units: readonly Unit[]): boolean {
  return units.every(({ proof, statements }) => proof !== undefined && statements.every(canEncodeGuard));
}

/**
 * Sends units together with their commit, in one round trip. If the connection is lost, the outcome is unknown, and the
 * server may still be processing the units; they are then sent again. Such a unit depends on a state that never recurs,
 * so at most one of the two attempts is committed. If the second attempt is refused, the unit's proof shows whether the
 * first one was committed. `wereSent`: true if the units were sent before, and the answer was lost.
 */
export async function writeInOneTrip(
  pool: ConnectionPool,
  units: readonly Unit[],
  wereSent = false,
): Promise<TransactionAttempt> {
  const until = performance.now() + POSTGRES_OUTCOME_MS;
  for (let isDoubtful = wereSent; ; ) {
    const sent = await sendUnits(pool, units);
    if (sent.kind !== 'lost' && !isDoubtful) return sent;
    if (sent.kind === 'committed') return sent;
    if (sent.kind === 'conflict') return resolveDoubtfulConflict(pool, units, sent);
    if (performance.now() > until) return toUnknownOutcome(sent.error);
    isDoubtful = true;
    await delay(POSTGRES_OUTCOME_CHECK_MS);
  }
}

/** The connection was lost after the units were sent. */
interface LostUnits {
  readonly kind: 'lost';
  readonly error: StoreError;
}

/** Sends units as one transaction in one round trip. `lost` if the connection broke before the answer. */
async function sendUnits(pool: ConnectionPool, units: readonly Unit[]): Promise<TransactionAttempt | LostUnits> {
  const statements = units.flatMap(listStatementsToSend);
  const locks = buildUnitLocks(units);
  try {
    return await pool.runWithConnection(async (connection): Promise<TransactionAttempt | LostUnits> => {
      const answer = await connection.commitStatements([...locks, ...statements]);
      if (answer.kind === 'committed') return toCommittedAttempt(units);
      const { error, at } = answer;
      if (connection.isBroken) return { kind: 'lost', error };
      const guard = statements[at - locks.length]?.guard;
      if (guard !== undefined && error.code === GUARD_FAILURE) return { kind: 'conflict', conflict: guard.conflict };
      return { kind: 'failed', error, isUndone: isUndoneByServer(error) };
    });
  } catch (error) {
    return { kind: 'failed', error: toStoreError(error), isUndone: false };
  }
}

/** Returns the statements to send, with their guards encoded so that the server evaluates them. */
function listStatementsToSend({ statements }: Unit): readonly Statement[] {
  const commit = combineCommit(statements);
  if (commit === null) return statements.map(encodeGuard);
  return [commit, ...statements.slice(COMBINED_STATEMENTS).map(encodeGuard)];
}

/**
 * Returns the statements that lock for the units. The document's row needs no separate lock if the first statement
 * updates it.
 */
function buildUnitLocks(units: readonly Unit[]): readonly Omit<Statement, 'guard'>[] {
  const [first] = units;
  const isLockedByFirst = first?.statements[0]?.sql.startsWith('update "documents"') ?? false;
  return lockStatements(isLockedByFirst ? null : (first?.document ?? null), findRequiredLock(units));
}

/** The result of units that were committed; their statements return no rows. */
function toCommittedAttempt(units: readonly Unit[]): TransactionAttempt {
  return { kind: 'committed', results: units.map(() => NO_RESULTS) };
}

const NO_RESULTS: readonly StatementResult[] = [];

/**
 * Decides whether units that were sent twice were committed by the first attempt, which causes the conflict of the
 * second.
 */
async function resolveDoubtfulConflict(
  pool: ConnectionPool,
  units: readonly Unit[],
  conflict: TransactionAttempt,
): Promise<TransactionAttempt> {
  try {
    return (await hasProof(pool, units)) ? toCommittedAttempt(units) : conflict;
  } catch (error) {
    return toUnknownOutcome(toStoreError(error));
  }
}

/** The failure of a transaction that may have been committed. */
function toUnknownOutcome({ message }: StoreError): TransactionAttempt {
  return { kind: 'failed', error: new StoreError(message, UNKNOWN_OUTCOME), isUndone: false };
}

/** True if the units whose answer was lost were committed. They were one transaction, so one proof is enough. */
async function hasProof(pool: ConnectionPool, units: readonly Unit[]): Promise<boolean> {
  const proof = units[0]?.proof;
  if (proof === undefined) return false;
  return pool.read(async (connection) => {
    const { count } = await connection.sendStatement(proof.sql, proof.parameters);
    if (count > 0) await waitUntilDurable(connection);
    return count > 0;
  });
}
