import type { Socket } from 'node:net';
import pg from 'pg';
import { type SqlValue, type Statement, StoreError } from '../database/database.ts';
import { MAX_PREPARED_STATEMENTS, POSTGRES_CONNECT_MS } from '../database/limits.ts';
import { createClient, REMOVE_STATEMENT_TIMEOUT, SETTINGS, type StatementPatience } from './client.ts';
import { isTransientError, toStoreError, toUnavailable, UNAVAILABLE } from './failure.ts';
import { Liveness } from './liveness.ts';
import { numberPlaceholders } from './placeholders.ts';
import { isSuperseded, recordTimeline, type ServerTimeline } from './timelines.ts';
import { type PreparedStatement, TransactionQuery } from './transaction-query.ts';

/** The answer to one statement. */
export interface StatementAnswer {
  /** Number of returned or changed rows. */
  readonly count: number;
  readonly rows: readonly Readonly<Record<string, SqlValue>>[];
}

/** Outcome of statements that were sent to be committed together. */
type CommitAnswer =
  /** `listFirstColumn`: the first column of the rows that the statement with an index returned. */
  | { readonly kind: 'committed'; readonly listFirstColumn: (statement: number) => readonly string[] }
  /** Rolled back; if the connection is broken, the outcome is unknown. `at`: index of the failed statement. */
  | { readonly kind: 'failed'; readonly at: number; readonly error: StoreError };

/**
 * Identifies the history of the server. After a crash, the server reuses transaction numbers that were not written to
 * disk. Crash recovery resets the server's statistics, while a clean restart keeps them; a changed `stats_reset`
 * therefore reveals a crash. The timeline is that of the current write position, because the control data may contain
 * the previous timeline for a while after a failover.
 */
const SERVER_STATE = `select pg_backend_pid() as process, pg_is_in_recovery()::text as recovering, system_identifier::text as system,
    case when pg_is_in_recovery() then timeline_id
      else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end as timeline,
    extract(epoch from stats_reset)::text as began
  from pg_control_system(), pg_control_checkpoint(), pg_stat_bgwriter`;

/**
 * One connection. Statements are pipelined: they are sent without waiting for earlier answers, and answered in order.
 * Each statement is prepared at its first use.
 */
export class PostgresConnection {
  private readonly client: pg.Client;
  private readonly names = new Map<string, string>();
  /** Names of prepared statements that were used in a successful `commitStatements`. */
  private readonly committed = new Set<string>();
  private broken = false;
  private timeline: ServerTimeline = { system: '', timeline: 0, began: '' };
  private standby = false;
  private processId: number | null = null;
  private unanswered = 0;

  private constructor(client: pg.Client) {
    this.client = client;
    // Failed statements reject their own promises. Errors of an idle connection only arrive here.
    client.on('error', () => {
      this.broken = true;
    });
    client.on('end', () => {
      this.broken = true;
    });
  }

  /** Opens a connection. Rejects with `StoreError` (`UNAVAILABLE`) if the database is unreachable. */
  static async open(url: string, patience: StatementPatience = 'bounded'): Promise<PostgresConnection> {
    const connection = new PostgresConnection(createClient(url, patience));
    try {
      await connection.client.connect();
      if (patience === 'bounded') connection.watchLiveness(getLiveness(url));
      const [{ rows }] = await Promise.all([
        connection.sendStatement(SERVER_STATE),
        connection.sendStatement(SETTINGS),
      ]);
      if (patience === 'patient') await connection.sendStatement(REMOVE_STATEMENT_TIMEOUT);
      connection.timeline = toServerTimeline(rows[0]);
      connection.standby = rows[0]?.['recovering'] === 'true';
      connection.processId = Number(rows[0]?.['process']);
    } catch (error) {
      void connection.client.end().catch(() => {});
      throw toUnavailable(toStoreError(error));
    }
    return connection;
  }

  /**
   * Opens a connection to the primary server. Other servers may return outdated data: a standby may lag behind, and a
   * replaced primary lacks commits that this process has seen.
   */
  static async openPrimary(url: string, patience: StatementPatience = 'bounded'): Promise<PostgresConnection> {
    const connection = await PostgresConnection.open(url, patience);
    if (!connection.standby) recordTimeline(connection.timeline);
    if (!connection.standby && !isSuperseded(connection.timeline)) return connection;
    await connection.close();
    const why = connection.standby ? 'is a standby' : 'was replaced by another server, which this node has seen';
    throw new StoreError(`The database is not available: that server ${why}`, UNAVAILABLE);
  }

  /**
   * Identifies the history in which a transaction number is unique. A crash recovery, a failover or a restored backup
   * begins a new history.
   */
  get history(): string {
    const { system, timeline, began } = this.timeline;
    return `${system}/${timeline}/${began}`;
  }

  /** True if the connection is unusable, because it is lost or its server was replaced. */
  get isBroken(): boolean {
    return this.broken || isSuperseded(this.timeline);
  }

  /**
   * Sends a statement; `sql` is as in `Statement`. Rejects with `StoreError`, with the code of the database or
   * `UNAVAILABLE`.
   */
  sendStatement(sql: string, parameters: readonly SqlValue[] = []): Promise<StatementAnswer> {
    return new Promise((resolve, reject) => {
      const { name, text } = this.toNamedQuery(sql);
      this.unanswered++;
      const query = new NamedQuery(name, text, parameters, (error, result) => {
        this.unanswered--;
        if (error) reject(this.recordFailure(error));
        else resolve({ count: result.rowCount ?? 0, rows: result.rows });
      });
      this.client.query(query);
    });
  }

  /** The error as a `StoreError`. Marks the connection as broken if it can no longer be used. */
  private recordFailure(error: unknown): StoreError {
    const failed = toStoreError(error);
    if (failed.code === UNAVAILABLE && !isTransientError(error)) this.broken = true;
    return failed;
  }

  /** Runs statements in one transaction and commits it. */
  commitStatements(statements: readonly Omit<Statement, 'guard'>[]): Promise<CommitAnswer> {
    return new Promise((resolve) => {
      const prepared = statements.map((statement) => this.prepareForCommit(statement));
      this.unanswered++;
      const query = new TransactionQuery(prepared, (error) => {
        this.unanswered--;
        if (error) return resolve({ kind: 'failed', at: query.completed, error: this.recordFailure(error) });
        for (const { name, text } of prepared) if (text !== null && name !== '') this.committed.add(name);
        resolve({ kind: 'committed', listFirstColumn: (statement) => query.listFirstColumn(statement) });
      });
      this.client.query(query);
    });
  }

  /** Runs a function that sends several statements, and transmits them in one network packet if possible. */
  sendTogether<T>(send: () => T): T {
    const { stream } = this.client.connection;
    stream.cork();
    try {
      return send();
    } finally {
      stream.uncork();
    }
  }

  /** Has the connection closed if the server no longer answers. */
  private watchLiveness(liveness: Liveness): void {
    const owner = this;
    const stream = this.client.connection.stream as Socket;
    const watched = {
      get processId() {
        return owner.processId;
      },
      get unanswered() {
        return owner.unanswered;
      },
      get bytesRead() {
        return stream.bytesRead;
      },
      drop: () => this.dropConnection(),
    };
    liveness.watchConnection(watched);
    stream.once('close', () => liveness.unwatchConnection(watched));
  }

  /** Calls `listener` with each notification on the channel while the connection is open. */
  onNotification(listener: (payload: string) => void): void {
    this.client.on('notification', ({ payload }) => listener(payload ?? ''));
  }

  onEnd(listener: () => void): void {
    this.client.once('end', listener);
  }

  /** Waits for pending answers, then closes. */
  async close(): Promise<void> {
    const { broken } = this;
    this.broken = true;
    const ended = this.client.end().catch(() => {});
    if (!broken) await ended;
  }

  /** Closes a connection whose server does not answer any more; pending statements fail. */
  dropConnection(): void {
    this.broken = true;
    this.client.connection.stream.destroy();
  }

  /** The query with the name of its prepared statement; without a name if it is not prepared. */
  private toNamedQuery(sql: string): { readonly name?: string; readonly text: string } {
    const text = numberPlaceholders(sql);
    const name = this.assignStatementName(text);
    return name === null ? { text } : { name, text };
  }

  /**
   * The statement with the name under which it is prepared. The library tracks names that it has prepared itself; these
   * are separate names.
   */
  private prepareForCommit({ sql, parameters }: Omit<Statement, 'guard'>): PreparedStatement {
    const text = numberPlaceholders(sql);
    const existingName = this.assignStatementName(text);
    const name = existingName === null ? '' : `c${existingName}`;
    return { name, text: this.committed.has(name) ? null : text, parameters };
  }

  /**
   * Returns the name under which a text is prepared. There are few texts, as `unit-message.ts` requires. When the limit
   * is reached, a statement gets no name and is not cached.
   */
  private assignStatementName(text: string): string | null {
    const existingName = this.names.get(text);
    if (existingName !== undefined) return existingName;
    if (this.names.size >= MAX_PREPARED_STATEMENTS) return null;
    const name = `s${this.names.size}`;
    this.names.set(text, name);
    return name;
  }
}

/** One liveness check for each address in this thread. */
const LIVENESS_BY_URL = new Map<string, Liveness>();

/** The watcher that all connections to one server share. */
function getLiveness(url: string): Liveness {
  const liveness = LIVENESS_BY_URL.get(url) ?? new Liveness((processIds) => readWorkingProcesses(url, processIds));
  LIVENESS_BY_URL.set(url, liveness);
  return liveness;
}

const WORKING = `select pid from pg_stat_activity
  where pid = any($1) and state not in ('idle', 'idle in transaction', 'idle in transaction (aborted)')`;

/**
 * The processes of the server that are working on a statement; null if the server accepts no further connection.
 * Rejects if it is unreachable.
 */
async function readWorkingProcesses(url: string, processIds: readonly number[]): Promise<ReadonlySet<number> | null> {
  const client = createClient(url, 'bounded');
  client.on('error', () => {});
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    client.connection.stream.destroy();
    reject(new StoreError('The database does not answer', UNAVAILABLE));
  }, POSTGRES_CONNECT_MS);
  const queryProcesses = async () => {
    await client.connect();
    return client.query<{ pid: number }>(WORKING, [processIds]);
  };
  try {
    const { rows } = await Promise.race([queryProcesses(), late]);
    return new Set(rows.map(({ pid }) => pid));
  } catch (error) {
    if (error instanceof pg.DatabaseError) return null;
    throw error;
  } finally {
    clearTimeout(timer);
    void client.end().catch(() => {});
  }
}

type AnswerRow = Readonly<Record<string, SqlValue>>;

/** Which server and which timeline a transaction ran on, from the row of its answer. */
function toServerTimeline(row: AnswerRow | undefined): ServerTimeline {
  return { system: String(row?.['system']), timeline: Number(row?.['timeline']), began: String(row?.['began']) };
}

/**
 * A statement, prepared if it has a name. It is created from a text, because the library copies an object with name and
 * text property by property, which took a tenth of the processor time that a write takes on a node.
 */
class NamedQuery extends pg.Query<AnswerRow> {
  readonly name: string | undefined;

  constructor(
    name: string | undefined,
    text: string,
    parameters: readonly SqlValue[],
    onResult: (error: Error | undefined, result: pg.QueryResult<AnswerRow>) => void,
  ) {
    super(text, parameters as SqlValue[], onResult);
    this.name = name;
  }
}
