import { type ConnectionCounts, StoreError } from '../database/database.ts';
import { MAX_WAIT_FOR_CONNECTION_MS, MAX_WAITING_FOR_CONNECTION, POSTGRES_FULL_RETRY_MS } from '../database/limits.ts';
import { PostgresConnection } from './connection.ts';
import { ServerFullError, UNAVAILABLE } from './failure.ts';

interface QueuedCaller {
  readonly resolve: (connection: PostgresConnection) => void;
  readonly reject: (error: unknown) => void;
  /** Start of the wait on the clock of `performance.now()`, in milliseconds. */
  readonly since: number;
}

/** Number of checks for expired callers during the longest allowed wait. */
const CHECKS_PER_WAIT = 15;

/** The connections of one process. Each has one user at a time; callers without a connection wait in a queue. */
export class ConnectionPool {
  private readonly url: string;
  private readonly maxConnections: number;
  private idle: PostgresConnection[] = [];
  private waiting: QueuedCaller[] = [];
  /** Connections that are in use or being opened. */
  private takenCount = 0;
  private closed = false;
  /** Time until which the server counts as full, on the clock of `performance.now()`. */
  private fullUntil = 0;
  /** Rejects expired callers; runs while any caller waits. */
  private waitTimer: NodeJS.Timeout | null = null;
  private readonly patienceMs: number;

  /** `patienceMs`: the longest wait of a caller. */
  constructor(url: string, maxConnections: number, patienceMs = MAX_WAIT_FOR_CONNECTION_MS) {
    this.url = url;
    this.maxConnections = maxConnections;
    this.patienceMs = patienceMs;
  }

  /** Runs a task with a connection. Rejects with `StoreError` (`UNAVAILABLE`) if none can be opened. */
  async runWithConnection<T>(task: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const connection = await this.takeConnection();
    try {
      return await task(connection);
    } finally {
      this.returnConnection(connection);
    }
  }

  /**
   * Runs a task as `runWithConnection` does. The task must be read-only: if an idle connection turns out to be broken,
   * it runs again.
   */
  async read<T>(task: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    let isBroken = false;
    const readOnce = () =>
      this.runWithConnection(async (connection) => {
        try {
          return await task(connection);
        } finally {
          isBroken = connection.isBroken;
        }
      });
    try {
      return await readOnce();
    } catch (error) {
      if (!isBroken) throw error;
      return readOnce();
    }
  }

  /**
   * Runs a task as `runWithConnection` does. The task returns parts. The connection is returned after the last part, or
   * when reading stops.
   */
  async *stream<T>(task: (connection: PostgresConnection) => AsyncIterable<T>): AsyncGenerator<T> {
    const connection = await this.takeConnection();
    try {
      yield* task(connection);
    } finally {
      this.returnConnection(connection);
    }
  }

  countConnections(): ConnectionCounts {
    return { busy: this.takenCount, idle: this.idle.length, waiting: this.waiting.length };
  }

  /** Closes idle connections. Connections in use stay open until they are returned. */
  async close(): Promise<void> {
    this.closed = true;
    const { idle } = this;
    this.idle = [];
    await Promise.all(idle.map((connection) => connection.close()));
  }

  private takeConnection(): Promise<PostgresConnection> {
    if (this.closed) return Promise.reject(new StoreError('The database is closed', 'CLOSED'));
    for (let connection = this.idle.pop(); connection !== undefined; connection = this.idle.pop()) {
      if (connection.isBroken) continue;
      this.takenCount++;
      return Promise.resolve(connection);
    }
    return this.mayConnect() ? this.openConnection() : this.waitForConnection();
  }

  /**
   * True if another connection may be opened. While the server accepts no more, the pool uses only the existing ones:
   * with many nodes a server may allow fewer connections than the nodes request.
   */
  private mayConnect(): boolean {
    return this.takenCount === 0 || (this.takenCount < this.maxConnections && performance.now() >= this.fullUntil);
  }

  private waitForConnection(): Promise<PostgresConnection> {
    if (this.waiting.length >= MAX_WAITING_FOR_CONNECTION) {
      return Promise.reject(new StoreError('Too many requests wait for the database', 'OVERLOADED'));
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject, since: performance.now() });
      this.waitTimer ??= setInterval(() => this.rejectExpired(), this.patienceMs / CHECKS_PER_WAIT).unref();
    });
  }

  /** Rejects callers that have waited too long because a slow database keeps all connections busy. They may retry. */
  private rejectExpired(): void {
    const since = performance.now() - this.patienceMs;
    for (let [first] = this.waiting; first !== undefined && first.since < since; [first] = this.waiting) {
      this.waiting.shift();
      first.reject(new StoreError('The database is not available: all connections to it are busy', UNAVAILABLE));
    }
    if (this.waiting.length > 0 || this.waitTimer === null) return;
    clearInterval(this.waitTimer);
    this.waitTimer = null;
  }

  private async openConnection(): Promise<PostgresConnection> {
    this.takenCount++;
    try {
      return await PostgresConnection.openPrimary(this.url);
    } catch (error) {
      this.takenCount--;
      if (error instanceof ServerFullError && this.takenCount + this.idle.length > 0) {
        this.fullUntil = performance.now() + POSTGRES_FULL_RETRY_MS;
        return this.takeConnection();
      }
      // Waiting callers would wait forever if no connection can be opened.
      for (const { reject } of this.waiting.splice(0)) reject(error);
      throw error;
    }
  }

  private returnConnection(connection: PostgresConnection): void {
    this.takenCount--;
    const next = this.waiting.shift();
    if (connection.isBroken) {
      void connection.close();
      // The cause usually affects all connections, so the idle ones are closed untested.
      for (const other of this.idle.splice(0)) void other.close();
      if (next !== undefined) this.openConnection().then(next.resolve, next.reject);
    } else if (next !== undefined) {
      this.takenCount++;
      next.resolve(connection);
    } else if (this.closed) void connection.close();
    else this.idle.push(connection);
  }
}
