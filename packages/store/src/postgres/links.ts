import { type ConnectionFigures, StoreError } from '../database/database.ts';
import { MAX_WAIT_FOR_CONNECTION_MS, MAX_WAITING_FOR_CONNECTION, POSTGRES_FULL_MS } from '../database/limits.ts';
import { ServerFull, UNAVAILABLE } from './failure.ts';
import { Link } from './link.ts';

interface Waiting {
  readonly resolve: (link: Link) => void;
  readonly reject: (error: unknown) => void;
  /** Milliseconds of the steady clock. */
  readonly since: number;
}

/** Whoever waits is looked at so often while anybody does. */
const LOOKS_A_WAIT = 15;

/** Connections of one process: each has one user at a time, those who find none wait in a row. */
export class Links {
  private readonly url: string;
  private readonly most: number;
  private idle: Link[] = [];
  private waiting: Waiting[] = [];
  /** Connections that somebody has, or that are being made. */
  private taken = 0;
  private closed = false;
  /** Until when the server is taken to be full; by the steady clock, in milliseconds. */
  private fullUntil = 0;
  /** Looks after those who wait, while anybody does. */
  private looking: NodeJS.Timeout | null = null;
  private readonly patienceMs: number;

  /** `most`: connections at once; `patienceMs`: how long anybody waits for one. */
  constructor(url: string, most: number, patienceMs = MAX_WAIT_FOR_CONNECTION_MS) {
    this.url = url;
    this.most = most;
    this.patienceMs = patienceMs;
  }

  /** Gives a task a connection of its own. Rejects with `StoreError` (`UNAVAILABLE`) where none can be made. */
  async use<T>(task: (link: Link) => Promise<T>): Promise<T> {
    const link = await this.take();
    try {
      return await task(link);
    } finally {
      this.giveBack(link);
    }
  }

  /**
   * `use` for a task that only reads. A connection that had died while nobody used it is noticed by the first who does:
   * the task is then simply done again.
   */
  async read<T>(task: (link: Link) => Promise<T>): Promise<T> {
    let isBroken = false;
    const once = () =>
      this.use(async (link) => {
        try {
          return await task(link);
        } finally {
          isBroken = link.isBroken;
        }
      });
    try {
      return await once();
    } catch (error) {
      if (!isBroken) throw error;
      return once();
    }
  }

  figures(): ConnectionFigures {
    return { busy: this.taken, idle: this.idle.length, waiting: this.waiting.length };
  }

  /** Ends those that nobody has; whoever has one goes on with it. */
  async close(): Promise<void> {
    this.closed = true;
    const { idle } = this;
    this.idle = [];
    await Promise.all(idle.map((link) => link.close()));
  }

  private take(): Promise<Link> {
    if (this.closed) return Promise.reject(new StoreError('The database is closed', 'CLOSED'));
    for (let link = this.idle.pop(); link !== undefined; link = this.idle.pop()) {
      if (link.isBroken) continue;
      this.taken++;
      return Promise.resolve(link);
    }
    return this.mayConnect() ? this.connect() : this.wait();
  }

  /** Those that there are will do where the server takes no more: with many nodes it may have less room than they ask for. */
  private mayConnect(): boolean {
    return this.taken === 0 || (this.taken < this.most && performance.now() >= this.fullUntil);
  }

  private wait(): Promise<Link> {
    if (this.waiting.length >= MAX_WAITING_FOR_CONNECTION) {
      return Promise.reject(new StoreError('Too many wait for the database', 'OVERLOADED'));
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject, since: performance.now() });
      this.looking ??= setInterval(() => this.endWaits(), this.patienceMs / LOOKS_A_WAIT).unref();
    });
  }

  /** A database that is slow keeps all connections busy: whoever would wait too long comes again. */
  private endWaits(): void {
    const since = performance.now() - this.patienceMs;
    for (let [first] = this.waiting; first !== undefined && first.since < since; [first] = this.waiting) {
      this.waiting.shift();
      first.reject(new StoreError('The database is not available: all connections to it are busy', UNAVAILABLE));
    }
    if (this.waiting.length > 0 || this.looking === null) return;
    clearInterval(this.looking);
    this.looking = null;
  }

  private async connect(): Promise<Link> {
    this.taken++;
    try {
      return await Link.openPrimary(this.url);
    } catch (error) {
      this.taken--;
      if (error instanceof ServerFull && this.taken + this.idle.length > 0) {
        this.fullUntil = performance.now() + POSTGRES_FULL_MS;
        return this.take();
      }
      // Whoever waits for a connection would wait for ever where none can be made.
      for (const { reject } of this.waiting.splice(0)) reject(error);
      throw error;
    }
  }

  private giveBack(link: Link): void {
    this.taken--;
    const next = this.waiting.shift();
    if (link.isBroken) {
      void link.close();
      // What broke one has as a rule broken all: none of them is tried.
      for (const other of this.idle.splice(0)) void other.close();
      if (next !== undefined) this.connect().then(next.resolve, next.reject);
    } else if (next !== undefined) {
      this.taken++;
      next.resolve(link);
    } else if (this.closed) void link.close();
    else this.idle.push(link);
  }
}
