import { countParameterBytes, countUnitsOfNextBatch } from '../database/batch.ts';
import { StoreError, type Unit, type UnitOutcome } from '../database/database.ts';
import { MAX_WAITING_UNITS } from '../database/limits.ts';
import { toWriteFailure } from '../database/write-failure.ts';
import type { PostgresUnitResult } from './transaction.ts';

interface QueuedUnit {
  readonly unit: Unit;
  /** See `countParameterBytes`. */
  readonly bytes: number;
  readonly resolve: (outcome: UnitOutcome) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Queues of units: one for each document, and one for units without a document. Units of one queue are written in
 * order, different queues concurrently. Units that arrive during a transaction of their queue share the next
 * transaction.
 */
export class UnitQueues {
  private readonly write: (units: readonly Unit[]) => Promise<readonly PostgresUnitResult[]>;
  private readonly queues = new Map<string | null, QueuedUnit[]>();
  private readonly running = new Set<Promise<void>>();
  private readonly perUser: number;
  /** For each user with running units: the number of queues that are writing, and the waiting queues. */
  private readonly users = new Map<number, UserQueues>();
  private waiting = 0;
  private closed = false;

  /** `perUser`: maximum number of queues of one user that write concurrently, each on its own connection. */
  constructor(write: (units: readonly Unit[]) => Promise<readonly PostgresUnitResult[]>, perUser: number) {
    this.write = write;
    this.perUser = perUser;
  }

  /** Writes a unit after the earlier ones of its document. Rejects if the database is closed or too many units wait. */
  queueUnit(unit: Unit): Promise<UnitOutcome> {
    if (this.closed) return Promise.reject(new StoreError('The database is closed', 'CLOSED'));
    if (this.waiting >= MAX_WAITING_UNITS) {
      return Promise.reject(new StoreError('Too many writes wait for the database', 'OVERLOADED'));
    }
    this.waiting++;
    return new Promise((resolve, reject) => {
      const queue = this.queues.get(unit.document);
      const queued = { unit, bytes: countParameterBytes(unit), resolve, reject };
      if (queue !== undefined) {
        queue.push(queued);
        return;
      }
      const fresh = [queued];
      this.queues.set(unit.document, fresh);
      const drained = this.drainQueue(unit.document, fresh).finally(() => this.running.delete(drained));
      this.running.add(drained);
    });
  }

  /** Refuses further units, and waits for the running ones. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.running);
  }

  /** Writes the queued units of a document in batches until none waits. */
  private async drainQueue(document: string | null, queue: QueuedUnit[]): Promise<void> {
    while (queue.length > 0) {
      // Units of one turn of the event loop share a transaction.
      await new Promise(setImmediate);
      const batch = queue.splice(0, countUnitsOfNextBatch(queue));
      this.waiting -= batch.length;
      const results = await this.writeForUser(batch[0]?.unit.user ?? null, batch);
      for (const [i, one] of batch.entries()) settleUnit(one, results[i] as PostgresUnitResult);
    }
    this.queues.delete(document);
  }

  /** Writes a batch when the user has a free connection. */
  private async writeForUser(
    user: number | null,
    batch: readonly QueuedUnit[],
  ): Promise<readonly PostgresUnitResult[]> {
    const units = batch.map(({ unit }) => unit);
    if (user === null) return this.write(units);
    const userQueues = this.users.get(user) ?? { running: 0, waiting: [] };
    this.users.set(user, userQueues);
    if (userQueues.running < this.perUser) userQueues.running++;
    // Waits until another queue of the user finishes.
    else await new Promise<void>((resolve) => userQueues.waiting.push(resolve));
    try {
      return await this.write(units);
    } finally {
      const next = userQueues.waiting.shift();
      if (next !== undefined) next();
      else if (--userQueues.running === 0) this.users.delete(user);
    }
  }
}

interface UserQueues {
  running: number;
  readonly waiting: (() => void)[];
}

/** Resolves or rejects the promise of a unit. */
function settleUnit({ unit, resolve, reject }: QueuedUnit, result: PostgresUnitResult): void {
  if (result.kind === 'failed') reject(toWriteFailure(unit.document, result.error));
  else resolve(result);
}
