import {
  finishRows,
  type Query,
  type RowsOf,
  type SqlValue,
  type Statement,
  StoreError,
} from '../database/database.ts';
import { TRANSACTION_ID_COLUMN } from '../database/dialect.ts';
import { TRANSFER_BATCH_BYTES, TRANSFER_BATCH_ROWS } from '../database/limits.ts';
import { addChecksums, type RecordedMigration, verifyRecord } from '../migrations/migration-record.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { PostgresConnection } from '../postgres/connection.ts';
import { NO_NODE_LOCK, SCHEMA_LOCK } from '../postgres/locks.ts';
import { migrateWithin, readRecordIfPresent } from '../postgres/migrate.ts';
import { measureRow } from './row-bytes.ts';
import {
  buildInsertSql,
  buildSelectAllSql,
  type CatalogueColumn,
  type TableShape,
  type TransferRow,
  type TransferSource,
  toTableShapes,
} from './table-shape.ts';
import type { TransferSnapshot, TransferTarget } from './transfer-target.ts';

const COLUMNS = `select c.relname as "table", a.attname as name,
    case t.typname when 'bytea' then 'bytes' when 'text' then 'text' else 'number' end as kind,
    coalesce((select k.place from unnest(i.indkey::int2[]) with ordinality k (number, place) where k.number = a.attnum), 0) as place,
    case when a.attidentity = '' then 0 else 1 end as serial
  from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and a.attname <> '${TRANSACTION_ID_COLUMN}'
    join pg_type t on t.oid = a.atttypid
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace`;

/** Tables that may contain rows in an unused database, because a node or a command creates them. */
const SELF_CREATED_TABLES: ReadonlySet<string> = new Set(['access_epoch', 'meta']);

/** Removes the idle limit of transactions, because processing one batch may take longer than the limit. */
const NO_IDLE_TIMEOUT = "select set_config('idle_in_transaction_session_timeout', '0', false)";

/** Opens a consistent view of all tables. Exclusive: throws if a node uses the database. */
export async function openPostgresSource(url: string, isExclusive: boolean): Promise<TransferSource> {
  const connection = await connectForReading(url, isExclusive);
  try {
    const migrations = await readRecordIfPresent(connection);
    if (migrations === null) throw new StoreError('The database contains no data of Cellwire', 'NO_DATA');
    const tables = await readTables(connection);
    await connection.sendStatement('begin isolation level repeatable read');
    // The lock is taken before the first read, so that the data cannot change until it is released.
    if (isExclusive)
      await connection.sendStatement(`lock table ${tables.map(({ name }) => `"${name}"`).join(', ')} in share mode`);
    const counts: Record<string, number> = {};
    for (const { name } of tables)
      counts[name] = await readNumber(connection, `select count(*) as number from "${name}"`);
    const cursors = { count: 0 };
    return {
      migrations,
      tables,
      serials: await readSerials(connection, tables),
      counts,
      rows: (table) => readRows(connection, table, { sql: buildSelectAllSql(table), parameters: [] }, cursors.count++),
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

export async function openPostgresSnapshot(url: string): Promise<TransferSnapshot> {
  const connection = await connectForReading(url, false);
  const cursors = { count: 0 };
  try {
    await connection.sendStatement('begin isolation level repeatable read read only');
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    rows: (table, query) => readRows(connection, table, query, cursors.count++),
    close: () => connection.close(),
  };
}

/** A patient connection, which with `isExclusive` also keeps nodes from starting. */
async function connectForReading(url: string, isExclusive: boolean): Promise<PostgresConnection> {
  const connection = await PostgresConnection.open(url, 'patient');
  try {
    await connection.sendStatement(NO_IDLE_TIMEOUT);
    if (!isExclusive || (await connection.sendStatement(NO_NODE_LOCK)).rows[0]?.['held'] === 'true') return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
  await connection.close();
  throw new StoreError('A service uses that database: end it first', 'IN_USE');
}

async function readTables(connection: PostgresConnection): Promise<readonly TableShape[]> {
  const { rows } = await connection.sendStatement(COLUMNS);
  return toTableShapes(
    rows.map((row) => ({ ...row, serial: row['serial'] === 1 })) as unknown as readonly CatalogueColumn[],
  );
}

async function readNumber(connection: PostgresConnection, sql: string): Promise<number> {
  return Number((await connection.sendStatement(sql)).rows[0]?.['number']);
}

/** Returns the last numbers of serial tables, including numbers of rows that were rolled back. */
async function readSerials(
  connection: PostgresConnection,
  tables: readonly TableShape[],
): Promise<Readonly<Record<string, number>>> {
  const numbers: Record<string, number> = {};
  for (const { name, serial } of tables) {
    if (!serial) continue;
    const { rows } = await connection.sendStatement(`select pg_get_serial_sequence('"${name}"', 'id') as sequence`);
    const sequence = String(rows[0]?.['sequence']);
    numbers[name] = await readNumber(
      connection,
      `select case when is_called then last_value else 0 end as number from ${sequence}`,
    );
  }
  return numbers;
}

/**
 * Reads the rows of a query with a cursor. The batch size is adapted to the size of earlier rows, so that a batch fits
 * into memory.
 */
async function* readRows(
  connection: PostgresConnection,
  table: Pick<TableShape, 'columns'>,
  { sql, parameters }: Query<unknown>,
  cursorNumber: number,
): AsyncGenerator<readonly TransferRow[]> {
  const cursor = `rows_${cursorNumber}`;
  await connection.sendStatement(`declare ${cursor} no scroll cursor for ${sql}`, parameters);
  for (let size = 1; ; ) {
    const { rows: fetched } = await connection.sendStatement(`fetch ${size} from ${cursor}`);
    const rows = fetched.map((row) => table.columns.map(({ name }) => row[name] as SqlValue));
    if (rows.length > 0) yield rows;
    if (rows.length < size) break;
    const bytes = rows.reduce((sum, row) => sum + measureRow(row), 0);
    if (bytes > TRANSFER_BATCH_BYTES) size = Math.max(1, size / 2);
    else if (bytes * 2 <= TRANSFER_BATCH_BYTES) size = Math.min(size * 2, TRANSFER_BATCH_ROWS);
  }
  await connection.sendStatement(`close ${cursor}`);
}

/** Opens a target that writes everything, including the tables, in one transaction. */
export async function openPostgresTarget(url: string): Promise<TransferTarget> {
  const connection = await connectForReading(url, true);
  try {
    await connection.sendStatement(SCHEMA_LOCK);
    await connection.sendStatement('begin isolation level read committed');
  } catch (error) {
    await connection.close();
    throw error;
  }
  const cursors = { count: 0 };
  return {
    prepare: (migrations) => prepareTables(connection, migrations),
    insert: async (table, rows) => {
      const sql = buildInsertSql(table);
      await Promise.all(connection.sendTogether(() => rows.map((row) => connection.sendStatement(sql, row))));
    },
    setSerial: async ({ name }, greatest) => {
      await connection.sendStatement(`select setval(pg_get_serial_sequence('"${name}"', 'id'), ?::bigint)`, [greatest]);
    },
    rows: (table) => readRows(connection, table, { sql: buildSelectAllSql(table), parameters: [] }, cursors.count++),
    update: () => migrateWithin(connection, MIGRATIONS),
    reader: {
      readAll: async <const Queries extends readonly Query<unknown>[]>(queries: Queries) => {
        const answers = connection.sendTogether(() =>
          queries.map(({ sql, parameters }) => connection.sendStatement(sql, parameters)),
        );
        const all = await Promise.all(answers);
        return all.map(({ rows }, i) => finishRows(queries[i] as Query<unknown>, rows)) as unknown as RowsOf<Queries>;
      },
    },
    write: async ({ sql, parameters }: Statement) => {
      await connection.sendStatement(sql, parameters);
    },
    finish: async () => {
      await connection.sendStatement('commit');
      await connection.close();
    },
    abandon: () => connection.close(),
  };
}

/** Creates the tables for a copy. Throws if existing tables are of another version or contain data. */
async function prepareTables(
  connection: PostgresConnection,
  migrations: readonly RecordedMigration[],
): Promise<readonly TableShape[]> {
  verifyRecord(migrations, addChecksums(MIGRATIONS));
  const record = await readRecordIfPresent(connection);
  if (record !== null && record.length !== migrations.length) {
    throw new StoreError('The existing tables are of another version: choose an empty database or schema', 'NOT_EMPTY');
  }
  await migrateWithin(connection, MIGRATIONS.slice(0, migrations.length));
  const tables = await readTables(connection);
  for (const { name } of tables) {
    await connection.sendStatement(`lock table "${name}" in access exclusive mode`);
    if (SELF_CREATED_TABLES.has(name)) await connection.sendStatement(`delete from "${name}"`);
    else if ((await connection.sendStatement(`select 1 as found from "${name}" limit 1`)).count > 0) {
      throw new StoreError('The database already contains data: choose an empty one', 'NOT_EMPTY');
    }
  }
  return tables;
}
