// The databases that records are compared with, in this process.
import { createRequire } from 'node:module';
import { COLUMNS } from './orders.mjs';

const Database = createRequire(new URL('../../packages/server/package.json', import.meta.url))('better-sqlite3');
const TYPES = ['text', 'text', 'text', 'real', 'real', 'text', 'text', 'text'];
const DUCKDB_TYPES = { text: 'varchar', real: 'double' };

/** A database that answers the same questions as the service. */
class Peer {
  /** Processor time of all threads of this process, in milliseconds. */
  async usedMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }

  /** Returns the rows of an answer. */
  rowsOf(answer) {
    return answer;
  }
}

/** SQLite in memory, with an index for each question that an index can help with. */
export class SqlitePeer extends Peer {
  name = 'sqlite';

  constructor(rows) {
    super();
    this.database = new Database(':memory:');
    this.database.exec(`create table t (id integer primary key, ${listColumns((type) => type)})`);
    const places = Array.from({ length: COLUMNS.length + 1 }, () => '?').join();
    const insert = this.database.prepare(`insert into t values (${places})`);
    this.database.transaction(() => {
      let id = 0;
      for (const row of rows) insert.run(id++, ...row);
    })();
    for (const columns of [
      'Number',
      'Code',
      'Sum',
      'Quantity',
      'Customer',
      'City, Sum',
      'Status, Quantity',
      'Status, Sum',
    ]) {
      this.database.exec(`create index "by ${columns}" on t (${columns})`);
    }
    this.database.exec('analyze');
  }

  /** Runs the statements of a question. Returns the rows of the last one. */
  async ask({ sql }) {
    return sql.map(([text, values]) => this.prepareStatement(text).all(...values)).at(-1);
  }

  /** Runs a statement that changes one row. */
  async edit({ sql: [text, values] }) {
    this.prepareStatement(text).run(...values);
  }

  prepareStatement(text) {
    const statement = this.database.prepare(text);
    return statement.reader ? statement.raw() : statement;
  }

  close() {
    this.database.close();
  }
}

/** DuckDB in memory, with as many threads as the machine has processors. */
export class DuckDbPeer extends Peer {
  name = 'duckdb';

  /** Null if the package is not installed. */
  static async create(rows) {
    const duckdb = await import('@duckdb/node-api').catch(() => null);
    if (duckdb === null) return null;
    const instance = await duckdb.DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(`create table t (id integer, ${listColumns((type) => DUCKDB_TYPES[type])})`);
    const appender = await connection.createAppender('t');
    let id = 0;
    for (const row of rows) {
      appender.appendInteger(id++);
      for (const value of row) typeof value === 'number' ? appender.appendDouble(value) : appender.appendVarchar(value);
      appender.endRow();
    }
    appender.closeSync();
    return new DuckDbPeer(connection);
  }

  constructor(connection) {
    super();
    this.connection = connection;
  }

  /** Runs the statements of a question. Returns the rows of the last one. */
  async ask({ sql }) {
    let rows = [];
    for (const [text, values] of sql) {
      const reader = await this.connection.runAndReadAll(text.replaceAll(' LIKE ', ' ilike '), values);
      rows = reader.getRows();
    }
    return rows;
  }

  /** Runs a statement that changes one row. */
  async edit({ sql: [text, values] }) {
    await this.connection.run(text, values);
  }

  close() {
    this.connection.closeSync();
  }
}

/** Lists the columns with their types, as in `create table`. */
function listColumns(getType) {
  return COLUMNS.map((name, i) => `${name} ${getType(TYPES[i])}`).join(', ');
}
