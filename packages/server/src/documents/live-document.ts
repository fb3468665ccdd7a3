import type { Snapshot } from '@cellwire/engine';
import {
  CHECKPOINT_ON_CLOSE_COMMITS,
  CLOCK_RETRY_MS,
  MEMORY_PER_STORED_BYTE,
  OPEN_DOCUMENT_BASE_BYTES,
} from '../limits/limits.ts';
import type { Soon } from '../store/soon.ts';
import { soon } from '../store/soon.ts';
import { Checkpointer } from './checkpointer.ts';
import type { DocumentsEnvironment } from './environment.ts';
import { Pipeline } from './pipeline.ts';
import { Replica } from './replica.ts';
import type { Loaded } from './state.ts';
import type { OpenDocument, Planner, WriteOutcome } from './types.ts';

const CLOCK_AUTHOR = { userId: null, origin: 'clock', tokenId: null, tokenName: null };

/** An open document: its replica for readers, its pipeline for writers, its checkpoints. */
export class LiveDocument implements OpenDocument {
  readonly id: string;
  private readonly environment: DocumentsEnvironment;
  private readonly replica: Replica;
  private readonly pipeline: Pipeline;
  private readonly checkpointer: Checkpointer;
  private readonly onRemoved: () => void;
  private recalculating: Promise<void> | null = null;
  private recalculateFrom = 0;

  constructor(id: string, loaded: Loaded, environment: DocumentsEnvironment, onRemoved: () => void) {
    this.id = id;
    this.environment = environment;
    this.onRemoved = onRemoved;
    this.replica = new Replica(id, loaded, environment);
    this.checkpointer = new Checkpointer(this.replica, loaded, environment);
    this.pipeline = new Pipeline(this.replica, environment, () => {
      this.checkpointer.consider();
      environment.commits?.emit(id);
    });
    this.checkpointer.consider();
  }

  /** Nothing is under way. */
  get idle(): boolean {
    return this.pipeline.idle && this.checkpointer.idle;
  }

  /** Estimated memory, in bytes. */
  get bytes(): number {
    const stored = this.checkpointer.bytes + this.replica.logBytes;
    return OPEN_DOCUMENT_BASE_BYTES + stored * MEMORY_PER_STORED_BYTE;
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
  private today(): Soon<Snapshot> {
    const now = this.environment.clock();
    if (now < this.replica.state.staleAt || now < this.recalculateFrom) return this.replica.state.snapshot;
    return this.recalculate().then(() => this.replica.state.snapshot);
  }

  async write<Reply, Reason>(plan: Planner<Reply, Reason>): Promise<WriteOutcome<Reply, Reason>> {
    const outcome = await this.pipeline.write(plan);
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
      const outcome = await this.pipeline.write(() => {
        const current = this.environment.clock() < this.replica.state.staleAt;
        if (current) return { kind: 'declined', reason: 'current' };
        return {
          kind: 'plan',
          edits: [{ kind: 'recalculate' }],
          author: CLOCK_AUTHOR,
          finish: () => ({ reply: null, statements: [] }),
        };
      });
      if (outcome.kind === 'written' || outcome.kind === 'declined' || outcome.kind === 'removed') return;
      this.environment.onError('recalculation of a new day', outcome);
    } catch (error) {
      this.environment.onError('recalculation of a new day', error);
    }
    this.recalculateFrom = this.environment.clock() + CLOCK_RETRY_MS;
  }
}
