import assert from 'node:assert/strict';
import type { Database, SqlValue, Statement } from '../src/database/database.ts';
import {
  findRowDamage,
  INDEPENDENT_TABLES,
  listKeyColumns,
  selectIndependentRows,
} from '../src/database/independent-rows.ts';
import { findMissingSums, listSummedColumns } from '../src/database/row-sums.ts';
import type { IndependentTable } from '../src/database/sum-groups.ts';

export type Row = Readonly<Record<string, SqlValue>>;

export async function readRows(database: Database, table: IndependentTable): Promise<readonly Row[]> {
  return database.read<Row>({ sql: selectIndependentRows(table), parameters: [] });
}

/** The damaged rows, and the sums that rows lack. */
export async function findProblems(database: Database): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const table of INDEPENDENT_TABLES) {
    for (const row of await readRows(database, table)) {
      problems.push(...[findRowDamage(table, row) ?? []].flat().map(({ problem }) => problem));
      problems.push(...findMissingSums(table, row).map(({ sum }) => `${table}.${sum} is missing`));
    }
  }
  return problems;
}

export async function write(database: Database, statements: readonly Statement[]): Promise<void> {
  for (const statement of statements) {
    const { kind } = await database.write({ document: null, statements: [statement] });
    assert.equal(kind, 'committed', statement.sql);
  }
}

function describeWhere(table: IndependentTable, row: Row) {
  const key = listKeyColumns(table);
  return { sql: key.map((name) => `${name} = ?`).join(' and '), parameters: key.map((name) => row[name] ?? null) };
}

/** Sets columns of a row. */
export async function setColumns(database: Database, table: IndependentTable, row: Row, values: Row): Promise<void> {
  const where = describeWhere(table, row);
  const names = Object.keys(values);
  if (names.length === 0) return;
  const sql = `update ${table} set ${names.map((name) => `${name} = ?`).join(', ')} where ${where.sql}`;
  const parameters = [...Object.values(values), ...where.parameters];
  await write(database, [{ sql, parameters, guard: { rows: 1, conflict: 'no row' } }]);
}

/**
 * Changes a column behind the sums, by default by one bit. On PostgreSQL a trigger deletes the sums, which are therefore
 * stored again.
 */
export async function damageColumn(
  database: Database,
  table: IndependentTable,
  row: Row,
  column: string,
  damaged: SqlValue = flipBit(column, row[column] ?? null),
): Promise<void> {
  await setColumns(database, table, row, { [column]: damaged });
  const sums = listSummedColumns(table).filter((name) => name.endsWith('_sum') && name !== column);
  await setColumns(database, table, row, Object.fromEntries(sums.map((name) => [name, row[name] ?? null])));
}

function flipBit(column: string, stored: SqlValue): SqlValue {
  if (column === 'channel') return 'messenger';
  return typeof stored === 'string' ? `${stored.slice(0, -1)}~` : Number(stored) + 1;
}
