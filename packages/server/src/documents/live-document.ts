import { memoryOf, type Snapshot } from '@cellwire/engine';
import { CHECKPOINT_ON_CLOSE_COMMITS, CLOCK_RETRY_MS, OPEN_DOCUMENT_BASE_BYTES } from '../limits/limits.ts';
import type { Soon } from '../store/soon.ts';
import { soon } from '../store/soon.ts';
import { Checkpointer } from './checkpointer.ts';
import type { OpenEnvironment } from './environment.ts';
import { Pipeline } from './pipeline.ts';
import { Replica } from './replica.ts';
import { isOfAnotherDay, type Loaded } from './state.ts';
import type { OpenDocument, Planner, Reading, WriteOutcome, WriteWeight } from './types.ts';

const NO_WEIGHT: WriteWeight = { user: null, bytes: 0 };
const CLOCK_AUTHOR = { userId: null, origin: 'clock', tokenId: null, tokenName: null };

interface Told {
  readonly onRemoved: () => void;
  /** A write may have made it take more memory. */
  readonly onGrown: () => void;
}

/** An open document: its replica for readers, its pipeline for writers, its checkpoints. */
export class LiveDocument implements OpenDocument {
  readonly id: string;
  private readonly environment: OpenEnvironment;
  private readonly replica: Replica;
  private readonly pipeline: Pipeline;
  private readonly checkpointer: Checkpointer;
  private readonly onRemoved: () => void;
  private measured: { readonly snapshot: Snapshot; readonly bytes: number } | null = null;
  private recalculating: Promise<void> | null = null;
  /** When the last recalculation failed; null: it did not. */
  private failedAt: number | null = null;

  constructor(id: string, loaded: Loaded, environment: OpenEnvironment, { onRemoved, onGrown }: Told) {
    this.id = id;
    this.environment = environment;
    this.onRemoved = onRemoved;
    this.replica = new Replica(id, loaded, environment);
    this.checkpointer = new Checkpointer(this.replica, loaded, environment);
    this.pipeline = new Pipeline(this.replica, environment, () => {
      this.checkpointer.consider();
      environment.commits?.emit(id);
      onGrown();
    });
    this.checkpointer.consider();
  }

  /** Nothing is under way. */
  get idle(): boolean {
    return this.pipeline.idle && this.checkpointer.idle;
  }

  /** Memory that it takes, in bytes: cells as they are, formulas and their graph about. */
  get bytes(): number {
    const { snapshot } = this.replica.state;
    if (this.measured?.snapshot !== snapshot) this.measured = { snapshot, bytes: memoryOf(snapshot) };
    return OPEN_DOCUMENT_BASE_BYTES + this.measured.bytes + this.pipeline.memory;
  }

  /** Writes that wait for their turn. */
  get waiting(): number {
    return this.pipeline.waiting;
  }

  /** Lets go of what only writers need. */
  rest(): void {
    if (this.idle) this.pipeline.rest();
  }

  snapshot(): Soon<Snapshot | null> {
    return soon(this.latest(), (reading) => reading?.snapshot ?? null);
  }

  latest(): Soon<Reading | null> {
    return soon(
      this.replica.follow((head) => this.pipeline.stateInFlight(head)),
      (there) => (there ? this.today() : this.gone()),
    );
  }

  private gone(): null {
    this.onRemoved();
    return null;
  }

  /** The state that readers see; one of an earlier day is calculated anew first. */
  private today(): Soon<Reading> {
    const now = this.environment.clock();
    const isPaused = this.failedAt !== null && Math.abs(now - this.failedAt) < CLOCK_RETRY_MS;
    if (isPaused || !isOfAnotherDay(this.replica.state, now)) return this.reading();
    return this.recalculate().then(() => this.reading());
  }

  private reading(): Reading {
    return this.replica.state;
  }

  async write<Reply, Reason>(
    plan: Planner<Reply, Reason>,
    weight: WriteWeight = NO_WEIGHT,
  ): Promise<WriteOutcome<Reply, Reason>> {
    const outcome = await this.pipeline.write(plan, weight);
    if (outcome.kind === 'removed') this.onRemoved();
    return outcome;
  }

  async close(): Promise<void> {
    await this.pipeline.drained();
    if (!this.checkpointer.idle || this.checkpointer.pending >= CHECKPOINT_ON_CLOSE_COMMITS)
      await this.checkpointer.save();
  }

  private recalculate(): Promise<void> {
    this.recalculating ??= this.writeRecalculation().finally(() => {
      this.recalculating = null;
    });
    return this.recalculating;
  }

  /** A failure is reported and leaves readers with the day before; it is tried again after a while. */
  private async writeRecalculation(): Promise<void> {
    try {
      const plan: Planner<null, 'current'> = () => {
        const isCurrent = !isOfAnotherDay(this.replica.state, this.environment.clock());
        if (isCurrent) return { kind: 'declined', reason: 'current' };
        return {
          kind: 'plan',
          edits: [{ kind: 'recalculate' }],
          author: CLOCK_AUTHOR,
          finish: () => ({ reply: null, statements: [] }),
        };
      };
      const outcome = await this.pipeline.write(plan, NO_WEIGHT);
      if (outcome.kind === 'written' || outcome.kind === 'declined' || outcome.kind === 'removed') return;
      this.environment.onError('recalculation of a new day', outcome);
    } catch (error) {
      this.environment.onError('recalculation of a new day', error);
    }
    this.failedAt = this.environment.clock();
  }
}
