import { StoreError } from '@cellwire/store';
import { CLOCK_RETRY_MS, MAX_NEW_DAY_READERS, NEW_DAY_WAIT_MS } from '../limits/open-documents.ts';
import type { DocumentsEnvironment } from './environment.ts';
import type { Pipeline } from './pipeline/pipeline.ts';
import type { Replica } from './replica.ts';
import { isOfAnotherDay } from './state.ts';
import type { Proposer } from './types.ts';

const CLOCK_AUTHOR = { userId: null, origin: 'clock', tokenId: null, tokenName: null };
const NO_WEIGHT = { user: null, bytes: 0 };

/** Recalculates a document whose results are of another day, once for all waiting readers. */
export class DailyRecalculation {
  private readonly replica: Replica;
  private readonly pipeline: Pipeline;
  private readonly environment: Pick<DocumentsEnvironment, 'clock' | 'onError'>;
  private recalculating: Promise<void> | null = null;
  /** Number of waiting readers. */
  private waiting = 0;
  /** Time of the last failed recalculation; null: it did not fail. */
  private failedAt: number | null = null;

  constructor(replica: Replica, pipeline: Pipeline, environment: Pick<DocumentsEnvironment, 'clock' | 'onError'>) {
    this.replica = replica;
    this.pipeline = pipeline;
    this.environment = environment;
  }

  /** Whether readers must wait. After a failure they get the results of the previous day for a while. */
  get isDue(): boolean {
    const now = this.environment.clock();
    if (this.failedAt !== null && Math.abs(now - this.failedAt) < CLOCK_RETRY_MS) return false;
    return isOfAnotherDay(this.replica.state, now);
  }

  /** Rejects with the `StoreError` `OVERLOADED` if too many readers wait, or this one has waited for too long. */
  async waitForToday(): Promise<void> {
    if (this.waiting >= MAX_NEW_DAY_READERS) throw createOverloadError();
    this.waiting++;
    const patience = Promise.withResolvers<never>();
    const timer = setTimeout(() => patience.reject(createOverloadError()), NEW_DAY_WAIT_MS);
    try {
      await Promise.race([this.recalculate(), patience.promise]);
    } finally {
      clearTimeout(timer);
      this.waiting--;
    }
  }

  /** Commits a recalculation for today. Concurrent callers share one. */
  private recalculate(): Promise<void> {
    this.recalculating ??= this.writeRecalculation().finally(() => {
      this.recalculating = null;
    });
    return this.recalculating;
  }

  /**
   * Commits the recalculation for today. Throws if the queue is full. Any other failure is reported: readers then get
   * the results of the previous day, and the recalculation is retried later.
   */
  private async writeRecalculation(): Promise<void> {
    const { kind, error } = await this.pipeline.write(this.createProposer(), NO_WEIGHT).then(
      (outcome) => ({ kind: outcome.kind, error: outcome }),
      (error: unknown) => ({ kind: 'failed', error: error }),
    );
    if (kind === 'busy') throw createOverloadError();
    if (kind === 'written' || kind === 'declined' || kind === 'removed') return;
    this.environment.onError('recalculation of a new day', error);
    this.failedAt = this.environment.clock();
  }

  /** Proposes a recalculation with today's date. It declines if the state is of today already. */
  private createProposer(): Proposer<null, 'current'> {
    return () => {
      if (!isOfAnotherDay(this.replica.state, this.environment.clock())) return { kind: 'declined', reason: 'current' };
      const finish = () => ({ reply: null, statements: [] });
      return { kind: 'proposal', edits: [{ kind: 'recalculate' }], author: CLOCK_AUTHOR, finish };
    };
  }
}

function createOverloadError(): StoreError {
  return new StoreError('Too many requests wait for the recalculation of the new day', 'OVERLOADED');
}
