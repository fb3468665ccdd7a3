import type { Edit, Refusal, Snapshot } from '@cellwire/engine';
import { AdmissionQueue, ConsumptionMeter } from '@cellwire/event-loop';
import { TRIAL_COPIES } from '../../limits/calculation.ts';
import { Calculator, type UnfinishedBatch } from '../calculation/calculator.ts';
import type { CalculationContext } from '../calculation/context.ts';
import type { CalculationPool } from '../calculation/pool.ts';
import type { GraphCount } from '../environment.ts';
import type { DryRun, Preview } from '../preview.ts';
import type { StateTransition } from '../replica.ts';

/**
 * Runs dry runs on separate copies of a document, so that the document's writes do not wait for them. Each user has one
 * copy at a time, so that dry runs of different users do not delay one another.
 */
export class Trials {
  private readonly copies: readonly Calculator[];
  private readonly inUse = new Set<Calculator>();
  private readonly queue = new AdmissionQueue({ places: TRIAL_COPIES }, new ConsumptionMeter());

  constructor(pool: CalculationPool, graphs: GraphCount) {
    this.copies = Array.from({ length: TRIAL_COPIES }, () => new Calculator(pool, graphs));
  }

  /** Estimated memory of the copies, in bytes. */
  estimateMemory(state: Snapshot): number {
    return this.copies.reduce((sum, copy) => sum + copy.estimateMemory(state), 0);
  }

  /** What a batch would change. `user`: the user who pays for it. */
  async previewBatch(
    base: Snapshot,
    dryRun: DryRun<readonly Edit[]>,
    context: CalculationContext,
    user: number | null,
  ): Promise<Preview | Refusal | UnfinishedBatch> {
    const admission = await this.queue.enter({ user, expectedMs: 0 });
    if (admission === null) return { kind: 'unfinished', error: null };
    const copy = this.takeCopy();
    const start = performance.now();
    try {
      return await copy.previewInThread(base, dryRun, context, user);
    } finally {
      copy.forgetOldStates();
      this.inUse.delete(copy);
      admission.leave(performance.now() - start);
    }
  }

  /** Records that commits led from one state to another. The copies can repeat these commits. */
  recordCommits(followed: StateTransition): void {
    for (const copy of this.copies) copy.recordCommits(followed);
  }

  /** Frees all copies. Call it only when idle. */
  freeCopies(): void {
    for (const copy of this.copies) copy.freeWriterState();
  }

  /**
   * A free copy. At most as many dry runs are admitted as there are copies. Copies that a thread already holds are
   * preferred.
   */
  private takeCopy(): Calculator {
    const free = this.copies.filter((copy) => !this.inUse.has(copy));
    const copy = free.find((one) => one.isInThread) ?? free[0];
    if (copy === undefined) throw new Error('A trial was admitted without a copy');
    this.inUse.add(copy);
    return copy;
  }
}
