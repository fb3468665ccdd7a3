import {
  type ConnectionFigures,
  type Database,
  finished,
  partsOf,
  type Query,
  type RowsOf,
  type Unit,
  type UnitOutcome,
} from '../database/database.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { Link } from './link.ts';
import { Links } from './links.ts';
import { Looks } from './looks.ts';
import { migrate, verifyRights } from './migrate.ts';
import { UnitQueues } from './queues.ts';
import { writeUnits } from './transaction.ts';

interface PostgresOptions {
  /** `postgres://…`; the schema is the first of its `search_path`. */
  readonly url: string;
  /** Connections at once. */
  readonly connections: number;
}

/** Connects, and brings the schema up to date. Rejects with `StoreError` where the database is not usable. */
export async function openPostgres({ url, connections }: PostgresOptions): Promise<Database> {
  const link = await Link.openPrimary(url, 'patient');
  try {
    await migrate(link, MIGRATIONS);
    await verifyRights(link);
  } finally {
    await link.close();
  }
  return new PostgresDatabase(new Links(url, connections), Math.max(1, Math.floor(connections / 2)));
}

/** What only reads, for a thread beside the one that has the database. */
export function openPostgresReader(url: string): Pick<Database, 'readAll' | 'close'> {
  const links = new Links(url, 1);
  return { readAll: (queries) => rowsAtOnce(links, queries), close: () => links.close() };
}

class PostgresDatabase implements Database {
  readonly commitNumbers = null;
  private readonly links: Links;
  private readonly looks: Looks;
  private readonly queues: UnitQueues;

  constructor(links: Links, writesPerUser: number) {
    this.links = links;
    this.looks = new Looks(links);
    this.queues = new UnitQueues((units) => writeUnits(links, units), writesPerUser);
  }

  async read<Row>(query: Query<Row>): Promise<readonly Row[]> {
    const { rows } = await this.links.read((link) => link.send(query.sql, query.parameters));
    return finished(query, rows);
  }

  async readOne<Row>(query: Query<Row>): Promise<Row | null> {
    return (await this.read(query))[0] ?? null;
  }

  readLatest<Row>(query: Query<Row>): Promise<Row | null> {
    return this.looks.first(query);
  }

  readAll<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<RowsOf<Queries>> {
    return rowsAtOnce(this.links, queries);
  }

  readBeside<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<RowsOf<Queries>> {
    return rowsAtOnce(this.links, queries);
  }

  async *readInParts<Row>(query: Query<Row>, size: number): AsyncIterable<readonly Row[]> {
    yield* partsOf(await this.read(query), size);
  }

  write(unit: Unit): Promise<UnitOutcome> {
    return this.queues.add(unit);
  }

  connections(): ConnectionFigures {
    return this.links.figures();
  }

  /** The server examines its pages itself when it reads them (`data_checksums`). */
  async check(): Promise<readonly string[]> {
    return [];
  }

  async close(): Promise<void> {
    await this.queues.close();
    await this.links.close();
  }
}

function rowsAtOnce<const Queries extends readonly Query<unknown>[]>(
  links: Links,
  queries: Queries,
): Promise<RowsOf<Queries>> {
  return links.read(async (link) => {
    const [begin, answers, commit] = link.together(
      () =>
        [
          link.send('begin isolation level repeatable read read only'),
          queries.map(({ sql, parameters }) => link.send(sql, parameters)),
          link.send('commit'),
        ] as const,
    );
    const [, all] = await Promise.all([begin, Promise.all(answers), commit]);
    return all.map(({ rows }, i) => finished(queries[i] as Query<unknown>, rows)) as unknown as RowsOf<Queries>;
  });
}
