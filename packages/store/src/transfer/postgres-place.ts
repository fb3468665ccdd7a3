import { finished, type Query, type RowsOf, type SqlValue, type Statement, StoreError } from '../database/database.ts';
import { TRANSFER_BATCH_BYTES, TRANSFER_BATCH_ROWS } from '../database/limits.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { type Recorded, verify, withChecksums } from '../migrations/record.ts';
import { Link } from '../postgres/link.ts';
import { NO_NODE_LOCK, SCHEMA_LOCK } from '../postgres/locks.ts';
import { migrateWithin, recordOf } from '../postgres/migrate.ts';
import { rowSize } from './row-bytes.ts';
import { type FoundColumn, insertOne, type Row, type Source, selectAll, shapesOf, type TableShape } from './shape.ts';
import type { Moment, Target } from './types.ts';

const COLUMNS = `select c.relname as "table", a.attname as name,
    case t.typname when 'bytea' then 'bytes' when 'text' then 'text' else 'number' end as kind,
    coalesce((select k.place from unnest(i.indkey::int2[]) with ordinality k (number, place) where k.number = a.attnum), 0) as place,
    case when a.attidentity = '' then 0 else 1 end as serial
  from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace`;

/** What a node, or a command, makes of itself in a database that nobody uses yet. */
const OWN: ReadonlySet<string> = new Set(['access_epoch', 'meta']);

/** What happens between two parts of a table may take longer than in any unit. */
const UNHURRIED = "select set_config('idle_in_transaction_session_timeout', '0', false)";

export async function postgresSource(url: string, alone: boolean): Promise<Source> {
  const link = await openAlone(url, alone);
  try {
    const migrations = await recordOf(link);
    if (migrations === null) throw new StoreError('There is no data of Cellwire in that database', 'NO_DATA');
    const tables = await tablesOf(link);
    await link.send('begin isolation level repeatable read');
    // Before anything is read: what is read then is all there is, as long as the lock is held.
    if (alone) await link.send(`lock table ${tables.map(({ name }) => `"${name}"`).join(', ')} in share mode`);
    const counts: Record<string, number> = {};
    for (const { name } of tables) counts[name] = await numberOf(link, `select count(*) as number from "${name}"`);
    const cursors = { count: 0 };
    return {
      migrations,
      tables,
      serials: await serialsOf(link, tables),
      counts,
      rows: (table) => rowsOf(link, table, { sql: selectAll(table), parameters: [] }, cursors.count++),
      close: () => link.close(),
    };
  } catch (error) {
    await link.close();
    throw error;
  }
}

export async function postgresMoment(url: string): Promise<Moment> {
  const link = await openAlone(url, false);
  const cursors = { count: 0 };
  try {
    await link.send('begin isolation level repeatable read read only');
  } catch (error) {
    await link.close();
    throw error;
  }
  return { rows: (table, query) => rowsOf(link, table, query, cursors.count++), close: () => link.close() };
}

async function openAlone(url: string, alone: boolean): Promise<Link> {
  const link = await Link.open(url, 'patient');
  try {
    await link.send(UNHURRIED);
    if (!alone || (await link.send(NO_NODE_LOCK)).rows[0]?.['held'] === 'true') return link;
  } catch (error) {
    await link.close();
    throw error;
  }
  await link.close();
  throw new StoreError('A service runs on that database: end it first', 'IN_USE');
}

async function tablesOf(link: Link): Promise<readonly TableShape[]> {
  const { rows } = await link.send(COLUMNS);
  return shapesOf(rows.map((row) => ({ ...row, serial: row['serial'] === 1 })) as unknown as readonly FoundColumn[]);
}

async function numberOf(link: Link, sql: string): Promise<number> {
  return Number((await link.send(sql)).rows[0]?.['number']);
}

/** Numbers that were given, also to what was undone. */
async function serialsOf(link: Link, tables: readonly TableShape[]): Promise<Readonly<Record<string, number>>> {
  const given: Record<string, number> = {};
  for (const { name, serial } of tables) {
    if (!serial) continue;
    const { rows } = await link.send(`select pg_get_serial_sequence('"${name}"', 'id') as sequence`);
    const sequence = String(rows[0]?.['sequence']);
    given[name] = await numberOf(
      link,
      `select case when is_called then last_value else 0 end as number from ${sequence}`,
    );
  }
  return given;
}

/** So many rows are asked for that they fit into memory, judged by those before. */
async function* rowsOf(
  link: Link,
  table: Pick<TableShape, 'columns'>,
  { sql, parameters }: Query<unknown>,
  number: number,
): AsyncGenerator<readonly Row[]> {
  const cursor = `rows_${number}`;
  await link.send(`declare ${cursor} no scroll cursor for ${sql}`, parameters);
  for (let wanted = 1; ; ) {
    const { rows: found } = await link.send(`fetch ${wanted} from ${cursor}`);
    const rows = found.map((row) => table.columns.map(({ name }) => row[name] as SqlValue));
    if (rows.length > 0) yield rows;
    if (rows.length < wanted) break;
    const bytes = rows.reduce((sum, row) => sum + rowSize(row), 0);
    if (bytes > TRANSFER_BATCH_BYTES) wanted = Math.max(1, wanted / 2);
    else if (bytes * 2 <= TRANSFER_BATCH_BYTES) wanted = Math.min(wanted * 2, TRANSFER_BATCH_ROWS);
  }
  await link.send(`close ${cursor}`);
}

/** Everything in one transaction, tables included. */
export async function postgresTarget(url: string): Promise<Target> {
  const link = await openAlone(url, true);
  try {
    await link.send(SCHEMA_LOCK);
    await link.send('begin isolation level read committed');
  } catch (error) {
    await link.close();
    throw error;
  }
  const cursors = { count: 0 };
  return {
    prepare: (migrations) => prepare(link, migrations),
    insert: async (table, rows) => {
      const sql = insertOne(table);
      await Promise.all(link.together(() => rows.map((row) => link.send(sql, row))));
    },
    setSerial: async ({ name }, greatest) => {
      await link.send(`select setval(pg_get_serial_sequence('"${name}"', 'id'), ?::bigint)`, [greatest]);
    },
    rows: (table) => rowsOf(link, table, { sql: selectAll(table), parameters: [] }, cursors.count++),
    update: () => migrateWithin(link, MIGRATIONS),
    reader: {
      readAll: async <const Queries extends readonly Query<unknown>[]>(queries: Queries) => {
        const answers = link.together(() => queries.map(({ sql, parameters }) => link.send(sql, parameters)));
        const all = await Promise.all(answers);
        return all.map(({ rows }, i) => finished(queries[i] as Query<unknown>, rows)) as unknown as RowsOf<Queries>;
      },
    },
    write: async ({ sql, parameters }: Statement) => {
      await link.send(sql, parameters);
    },
    finish: async () => {
      await link.send('commit');
      await link.close();
    },
    abandon: () => link.close(),
  };
}

async function prepare(link: Link, migrations: readonly Recorded[]): Promise<readonly TableShape[]> {
  verify(migrations, withChecksums(MIGRATIONS));
  const there = await recordOf(link);
  if (there !== null && there.length !== migrations.length) {
    throw new StoreError('The tables there are of another version: choose an empty database or schema', 'NOT_EMPTY');
  }
  await migrateWithin(link, MIGRATIONS.slice(0, migrations.length));
  const tables = await tablesOf(link);
  for (const { name } of tables) {
    await link.send(`lock table "${name}" in access exclusive mode`);
    if (OWN.has(name)) await link.send(`delete from "${name}"`);
    else if ((await link.send(`select 1 as found from "${name}" limit 1`)).count > 0) {
      throw new StoreError('There is data in that database already: choose an empty one', 'NOT_EMPTY');
    }
  }
  return tables;
}
