import { SqliteError } from 'better-sqlite3';
import type { Statement, StatementResult, Unit, UnitOutcome } from '../database/database.ts';
import { MAX_BUSY_RETRIES } from '../database/limits.ts';
import type { SqliteConnection } from './connection.ts';

/** A unit without whose it is: this database writes all of them in one row. */
export type UnitStatements = Pick<Unit, 'statements'>;

/** An outcome, or the database's failure as plain data (it may cross threads). */
export type SqliteUnitResult = UnitOutcome | UnitFailure;

interface UnitFailure {
  readonly kind: 'failed';
  readonly code: string;
  readonly message: string;
}

/** Thrown where a unit failed after it had written: without a savepoint it cannot be undone alone. */
const PARTIAL_WRITE: unique symbol = Symbol('unit left traces');

/**
 * Writes all units in one transaction, so that they share one sync of the disk. When this returns, what is `committed`
 * is on the disk. A unit that fails, fails alone: a conflict is noticed by its first statement as a rule, before it has
 * written anything; where it is not, the whole transaction is undone and written again with a savepoint a unit, which
 * takes a fifth longer.
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

/** Throws `LEFT_TRACES` where a unit did; then nothing is written. */
function runTransaction(
  connection: SqliteConnection,
  units: readonly UnitStatements[],
  run: RunUnit,
): readonly SqliteUnitResult[] {
  try {
    begin(connection);
    const results = units.map((unit) => run(connection, unit));
    connection.run('commit');
    return results;
  } catch (error) {
    if (connection.db.inTransaction) connection.run('rollback');
    if (error === PARTIAL_WRITE) throw error;
    const failure = toFailure(error);
    return units.map(() => failure);
  }
}

/** Takes the write lock. SQLite waits for another process itself; the retries cover a lock held very long. */
function begin(connection: SqliteConnection): void {
  for (let attempt = 0; ; attempt++) {
    try {
      connection.run('begin immediate');
      return;
    } catch (error) {
      if (attempt >= MAX_BUSY_RETRIES || !isBusy(error)) throw error;
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SqliteError && error.code.startsWith('SQLITE_BUSY');
}

function runWithoutSavepoint(connection: SqliteConnection, unit: UnitStatements): SqliteUnitResult {
  const { result, written } = runStatements(connection, unit.statements);
  if (result.kind !== 'committed' && written) throw PARTIAL_WRITE;
  return result;
}

function runWithSavepoint(connection: SqliteConnection, unit: UnitStatements): SqliteUnitResult {
  connection.run('savepoint unit');
  const { result } = runStatements(connection, unit.statements);
  if (result.kind !== 'committed') connection.run('rollback to unit');
  connection.run('release unit');
  return result;
}

/** `written`: whether the unit had changed rows by the time it ended. */
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
      written ||= result.changes > 0 && !connection.onlyReads(statement.sql);
      if (guard !== undefined && result.changes !== guard.rows) {
        return { result: { kind: 'conflict', conflict: guard.conflict }, written };
      }
      results.push(result);
    } catch (error) {
      // A full disk makes SQLite undo the whole transaction, not only this statement: no unit of it can stand.
      if (!connection.db.inTransaction) throw error;
      return { result: toFailure(error), written };
    }
  }
  return { result: { kind: 'committed', results }, written };
}

function runStatement(connection: SqliteConnection, { sql, parameters }: Statement): StatementResult {
  if (!connection.givesRows(sql)) return { changes: connection.run(sql, parameters), rows: [] };
  const rows = connection.all(sql, parameters);
  return { changes: rows.length, rows };
}

function toFailure(error: unknown): UnitFailure {
  if (error instanceof SqliteError) return { kind: 'failed', code: error.code, message: error.message };
  return { kind: 'failed', code: 'UNEXPECTED', message: error instanceof Error ? error.message : String(error) };
}
