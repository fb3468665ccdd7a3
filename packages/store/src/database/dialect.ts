import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Schema } from './schema.ts';

/**
 * The differences between the databases: compilation of statements and names of column types. All other SQL in this
 * package works on every database, except in `sqlite/` and `postgres/`.
 */

/**
 * Builds and compiles statements with `?` as the parameter placeholder. It has no connection: the `Database` runs the
 * compiled statements, and converts placeholders if necessary.
 */
export const sql: Kysely<Schema> = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** Names of column types in migrations. */
export interface SqlColumnTypes {
  /** An integer key with ascending values that are never reused. */
  readonly serial: string;
  /** An integer up to 2^53. */
  readonly long: string;
  readonly bytes: string;
  /** Text with bytewise comparison, independent of the database's language. */
  readonly text: string;
  /** Suffix of a table that is stored in primary key order; for tables with small rows. */
  readonly clustered: string;
  /** Prefix of a table whose rows may be lost in a crash, and whose writes do not sync the disk. */
  readonly unlogged: string;
  /** Statements that create a row trigger. */
  readonly trigger: (trigger: RowTrigger) => readonly string[];
  /**
   * Statements that add the order in which transactions inserted the rows of a table. In SQLite the row ids have this
   * order.
   */
  readonly insertionOrder: (table: string) => readonly string[];
  /**
   * Statements that create a trigger: an update of `columns` that does not set `derived`, which is computed from them,
   * sets it to null. On PostgreSQL nodes of the previous version write such updates. SQLite has no such nodes.
   */
  readonly deletionOfStaleValue: (value: DerivedColumn) => readonly string[];
}

/** PostgreSQL only: the id of the transaction that inserted the row; null in rows of older versions. */
export const TRANSACTION_ID_COLUMN = 'transaction_id';

/** Runs `statements` after each changed row. In them, `new.` and `old.` refer to the columns of the row. */
interface RowTrigger {
  readonly name: string;
  readonly table: string;
  readonly event: 'insert' | 'delete' | 'update';
  /** A condition on the row. */
  readonly when: string | null;
  readonly statements: readonly string[];
}

interface DerivedColumn {
  readonly table: string;
  readonly derived: string;
  readonly columns: readonly string[];
}

/**
 * Returns statements of a PostgreSQL trigger: if an update changes `columns` but not the column `derived` that is
 * computed from them, `derived` becomes null.
 */
function deleteStaleValue({ table, derived, columns }: DerivedColumn): readonly string[] {
  const name = `${table}_${derived}_stale`;
  const list = (row: string) => `row(${columns.map((column) => `${row}.${column}`).join(', ')})`;
  return [
    `create function ${name}() returns trigger language plpgsql as $$ begin new.${derived} := null; return new; end $$`,
    `create trigger ${name} before update of ${columns.join(', ')} on ${table} for each row
      when (new.${derived} is not distinct from old.${derived} and ${list('new')} is distinct from ${list('old')})
      execute function ${name}()`,
  ];
}

/** The SQL that creates a trigger in SQLite's form. */
function createSqliteTrigger({ name, table, event, when, statements }: RowTrigger): readonly string[] {
  const condition = when === null ? '' : ` when ${when}`;
  return [`create trigger ${name} after ${event} on ${table}${condition} begin ${joinStatements(statements)} end`];
}

/** The SQL that creates a trigger and its function in PostgreSQL's form. */
function createPostgresTrigger({ name, table, event, when, statements }: RowTrigger): readonly string[] {
  const condition = when === null ? '' : ` when (${when})`;
  const body = `begin ${joinStatements(statements)} return null; end`;
  return [
    `create function ${name}() returns trigger language plpgsql as $$ ${body} $$`,
    `create trigger ${name} after ${event} on ${table} for each row${condition} execute function ${name}()`,
  ];
}

function joinStatements(statements: readonly string[]): string {
  return statements.map((statement) => `${statement};`).join(' ');
}

/**
 * Returns statements that add a column with the transaction of each row. The column gets its default afterwards,
 * because adding both together would write all rows again.
 */
function addInsertionOrder(table: string): readonly string[] {
  return [
    `alter table ${table} add column ${TRANSACTION_ID_COLUMN} bigint`,
    `alter table ${table} alter column ${TRANSACTION_ID_COLUMN} set default pg_current_xact_id()::text::bigint`,
    `create index ${table}_inserted on ${table} (${TRANSACTION_ID_COLUMN})`,
  ];
}

export const SQLITE_TYPES: SqlColumnTypes = {
  serial: 'integer primary key autoincrement',
  long: 'integer',
  bytes: 'blob',
  text: 'text',
  clustered: ' without rowid',
  unlogged: '',
  trigger: createSqliteTrigger,
  insertionOrder: () => [],
  deletionOfStaleValue: () => [],
};

export const POSTGRES_TYPES: SqlColumnTypes = {
  serial: 'bigint generated by default as identity primary key',
  long: 'bigint',
  bytes: 'bytea',
  text: 'text collate "C"',
  clustered: '',
  unlogged: 'unlogged ',
  trigger: createPostgresTrigger,
  insertionOrder: addInsertionOrder,
  deletionOfStaleValue: deleteStaleValue,
};
