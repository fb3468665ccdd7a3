import { SqliteError } from 'better-sqlite3';
import { MAX_BUSY_RETRIES } from '../limits/limits.ts';
import type { Statement, StatementResult, Unit, UnitOutcome } from './database.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** An outcome, or the database's failure as plain data (it may cross threads). */
export type UnitResult = UnitOutcome | Failed;

export interface Failed {
  readonly kind: 'failed';
  readonly code: string;
  readonly message: string;
}

/**
 * Writes all units in one transaction, so that they share one sync of the disk; a savepoint each lets one fail alone.
 * When this returns, what is `committed` is on the disk.
 */
export function runUnits(connection: SqliteConnection, units: readonly Unit[]): readonly UnitResult[] {
  try {
    begin(connection);
    const results = units.map((unit) => runUnit(connection, unit));
    connection.run('commit');
    return results;
  } catch (error) {
    if (connection.db.inTransaction) connection.run('rollback');
    const failure = failed(error);
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

function runUnit(connection: SqliteConnection, unit: Unit): UnitResult {
  connection.run('savepoint unit');
  const result = runStatements(connection, unit.statements);
  if (result.kind !== 'committed') connection.run('rollback to unit');
  connection.run('release unit');
  return result;
}

function runStatements(connection: SqliteConnection, statements: readonly Statement[]): UnitResult {
  const results: StatementResult[] = [];
  for (const statement of statements) {
    try {
      const result = runStatement(connection, statement);
      const { guard } = statement;
      if (guard !== undefined && result.changes !== guard.rows) return { kind: 'conflict', conflict: guard.conflict };
      results.push(result);
    } catch (error) {
      // A full disk makes SQLite undo the whole transaction, not only this statement: no unit of it can stand.
      if (!connection.db.inTransaction) throw error;
      return failed(error);
    }
  }
  return { kind: 'committed', results };
}

function runStatement(connection: SqliteConnection, { sql, parameters }: Statement): StatementResult {
  if (!connection.givesRows(sql)) return { changes: connection.run(sql, parameters), rows: [] };
  const rows = connection.all(sql, parameters);
  return { changes: rows.length, rows };
}

function failed(error: unknown): Failed {
  if (error instanceof SqliteError) return { kind: 'failed', code: error.code, message: error.message };
  return { kind: 'failed', code: 'UNEXPECTED', message: error instanceof Error ? error.message : String(error) };
}
