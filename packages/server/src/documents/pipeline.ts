import { type Applied, encodeDelta, type Refusal, Workbook } from '@cellwire/engine';
import {
  MAX_PIPELINED_BYTES,
  MAX_PIPELINED_COMMITS,
  MAX_WAITING_WRITES,
  MAX_WRITE_ATTEMPTS,
  WRITE_SLICE_MS,
} from '../limits/limits.ts';
import { insertCommit } from '../store/commits.ts';
import { type Statement, StoreError, type UnitOutcome } from '../store/database.ts';
import { advanceDocument, REVISION_CONFLICT, recalculateDocument } from '../store/documents.ts';
import { areasText } from './areas.ts';
import { applyContext, type DocumentsEnvironment, newHead } from './environment.ts';
import type { Replica } from './replica.ts';
import { DocumentSharing, rightsOf, type SharingAt } from './rights.ts';
import { type State, stateOf } from './state.ts';
import { type Commit, type Declined, type Plan, type Planner, RECALCULATIONS, type WriteOutcome } from './types.ts';

type Outcome = WriteOutcome<unknown, unknown>;

/** A write that waits for its turn. */
interface Job {
  readonly plan: Planner<unknown, unknown>;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
  attempts: number;
}

/**
 * A write applied in memory whose fate depends on the disk: a commit on its way, or (without `state`) a refusal that
 * holds only if the commits before it do, since it was decided on top of them.
 */
interface InFlight {
  readonly job: Job;
  readonly state: State | null;
  readonly bytes: number;
  readonly outcome: Outcome;
  settled: Promise<void>;
}

/** What a commit stands on: the state before, the moment, and the access epoch of the rights it was calculated with. */
interface Ground {
  readonly base: State;
  readonly at: number;
  readonly epoch: number;
}

/**
 * The one writer of a document in this process. Writes are applied one after another, each on top of the one before
 * without waiting for the disk, so that many share one sync; their commits reach the database in that order, and each
 * holds only on top of the very commit that it was applied to. States and moves:
 *
 * 1. flowing: a job is applied to the tip (the last commit in flight, else the replica) and its unit sent.
 * 2. A commit on the disk: the replica takes its state, the caller gets its outcome.
 * 3. A unit that fails (another process was faster, rights have changed, a guard of the caller's, the disk) breaks the flow: what is in
 *    flight behind it can no longer hold. Nothing new is applied until all of it has come back.
 * 4. Then the workbook in memory is dropped and the jobs that only lost their ground run again, in their order.
 */
export class Pipeline {
  private readonly replica: Replica;
  private readonly environment: DocumentsEnvironment;
  private readonly onCommit: () => void;
  private readonly sharing: DocumentSharing;
  private workbook: Workbook | null = null;
  private queue: Job[] = [];
  private inFlight: InFlight[] = [];
  private inFlightBytes = 0;
  private broken = false;
  private again: Job[] = [];
  /** Commits that may be in flight: one after a conflict, growing while there is none. */
  private depth = MAX_PIPELINED_COMMITS;
  private pumping: Promise<void> | null = null;

  constructor(replica: Replica, environment: DocumentsEnvironment, onCommit: () => void) {
    this.replica = replica;
    this.environment = environment;
    this.onCommit = onCommit;
    this.sharing = new DocumentSharing(environment.database, replica.id);
  }

  get idle(): boolean {
    return this.pumping === null && this.inFlight.length === 0 && this.queue.length === 0;
  }

  /** Writes that are not applied yet. */
  get waiting(): number {
    return this.queue.length + this.again.length;
  }

  /** Lets the formula graph go; the next write builds it again. Only when idle. */
  rest(): void {
    this.workbook = null;
  }

  /** The commit in flight of this name, for a reader that saw it in the store before this process heard of it. */
  stateInFlight(head: string): State | null {
    return this.inFlight.find(({ state }) => state?.head === head)?.state ?? null;
  }

  async drained(): Promise<void> {
    while (!this.idle) {
      await this.pumping;
      await this.inFlight.at(-1)?.settled;
    }
  }

  write<Reply, Reason>(plan: Planner<Reply, Reason>): Promise<WriteOutcome<Reply, Reason>> {
    if (this.queue.length >= MAX_WAITING_WRITES) {
      return Promise.reject(new StoreError('Too many writes wait for one document', 'OVERLOADED'));
    }
    return new Promise((resolve, reject) => {
      // What `plan` gives comes back through `resolve` unseen: the two types are the caller's.
      this.queue.push({ plan, resolve: resolve as Job['resolve'], reject, attempts: 0 });
      this.pump();
    });
  }

  private pump(): void {
    this.pumping ??= this.run().finally(() => {
      this.pumping = null;
      if (this.queue.length > 0) this.pump();
    });
  }

  private async run(): Promise<void> {
    let sliceStart = performance.now();
    while (this.queue.length > 0) {
      const sharing = await this.readSharing();
      const oldest = this.inFlight[0];
      if (this.broken) await this.inFlight.at(-1)?.settled;
      else if (oldest !== undefined && this.full()) await oldest.settled;
      else if (sharing !== null && (oldest !== undefined || (await this.follow()))) {
        this.step(this.queue.shift() as Job, sharing);
      }
      if (performance.now() - sliceStart > WRITE_SLICE_MS) {
        await new Promise(setImmediate);
        sliceStart = performance.now();
      }
    }
  }

  private full(): boolean {
    return this.inFlight.length >= this.depth || this.inFlightBytes > MAX_PIPELINED_BYTES;
  }

  /** Before the first write of a row: what other processes have written comes first. */
  private async follow(): Promise<boolean> {
    try {
      if (await this.replica.follow((head) => this.stateInFlight(head))) return true;
      for (const job of this.takeQueue()) job.resolve({ kind: 'removed' });
    } catch (error) {
      for (const job of this.takeQueue()) job.reject(error);
    }
    return false;
  }

  /** Who sees which sheets: a commit holds only while that is so. Null where it could not be read. */
  private async readSharing(): Promise<SharingAt | null> {
    try {
      return await this.sharing.latest();
    } catch (error) {
      for (const job of this.takeQueue()) job.reject(error);
      return null;
    }
  }

  private takeQueue(): readonly Job[] {
    const jobs = this.queue;
    this.queue = [];
    return jobs;
  }

  private step(job: Job, { epoch, sharing }: SharingAt): void {
    try {
      const base = this.tip();
      if (this.workbook?.head !== base.snapshot) this.workbook = Workbook.open(base.snapshot);
      const plan = job.plan(base.snapshot);
      if (plan.kind === 'declined') return this.answer(job, plan);
      const at = this.environment.clock();
      const rights = rightsOf(plan.sharing ?? sharing);
      const limits = plan.limits ?? this.environment.limits;
      const context = applyContext(at, limits, { writer: plan.author.userId, rights });
      const applied = this.workbook.apply(plan.edits, context);
      if (applied.kind === 'refusal') return this.answer(job, applied);
      this.submit(job, plan, applied, { base, at, epoch });
    } catch (error) {
      job.reject(error);
      this.breakOff();
    }
  }

  private tip(): State {
    return this.inFlight.findLast(({ state }) => state !== null)?.state ?? this.replica.state;
  }

  /** A refusal is told at once when its ground is on the disk, else when it is. */
  private answer(job: Job, outcome: Declined<unknown> | Refusal): void {
    const before = this.inFlight.at(-1);
    if (before === undefined) return job.resolve(outcome);
    const item: InFlight = { job, state: null, bytes: 0, outcome, settled: before.settled };
    item.settled = before.settled.then(() => this.settle(item, { kind: 'committed', results: [] }));
    this.inFlight.push(item);
  }

  private submit(job: Job, plan: Plan<unknown>, applied: Applied, ground: Ground): void {
    const { change } = applied;
    const { at } = ground;
    const commit: Commit = { revision: change.after.revision, at };
    const done = {
      outcomes: applied.outcomes,
      warnings: applied.warnings,
      before: change.before.sheets,
      after: change.after.sheets,
    };
    const { reply, statements } = plan.finish(done, commit);
    const state = stateOf(change.after, newHead(), at);
    const delta = encodeDelta(change);
    const unit = {
      statements: [...this.commitStatements(plan, state, ground, delta, areasText(change)), ...statements],
    };
    const outcome: Outcome = { kind: 'written', reply, commit };
    const item: InFlight = { job, state, bytes: delta.length, outcome, settled: Promise.resolve() };
    this.inFlight.push(item);
    this.inFlightBytes += item.bytes;
    item.settled = this.environment.database.write(unit).then(
      (result) => this.settle(item, result),
      (error: unknown) => this.fail(item, error),
    );
  }

  /** The guard comes first, so that a unit without ground says so whatever else is wrong with it. */
  private commitStatements(plan: Plan<unknown>, state: State, ground: Ground, delta: Uint8Array, areas: string) {
    const { id } = this.replica;
    const { revision } = state.snapshot;
    const { base, at, epoch } = ground;
    const move = {
      id,
      revision: base.snapshot.revision,
      head: base.head,
      nextRevision: revision,
      nextHead: state.head,
      calculatedAt: at,
      epoch,
    };
    const { userId, origin, tokenId, tokenName } = plan.author;
    return [
      RECALCULATIONS.has(origin) ? recalculateDocument(move) : advanceDocument({ ...move, updatedAt: at }),
      insertCommit({
        document_id: id,
        revision,
        head: state.head,
        at,
        author_id: userId,
        origin,
        token_id: tokenId,
        token_name: tokenName,
        delta,
        areas,
      }),
    ] satisfies Statement[];
  }

  private settle(item: InFlight, result: UnitOutcome): void {
    this.leave(item);
    const { job } = item;
    if (item.state === null && this.broken) this.again.push(job);
    else if (result.kind === 'committed') this.confirm(item);
    else if (result.conflict === REVISION_CONFLICT) this.retry(job);
    else job.resolve({ kind: 'conflict', conflict: result.conflict });
    if (result.kind === 'conflict') this.breakOff();
    else this.recover();
  }

  private fail(item: InFlight, error: unknown): void {
    this.leave(item);
    item.job.reject(error);
    this.breakOff();
  }

  private leave(item: InFlight): void {
    this.inFlight.splice(this.inFlight.indexOf(item), 1);
    this.inFlightBytes -= item.bytes;
  }

  private confirm(item: InFlight): void {
    if (item.state !== null) {
      this.replica.publish(item.state);
      this.replica.logBytes += item.bytes;
      this.depth = Math.min(this.depth * 2, MAX_PIPELINED_COMMITS);
      this.onCommit();
    }
    item.job.resolve(item.outcome);
  }

  private retry(job: Job): void {
    job.attempts++;
    if (job.attempts < MAX_WRITE_ATTEMPTS) this.again.push(job);
    else job.reject(new StoreError('Other processes write to this document all the time', 'CONTENTION'));
  }

  private breakOff(): void {
    this.broken = true;
    this.recover();
  }

  private recover(): void {
    if (!this.broken || this.inFlight.length > 0) return;
    this.broken = false;
    this.workbook = null;
    this.depth = 1;
    this.queue.unshift(...this.again);
    this.again = [];
    if (this.queue.length > 0) this.pump();
  }
}
