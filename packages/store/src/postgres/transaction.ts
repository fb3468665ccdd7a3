import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type StatementResult, StoreError, type Unit, type UnitOutcome } from '../database/database.ts';
import { MAX_TRANSACTION_ATTEMPTS, POSTGRES_RETRY_MS } from '../database/limits.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { canUseOneTrip, writeInOneTrip } from './one-trip.ts';
import { isUndoneByServer, type TransactionOutcome, UNKNOWN_OUTCOME } from './transaction-outcome.ts';
import { writeInTwoTrips } from './two-trips.ts';

/** An outcome, or an error. */
export type PostgresUnitResult = UnitOutcome | { readonly kind: 'failed'; readonly error: StoreError };

/**
 * Writes units of one document (or units without a document) in one transaction, so that they share its commit. If a
 * unit fails, the transaction is rolled back, and each unit is written separately.
 */
export async function writeUnits(pool: ConnectionPool, units: readonly Unit[]): Promise<readonly PostgresUnitResult[]> {
  const together = await writeWithRetries(pool, units);
  if (together.kind === 'committed') return together.results.map((results) => ({ kind: 'committed', results }));
  if (units.length === 1) return [toUnitResult(together)];
  // Units that may have been committed must not be written again; their callers get `UNKNOWN_OUTCOME`.
  if (together.kind === 'failed' && together.error.code === UNKNOWN_OUTCOME) return units.map(() => together);
  const results: PostgresUnitResult[] = [];
  for (const unit of units) results.push(toUnitResult(await writeWithRetries(pool, [unit])));
  return results;
}

/**
 * Writes units that may already have been committed, in separate transactions: possibly only some of them were
 * committed. Each unit must have a proof.
 */
export async function writeDoubtfulUnits(
  pool: ConnectionPool,
  units: readonly Unit[],
): Promise<readonly PostgresUnitResult[]> {
  const results: PostgresUnitResult[] = [];
  for (const unit of units) results.push(toUnitResult(await writeInOneTrip(pool, [unit], true)));
  return results;
}

/** The result of a transaction with one unit. */
function toUnitResult(written: TransactionOutcome): PostgresUnitResult {
  if (written.kind !== 'committed') return written;
  return { kind: 'committed', results: written.results[0] as readonly StatementResult[] };
}

/** Writes units, with retries. Units are plain data, so they can be written again after a rollback. */
async function writeWithRetries(pool: ConnectionPool, units: readonly Unit[]): Promise<TransactionOutcome> {
  const writeOnce = canUseOneTrip(units) ? writeInOneTrip : writeInTwoTrips;
  for (let attempt = 1; ; attempt++) {
    const written = await writeOnce(pool, units);
    if (written.kind !== 'failed' || !written.isUndone) return written;
    if (attempt >= MAX_TRANSACTION_ATTEMPTS) return toOverloaded(written.error);
    await delay(randomInt(POSTGRES_RETRY_MS));
  }
}

/** Returns the outcome of a transaction that was rolled back although its units are correct. The caller may retry. */
function toOverloaded(error: StoreError): TransactionOutcome {
  if (!isUndoneByServer(error)) return { kind: 'failed', error };
  const message = `The database rolled a transaction back ${MAX_TRANSACTION_ATTEMPTS} times: ${error.message}`;
  return { kind: 'failed', error: new StoreError(message, 'OVERLOADED') };
}
