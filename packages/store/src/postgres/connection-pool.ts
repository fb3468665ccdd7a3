import { type ConnectionCounts, StoreError } from '../database/database.ts';
import { MAX_WAIT_FOR_CONNECTION_MS, MAX_WAITING_FOR_CONNECTION, POSTGRES_FULL_RETRY_MS } from '../database/limits.ts';
import { PostgresConnection } from './connection.ts';
import { ServerFullError, UNAVAILABLE } from './failure.ts';

interface QueuedCaller {
  readonly resolve: (connection: PostgresConnection) => void;
  readonly reject: (error: unknown) => void;
  /** Milliseconds of the steady clock. */
  readonly since: number;
}

/** Whoever waits is looked at so often while anybody does. */
const CHECKS_PER_WAIT = 15;

/** Connections of one process: each has one user at a time, those who find none wait in a row. */
export class ConnectionPool {
  private readonly url: string;
  private readonly maxConnections: number;
  private idle: PostgresConnection[] = [];
  private waiting: QueuedCaller[] = [];
  /** Connections that somebody has, or that are being made. */
  private takenCount = 0;
  private closed = false;
  /** Until when the server is taken to be full; by the steady clock, in milliseconds. */
  private fullUntil = 0;
  /** Looks after those who wait, while anybody does. */
  private waitTimer: NodeJS.Timeout | null = null;
  private readonly patienceMs: number;

  /** `most`: connections at once; `patienceMs`: how long anybody waits for one. */
  constructor(url: string, most: number, patienceMs = MAX_WAIT_FOR_CONNECTION_MS) {
    this.url = url;
    this.maxConnections = most;
    this.patienceMs = patienceMs;
  }

  /** Gives a task a connection of its own. Rejects with `StoreError` (`UNAVAILABLE`) where none can be made. */
  async use<T>(task: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const connection = await this.take();
    try {
      return await task(connection);
    } finally {
      this.giveBack(connection);
    }
  }

  /**
   * `use` for a task that only reads. A connection that had died while nobody used it is noticed by the first who does:
   * the task is then simply done again.
   */
  async read<T>(task: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    let isBroken = false;
    const once = () =>
      this.use(async (connection) => {
        try {
          return await task(connection);
        } finally {
          isBroken = connection.isBroken;
        }
      });
    try {
      return await once();
    } catch (error) {
      if (!isBroken) throw error;
      return once();
    }
  }

  counts(): ConnectionCounts {
    return { busy: this.takenCount, idle: this.idle.length, waiting: this.waiting.length };
  }

  /** Ends those that nobody has; whoever has one goes on with it. */
  async close(): Promise<void> {
    this.closed = true;
    const { idle } = this;
    this.idle = [];
    await Promise.all(idle.map((connection) => connection.close()));
  }

  private take(): Promise<PostgresConnection> {
    if (this.closed) return Promise.reject(new StoreError('The database is closed', 'CLOSED'));
    for (let connection = this.idle.pop(); connection !== undefined; connection = this.idle.pop()) {
      if (connection.isBroken) continue;
      this.takenCount++;
      return Promise.resolve(connection);
    }
    return this.mayConnect() ? this.connect() : this.wait();
  }

  /** Those that there are will do where the server takes no more: with many nodes it may have less room than they ask for. */
  private mayConnect(): boolean {
    return this.takenCount === 0 || (this.takenCount < this.maxConnections && performance.now() >= this.fullUntil);
  }

  private wait(): Promise<PostgresConnection> {
    if (this.waiting.length >= MAX_WAITING_FOR_CONNECTION) {
      return Promise.reject(new StoreError('Too many wait for the database', 'OVERLOADED'));
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject, since: performance.now() });
      this.waitTimer ??= setInterval(() => this.rejectExpired(), this.patienceMs / CHECKS_PER_WAIT).unref();
    });
  }

  /** A database that is slow keeps all connections busy: whoever would wait too long comes again. */
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

  private async connect(): Promise<PostgresConnection> {
    this.takenCount++;
    try {
      return await PostgresConnection.openPrimary(this.url);
    } catch (error) {
      this.takenCount--;
      if (error instanceof ServerFullError && this.takenCount + this.idle.length > 0) {
        this.fullUntil = performance.now() + POSTGRES_FULL_RETRY_MS;
        return this.take();
      }
      // Whoever waits for a connection would wait for ever where none can be made.
      for (const { reject } of this.waiting.splice(0)) reject(error);
      throw error;
    }
  }

  private giveBack(connection: PostgresConnection): void {
    this.takenCount--;
    const next = this.waiting.shift();
    if (connection.isBroken) {
      void connection.close();
      // What broke one has as a rule broken all: none of them is tried.
      for (const other of this.idle.splice(0)) void other.close();
      if (next !== undefined) this.connect().then(next.resolve, next.reject);
    } else if (next !== undefined) {
      this.takenCount++;
      next.resolve(connection);
    } else if (this.closed) void connection.close();
    else this.idle.push(connection);
  }
}
