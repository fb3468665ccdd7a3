import { countParameterBytes, countUnitsOfNextBatch } from '../database/batch.ts';
import { StoreError, type Unit, type UnitOutcome } from '../database/database.ts';
import { CONTENTION_MS, MAX_WAITING_UNITS } from '../database/limits.ts';
import { toWriteFailure } from '../database/write-failure.ts';
import type { CommitGroup, GroupedBatchOutcome } from './group.ts';
import { findBatchShape, GroupQueue, type UnitBatch } from './group-queue.ts';
import type { GroupShape } from './group-statement.ts';
import type { PostgresUnitResult } from './transaction.ts';

interface QueuedUnit {
  readonly unit: Unit;
  /** See `countParameterBytes`. */
  readonly bytes: number;
  readonly resolve: (outcome: UnitOutcome) => void;
  readonly reject: (error: Error) => void;
}

/** How units are written. */
export interface UnitWriter {
  /** Writes units of one document. `isDoubtful`: they may already have been committed. */
  readonly writeUnits: (units: readonly Unit[], isDoubtful: boolean) => Promise<readonly PostgresUnitResult[]>;
  readonly writeGroup: (group: CommitGroup) => Promise<readonly GroupedBatchOutcome[]>;
}

/**
 * Queues of units: one for each document, and one for units without a document. Units of one queue are written in
 * order, different queues concurrently. Units that arrive during a transaction of their queue share the next
 * transaction. Commits of several queues share a transaction (`GroupQueue`).
 */
export class UnitQueues {
  private readonly writer: UnitWriter;
  private readonly groups = new Map<GroupShape, GroupQueue>();
  /** Documents that were left out of a group a short time ago, because another node writes them. */
  private readonly contended = new Set<string | null>();
  private readonly queues = new Map<string | null, QueuedUnit[]>();
  private readonly running = new Set<Promise<void>>();
  private readonly perUser: number;
  /** For each user with running units: the number of queues that are writing, and the waiting queues. */
  private readonly users = new Map<number, UserQueues>();
  private waiting = 0;
  private closed = false;

  /**
   * `perUser`: maximum number of queues of one user that write concurrently, each on its own connection; also the
   * maximum number of groups.
   */
  constructor(writer: UnitWriter, perUser: number) {
    this.writer = writer;
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
      const results = await this.writeBatch({
        document,
        user: batch[0]?.unit.user ?? null,
        units: batch.map(({ unit }) => unit),
        bytes: batch.reduce((sum, { bytes }) => sum + bytes, 0),
      });
      for (const [i, one] of batch.entries()) settleUnit(one, results[i] as PostgresUnitResult);
    }
    this.queues.delete(document);
  }

  /** Writes a batch together with batches of other queues if possible. */
  private async writeBatch(batch: UnitBatch): Promise<readonly PostgresUnitResult[]> {
    const { document, user, units } = batch;
    const turn = await this.findGroupQueue(batch)?.waitForTurn(batch);
    if (turn === undefined) return this.writeForUser(user, units);
    if (turn.kind === 'alone') return this.writeForUser(user, units).finally(turn.leave);
    const { results, isDoubtful } = turn.outcome;
    if (results.length === units.length) return results;
    this.markContended(document);
    return [...results, ...(await this.writeForUser(user, units.slice(results.length), isDoubtful))];
  }

  /** Writes the next units of a document without a group, which they would have to wait for in vain. */
  private markContended(document: string | null): void {
    this.contended.add(document);
    setTimeout(() => this.contended.delete(document), CONTENTION_MS).unref();
  }

  /** The queue of the batch's shape; undefined if the batch cannot be in a group. */
  private findGroupQueue(batch: UnitBatch): GroupQueue | undefined {
    if (this.contended.has(batch.document)) return undefined;
    const shape = findBatchShape(batch);
    if (shape === null) return undefined;
    const queue = this.groups.get(shape) ?? new GroupQueue(shape, this.writer.writeGroup, this.perUser);
    this.groups.set(shape, queue);
    return queue;
  }

  /** Writes units separately when the user has a free connection. */
  private async writeForUser(
    user: number | null,
    units: readonly Unit[],
    isDoubtful = false,
  ): Promise<readonly PostgresUnitResult[]> {
    if (user === null) return this.writer.writeUnits(units, isDoubtful);
    const userQueues = this.users.get(user) ?? { running: 0, waiting: [] };
    this.users.set(user, userQueues);
    if (userQueues.running < this.perUser) userQueues.running++;
    // Waits until another queue of the user finishes.
    else await new Promise<void>((resolve) => userQueues.waiting.push(resolve));
    try {
      return await this.writer.writeUnits(units, isDoubtful);
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
