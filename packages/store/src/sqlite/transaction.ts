import { SqliteError } from 'better-sqlite3';
import type { Statement, StatementResult, Unit, UnitOutcome } from '../database/database.ts';
import { MAX_BUSY_RETRIES } from '../database/limits.ts';
import type { SqliteConnection } from './connection.ts';

/** The statements of a unit. SQLite needs only these, because it writes all units in one queue. */
export type UnitStatements = Pick<Unit, 'statements'>;

/** An outcome, or the database's failure as plain data that can be sent to another thread. */
export type SqliteUnitResult = UnitOutcome | UnitFailure;

interface UnitFailure {
  readonly kind: 'failed';
  /** What failed: a statement of the unit, or the transaction with all its units (a full disk, a lock). */
  readonly scope: 'unit' | 'transaction';
  readonly code: string;
  readonly message: string;
}

/** Thrown if a unit fails after it has changed rows. Without a savepoint such a unit cannot be rolled back alone. */
const PARTIAL_WRITE: unique symbol = Symbol('unit left traces');

/**
 * Writes all units in one transaction, so that they share one sync of the disk. `committed` units are on disk when this
 * returns. A failing unit does not affect the others. Usually its first statement fails, before any change. Otherwise
 * the transaction is rolled back and repeated with a savepoint for each unit, which takes 20 % longer.
 */
export function runUnits(connection: SqliteConnection, units: readonly UnitStatements[]): readonly SqliteUnitResult[] {
  try {
    return runTransaction(connection, units, runWithoutSavepoint);
  } catch (error) {
    if (error !== PARTIAL_WRITE) throw error;
    return runTransaction(connection, units, runWithSavepoint);
  }
}

type RunUnit = (connection: SqliteConnection, unit: UnitStatements) => SqliteUnitResult;

/** Runs the units in one transaction. Throws `PARTIAL_WRITE` after a rollback if a unit requires savepoints. */
function runTransaction(
  connection: SqliteConnection,
  units: readonly UnitStatements[],
  run: RunUnit,
): readonly SqliteUnitResult[] {
  try {
    takeWriteLock(connection);
    const results = units.map((unit) => run(connection, unit));
    connection.runStatement('commit');
    return results;
  } catch (error) {
    if (connection.db.inTransaction) connection.runStatement('rollback');
    if (error === PARTIAL_WRITE) throw error;
    const failure = toFailure(error, 'transaction');
    return units.map(() => failure);
  }
}

/** Takes the write lock. SQLite itself waits for other processes; the retries are for locks that are held very long. */
function takeWriteLock(connection: SqliteConnection): void {
  for (let attempt = 0; ; attempt++) {
    try {
      connection.runStatement('begin immediate');
      return;
    } catch (error) {
      if (attempt >= MAX_BUSY_RETRIES || !isBusy(error)) throw error;
    }
  }
}

/** True if another process holds the database's lock. */
function isBusy(error: unknown): boolean {
  return error instanceof SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** Runs a unit. Throws `PARTIAL_WRITE` if it is refused after it has written. */
function runWithoutSavepoint(connection: SqliteConnection, unit: UnitStatements): SqliteUnitResult {
  const { result, written } = runStatements(connection, unit.statements);
  if (result.kind !== 'committed' && written) throw PARTIAL_WRITE;
  return result;
}

/** Runs a unit and undoes its statements if it is refused. */
function runWithSavepoint(connection: SqliteConnection, unit: UnitStatements): SqliteUnitResult {
  connection.runStatement('savepoint unit');
  const { result } = runStatements(connection, unit.statements);
  if (result.kind !== 'committed') connection.runStatement('rollback to unit');
  connection.runStatement('release unit');
  return result;
}

/** Runs statements until one is refused. `written` is true if any of them, also the refused one, changed rows. */
function runStatements(
  connection: SqliteConnection,
  statements: readonly Statement[],
): { readonly result: SqliteUnitResult; readonly written: boolean } {
  const results: StatementResult[] = [];
  let written = false;
  for (const statement of statements) {
    try {
      const result = runStatement(connection, statement);
      const { guard } = statement;
      written ||= result.changes > 0 && !connection.isReadOnly(statement.sql);
      if (guard !== undefined && result.changes !== guard.rows) {
        return { result: { kind: 'conflict', conflict: guard.conflict }, written };
      }
      results.push(result);
    } catch (error) {
      // On a full disk SQLite rolls back the whole transaction, so all units fail.
      if (!connection.db.inTransaction) throw error;
      return { result: toFailure(error, 'unit'), written };
    }
  }
  return { result: { kind: 'committed', results }, written };
}

const NO_ROWS: StatementResult['rows'] = [];

function runStatement(connection: SqliteConnection, { sql, parameters }: Statement): StatementResult {
  if (!connection.returnsRows(sql)) return { changes: connection.runStatement(sql, parameters), rows: NO_ROWS };
  const rows = connection.readRows(sql, parameters);
  return { changes: rows.length, rows };
}

/** The failure with the code of SQLite, or `UNEXPECTED`. */
function toFailure(error: unknown, scope: UnitFailure['scope']): UnitFailure {
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', scope, code: error instanceof SqliteError ? error.code : 'UNEXPECTED', message };
}
