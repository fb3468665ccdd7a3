import {
  type ConnectionCounts,
  type Database,
  finishRows,
  type Query,
  type RowsOf,
  type Unit,
  type UnitOutcome,
} from '../database/database.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { PostgresCommitPositions } from './commit-positions.ts';
import { PostgresConnection } from './connection.ts';
import { ConnectionPool } from './connection-pool.ts';
import { writeGroup } from './group.ts';
import { migrate, verifyRights } from './migrate.ts';
import { UnitQueues, type UnitWriter } from './queues.ts';
import { ReadBatcher } from './read-batcher.ts';
import { writeDoubtfulUnits, writeUnits } from './transaction.ts';

interface PostgresOptions {
  /** `postgres://…`; the schema is the first of its `search_path`. */
  readonly url: string;
  /** Maximum number of connections. */
  readonly connections: number;
}

/** Connects and migrates the schema. Rejects with `StoreError` if the database is unusable. */
export async function openPostgres({ url, connections }: PostgresOptions): Promise<Database> {
  const connection = await PostgresConnection.openPrimary(url, 'patient');
  try {
    await migrate(connection, MIGRATIONS);
    await verifyRights(connection);
  } finally {
    await connection.close();
  }
  return new PostgresDatabase(new ConnectionPool(url, connections), Math.max(1, Math.floor(connections / 2)));
}

/** A read-only connection for another thread. */
export function openPostgresReader(url: string): Pick<Database, 'readAll' | 'openSnapshot' | 'close'> {
  const pool = new ConnectionPool(url, 1);
  return { openSnapshot: null, readAll: (queries) => readInOneSnapshot(pool, queries), close: () => pool.close() };
}

class PostgresDatabase implements Database {
  readonly openSnapshot = null;
  readonly commitPositions: PostgresCommitPositions;
  private readonly pool: ConnectionPool;
  private readonly readBatcher: ReadBatcher;
  private readonly queues: UnitQueues;

  constructor(pool: ConnectionPool, writesPerUser: number) {
    this.pool = pool;
    this.commitPositions = new PostgresCommitPositions(pool);
    this.readBatcher = new ReadBatcher(pool);
    const writer: UnitWriter = {
      writeUnits: (units, isDoubtful) => (isDoubtful ? writeDoubtfulUnits(pool, units) : writeUnits(pool, units)),
      writeGroup: (group) => writeGroup(pool, group),
    };
    this.queues = new UnitQueues(writer, writesPerUser);
  }

  async read<Row>(query: Query<Row>): Promise<readonly Row[]> {
    const { rows } = await this.pool.read((connection) => connection.sendStatement(query.sql, query.parameters));
    return finishRows(query, rows);
  }

  async readOne<Row>(query: Query<Row>): Promise<Row | null> {
    return (await this.read(query))[0] ?? null;
  }

  readLatest<Row>(query: Query<Row>): Promise<Row | null> {
    return this.readBatcher.readFirstRow(query);
  }

  readAll<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<RowsOf<Queries>> {
    return readInOneSnapshot(this.pool, queries);
  }

  readInBackground<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<RowsOf<Queries>> {
    return readInOneSnapshot(this.pool, queries);
  }

  readInBatches<Row>(query: Query<Row>, size: number): AsyncIterable<readonly Row[]> {
    return this.pool.stream((connection) => fetchInBatches(connection, query, size));
  }

  write(unit: Unit): Promise<UnitOutcome> {
    return this.queues.queueUnit(unit);
  }

  countConnections(): ConnectionCounts {
    return this.pool.countConnections();
  }

  /** Returns no damage: the server verifies pages itself when it reads them (`data_checksums`). */
  async checkIntegrity(): Promise<readonly string[]> {
    return [];
  }

  async close(): Promise<void> {
    await this.queues.close();
    await this.pool.close();
  }
}

/**
 * The rows of a query in batches. Uses a cursor, because receiving all rows in one answer would block this thread, and
 * all rows would be in memory at once.
 */
async function* fetchInBatches<Row>(
  connection: PostgresConnection,
  query: Query<Row>,
  size: number,
): AsyncGenerator<readonly Row[]> {
  await connection.sendStatement('begin isolation level repeatable read read only');
  try {
    await connection.sendStatement(`declare listed no scroll cursor for ${query.sql}`, query.parameters);
    for (let count = size; count === size; ) {
      const { rows } = await connection.sendStatement(`fetch ${size} from listed`);
      if (rows.length > 0) yield finishRows(query, rows);
      count = rows.length;
    }
  } finally {
    if (!connection.isBroken) await connection.sendStatement('commit');
  }
}

function readInOneSnapshot<const Queries extends readonly Query<unknown>[]>(
  pool: ConnectionPool,
  queries: Queries,
): Promise<RowsOf<Queries>> {
  return pool.read(async (connection) => {
    const [begin, answers, commit] = connection.sendTogether(
      () =>
        [
          connection.sendStatement('begin isolation level repeatable read read only'),
          queries.map(({ sql, parameters }) => connection.sendStatement(sql, parameters)),
          connection.sendStatement('commit'),
        ] as const,
    );
    const [, all] = await Promise.all([begin, Promise.all(answers), commit]);
    return all.map(({ rows }, i) => finishRows(queries[i] as Query<unknown>, rows)) as unknown as RowsOf<Queries>;
  });
}
