import type { Refusal } from '@cellwire/engine';
import { ConsumptionMeter, type MaybePromise } from '@cellwire/event-loop';
import { StoreError, type Unit, type UnitOutcome } from '@cellwire/store';
import { REVISION_CONFLICT } from '@cellwire/store/documents';
import { TRUSTING_COMMITS } from '../../limits/documents.ts';
import { type CalculatedBatch, Calculator, type UnfinishedBatch } from '../calculation/calculator.ts';
import { createCalculationContext } from '../calculation/context.ts';
import type { OpenEnvironment } from '../environment.ts';
import type { Replica, StateTransition } from '../replica.ts';
import { type DocumentSharing, deriveRights, type SharingAtEpoch } from '../rights.ts';
import type { DocumentState } from '../state.ts';
import type { CommitProposal, DeclinedProposal, Proposer, WriteOutcome } from '../types.ts';
import { type CommitSubmission, toSubmission } from './calculated-write.ts';
import { chooseNextJob } from './job-order.ts';
import { resolveUnfinishedTrial, TrialRuns } from './trial-runs.ts';
import { UnitsInFlight } from './units-in-flight.ts';
import type { WriteWeight } from './write-admission.ts';
import {
  type AccessBasis,
  type CommitBase,
  countAttempt,
  createJob,
  findPayer,
  type UnitInFlight,
  type WriteJob,
} from './write-jobs.ts';

/** Callbacks about the writes of a document. */
interface PipelineListener {
  /** A commit is durable. `user`: the user whose work it was; null: the document's owner or the service. */
  readonly onCommit: (user: number | null) => void;
  /** Called when the document is found removed. */
  readonly onRemoved: () => void;
}

const NO_WAIT: Promise<void> = Promise.resolve();

/**
 * The only writer of a document in this process. Writes are applied one after another, each on top of the previous one
 * without waiting for the disk, so that many share one sync. Their commits reach the database in that order, and each
 * is valid only on top of the commit that it was applied to. States and transitions:
 *
 * 1. Flowing: a job is applied to the tip (the last commit in flight, or else the replica), and its unit is sent.
 * 2. A commit becomes durable: the replica takes its state, and the caller gets the outcome.
 * 3. A unit fails (a commit of another process, changed rights, a guard of the caller, the disk): the flow stops,
 *    because later commits in flight can no longer be valid. No job is applied until all of them have returned.
 * 4. Then the results calculated on top of the failed unit are dropped, and the jobs whose own units did not fail run
 *    again in order.
 *
 * A job that is calculated in another thread keeps its place: no other job is applied until it is done. If its base
 * does not become durable, it is calculated again.
 */
export class Pipeline {
  private readonly replica: Replica;
  private readonly environment: OpenEnvironment;
  private readonly listener: PipelineListener;
  private readonly sharing: DocumentSharing;
  private readonly calculator: Calculator;
  private readonly trials: TrialRuns;
  private queue: WriteJob[] = [];
  private readonly inFlight = new UnitsInFlight();
  private isBroken = false;
  /** The first job of the queue needs a read of the store, to find commits of other processes. */
  private mustReadLatest = false;
  /** The job that needs the read. No other job overtakes it. */
  private pinned: WriteJob | null = null;
  /** Time that each user's writes have taken in threads. */
  private readonly meter = new ConsumptionMeter();
  private retries: WriteJob[] = [];
  /** The job being calculated in another thread. If its base is lost, it runs after the jobs of `retries`. */
  private calculating: WriteJob | null = null;
  private interrupted: WriteJob | null = null;
  private pumping: Promise<void> | null = null;

  constructor(replica: Replica, sharing: DocumentSharing, environment: OpenEnvironment, listener: PipelineListener) {
    this.replica = replica;
    this.environment = environment;
    this.listener = listener;
    this.sharing = sharing;
    this.calculator = new Calculator(environment.threads?.pool ?? null, environment.graphs);
    this.trials = new TrialRuns(this.calculator, environment);
  }

  get isIdle(): boolean {
    return this.hasNoWrites && this.trials.isIdle;
  }

  /** Whether no write is waiting or in progress. */
  private get hasNoWrites(): boolean {
    return this.pumping === null && this.inFlight.size === 0 && this.queue.length === 0;
  }

  /** Number of writes not yet applied. */
  get waiting(): number {
    return this.queue.length + this.retries.length + ((this.calculating ?? this.interrupted === null) ? 0 : 1);
  }

  /** Estimated memory held for writers, in bytes. */
  get memory(): number {
    const { snapshot } = this.replica.state;
    return this.calculator.estimateMemory(snapshot) + this.trials.estimateMemory(snapshot);
  }

  /** Frees the formula graph; the next write builds it again. Call it only when idle. */
  freeWriterState(): void {
    this.calculator.freeWriterState();
    this.trials.freeCopies();
  }

  /** Records that other processes have written. */
  recordCommits(followed: StateTransition): void {
    this.calculator.recordCommits(followed);
    this.trials.recordCommits(followed);
  }

  /**
   * The commit in flight with this name. A reader may see a commit in the store before this process receives its
   * confirmation.
   */
  findStateInFlight(head: string): DocumentState | null {
    return this.inFlight.findState(head);
  }

  async drain(): Promise<void> {
    while (!this.isIdle) {
      await this.pumping;
      await this.inFlight.newest?.settled;
      await this.trials.drain();
    }
  }

  write<Reply, Reason>(propose: Proposer<Reply, Reason>, weight: WriteWeight): Promise<WriteOutcome<Reply, Reason>> {
    const leave = this.environment.waiting.admitWrite(this.replica.id, weight);
    if (leave === null) return Promise.resolve({ kind: 'busy' });
    return new Promise<WriteOutcome<Reply, Reason>>((resolve, reject) => {
      // The types of `propose` and `resolve` match by the caller's signature; the queue does not know them.
      this.queue.push(createJob(weight.user, propose, { resolve: resolve as WriteJob['resolve'], reject, leave }));
      this.startJobs();
    });
  }

  private startJobs(): void {
    if (this.pumping !== null) return;
    // This run also takes the jobs that are queued meanwhile.
    this.pumping = NO_WAIT;
    const waiting = this.runReadyJobs();
    this.pumping =
      waiting === null
        ? null
        : this.runJobs(waiting).finally(() => {
            this.pumping = null;
            if (this.queue.length > 0) this.startJobs();
          });
  }

  /**
   * Runs jobs until a job has to wait, so that most writes need no promise here. Returns the promise to wait for before
   * the next job; null if the queue is empty.
   */
  private runReadyJobs(): Promise<void> | null {
    while (this.queue.length > 0) {
      const turn = this.environment.turns.waitForTurn();
      if (turn !== null) return turn;
      const access = this.getTrustedBasis();
      if (access === null || this.inFlight.isFull) return NO_WAIT;
      const done = this.processJob(this.takeJob(), access);
      if (done instanceof Promise) return done;
    }
    return null;
  }

  private async runJobs(first: Promise<void>): Promise<void> {
    await first;
    while (this.queue.length > 0) {
      // The turn is taken before the basis of the write is read. A wait after the read would make it outdated.
      const turn = this.environment.turns.waitForTurn();
      if (turn !== null) await turn;
      if (this.isBroken || this.mustReadLatest) await this.inFlight.newest?.settled;
      const access = this.getTrustedBasis() ?? (await this.readBasis());
      const { oldest } = this.inFlight;
      if (this.isBroken) await this.inFlight.newest?.settled;
      else if (oldest !== undefined && this.inFlight.isFull) await oldest.settled;
      else if (access !== null) {
        const done = this.processJob(this.takeJob(), access);
        if (done instanceof Promise) await done;
      }
    }
  }

  private takeJob(): WriteJob {
    const index = this.queue[0] === this.pinned ? 0 : chooseNextJob(this.queue, this.meter);
    this.pinned = null;
    return (index === 0 ? this.queue.shift() : this.queue.splice(index, 1)[0]) as WriteJob;
  }

  /**
   * If no other process has written for a while, the known basis is used without a read. A commit's guards detect if it
   * is outdated.
   */
  private getTrustedBasis(): AccessBasis | null {
    const { known } = this.sharing;
    if (this.isBroken || this.mustReadLatest || this.replica.ownCommitsInARow < TRUSTING_COMMITS) return null;
    return known === null ? null : { ...known, isLatest: false };
  }

  /**
   * Reads the basis of the next write in one round trip: who sees which sheets and, before the first write of a series,
   * commits of other processes. Null if the read failed or the document does not exist.
   */
  private async readBasis(): Promise<AccessBasis | null> {
    const isFirst = this.inFlight.size === 0 && !this.isBroken;
    const [sharing, isThere] = await Promise.all([this.readSharing(), isFirst ? this.followLog() : true]);
    // The commits in flight may have returned meanwhile. The next write is then the first of a series.
    if (sharing === null || !isThere || (!isFirst && this.inFlight.size === 0)) return null;
    if (isFirst) this.mustReadLatest = false;
    return { ...sharing, isLatest: isFirst };
  }

  /** An answer without a commit must be based on a state that was the latest at some time after the request arrived. */
  private answerJob(job: WriteJob, outcome: DeclinedProposal<unknown> | Refusal, { isLatest }: AccessBasis): void {
    if (isLatest) job.resolve(outcome);
    else this.retryOnLatestState(job);
  }

  private retryOnLatestState(job: WriteJob): void {
    this.queue.unshift(job);
    this.pinned = job;
    this.mustReadLatest = true;
  }

  /** Before the first write of a series, applies commits of other processes. */
  private async followLog(): Promise<boolean> {
    try {
      if (await this.replica.followLatest((head) => this.findStateInFlight(head))) return true;
      this.listener.onRemoved();
      for (const job of this.takeQueue()) job.resolve({ kind: 'removed' });
    } catch (error) {
      for (const job of this.takeQueue()) job.reject(error);
    }
    return false;
  }

  /** Reads who sees which sheets. A commit is valid only while this is unchanged. Null if the read failed. */
  private async readSharing(): Promise<SharingAtEpoch | null> {
    try {
      return await this.sharing.readLatest();
    } catch (error) {
      for (const job of this.takeQueue()) job.reject(error);
      return null;
    }
  }

  private takeQueue(): readonly WriteJob[] {
    const jobs = this.queue;
    this.queue = [];
    return jobs;
  }

  private processJob(job: WriteJob, access: AccessBasis): MaybePromise<void> {
    try {
      const base = this.newestState;
      const { head, recent, snapshot } = base;
      const { revision, sheets, nextSheetId } = snapshot;
      const proposal = job.propose({ revision, sheets, nextSheetId, snapshot, head, recent });
      if (proposal.kind === 'declined') return this.answerJob(job, proposal, access);
      if (proposal.kind === 'postponed') {
        // If no commit is in flight, the log contains all commits up to the latest state.
        const reading = access.isLatest ? proposal.readLog() : Promise.resolve();
        return reading.then(() => this.retryOnLatestState(job), job.reject);
      }
      if (proposal.kind === 'trial') {
        if (!access.isLatest) return this.retryOnLatestState(job);
        return this.trials.runTrial(job, proposal, base.snapshot, access);
      }
      const now = this.environment.clock();
      const rights = proposal.sharing === undefined ? access.rights : deriveRights(proposal.sharing);
      const { limits, textLimits } = this.environment;
      const writer = { writer: proposal.author.userId, rights };
      const context = createCalculationContext(now, proposal.limits ?? limits, writer, textLimits);
      const commitBase: CommitBase = { base, now, access, isLong: false };
      const calculated = this.calculator.calculate(base.snapshot, proposal.edits, context, findPayer(job, access));
      if (calculated instanceof Promise) return this.awaitCalculation(job, proposal, calculated, commitBase);
      this.acceptResult(job, proposal, calculated, commitBase);
    } catch (error) {
      job.reject(error);
      this.stopApplyingJobs();
    }
  }

  private async awaitCalculation(
    job: WriteJob,
    proposal: CommitProposal<unknown>,
    calculation: Promise<CalculatedBatch | Refusal | UnfinishedBatch>,
    commitBase: CommitBase,
  ): Promise<void> {
    this.calculating = job;
    const start = performance.now();
    try {
      const calculated = await calculation;
      this.meter.add(job.user, performance.now() - start);
      this.calculating = null;
      if (this.isBroken) this.interrupted = job;
      else if (this.newestState !== commitBase.base) this.queue.unshift(job);
      else this.acceptResult(job, proposal, calculated, { ...commitBase, isLong: true });
      this.resumeAfterFailure();
    } catch (error) {
      this.calculating = null;
      job.reject(error);
      this.stopApplyingJobs();
    }
  }

  private acceptResult(
    job: WriteJob,
    proposal: CommitProposal<unknown>,
    calculated: CalculatedBatch | Refusal | UnfinishedBatch,
    commitBase: CommitBase,
  ): void {
    if (calculated.kind === 'refusal') this.answerJob(job, calculated, commitBase.access);
    else if (calculated.kind === 'unfinished') resolveUnfinishedTrial(job, calculated, this.environment);
    else if (proposal.cancel?.signal.aborted) job.resolve({ kind: 'declined', reason: proposal.cancel.reason });
    else this.submitUnit(toSubmission({ job, proposal, calculated, commitBase }, this.replica.id, this.sharing));
  }

  private get newestState(): DocumentState {
    return this.inFlight.newestState ?? this.replica.state;
  }

  private submitUnit({ item, unit }: CommitSubmission): void {
    this.inFlight.add(item);
    item.settled = this.sendUnit(item, unit);
  }

  private sendUnit(item: UnitInFlight, unit: Unit): Promise<void> {
    return this.environment.database.write(unit).then(
      (result) => this.settleUnit(item, result),
      (error: unknown) => this.failUnit(item, error),
    );
  }

  private settleUnit(item: UnitInFlight, result: UnitOutcome): MaybePromise<void> {
    const isRenewable = result.kind === 'conflict' && item.renew !== null && this.inFlight.oldest === item;
    return isRenewable ? this.resendUnit(item, result) : this.endUnit(item, result);
  }

  private async resendUnit(item: UnitInFlight, result: UnitOutcome): Promise<void> {
    const unit = countAttempt(item.job) ? await item.renew?.().catch(() => null) : null;
    return unit ? this.sendUnit(item, unit) : this.endUnit(item, result);
  }

  /** Confirms a committed unit. After a conflict, retries the job or answers it. */
  private endUnit(item: UnitInFlight, result: UnitOutcome): void {
    this.inFlight.remove(item);
    const { job } = item;
    if (result.kind === 'committed') this.confirmUnit(item);
    else if (result.conflict !== REVISION_CONFLICT) job.resolve({ kind: 'conflict', conflict: result.conflict });
    else if (countAttempt(job)) this.retries.push(job);
    else job.resolve({ kind: 'busy' });
    if (result.kind === 'conflict') {
      this.replica.recordForeignWrite();
      this.stopApplyingJobs();
    } else this.resumeAfterFailure();
  }

  private failUnit(item: UnitInFlight, error: unknown): void {
    this.inFlight.remove(item);
    if (error instanceof StoreError && error.code === 'OVERLOADED') item.job.resolve({ kind: 'busy' });
    else item.job.reject(error);
    this.stopApplyingJobs();
  }

  private confirmUnit(item: UnitInFlight): void {
    if (item.state !== null) {
      this.replica.publishState(item.state);
      this.replica.logBytes += item.bytes;
      this.inFlight.recordCommit();
      this.listener.onCommit(item.job.user);
    }
    if (item.followed !== null) this.trials.recordCommits(item.followed);
    if (this.hasNoWrites) this.calculator.forgetOldStates();
    item.job.resolve(item.outcome);
  }

  /** After a unit failed: no job is applied until no unit is in flight any more. */
  private stopApplyingJobs(): void {
    this.isBroken = true;
    this.resumeAfterFailure();
  }

  /** Runs the interrupted jobs again when the last unit in flight has returned. */
  private resumeAfterFailure(): void {
    if (!this.isBroken || this.inFlight.size > 0 || this.calculating !== null) return;
    this.isBroken = false;
    this.inFlight.recordConflict();
    this.queue.unshift(...this.retries, ...(this.interrupted === null ? [] : [this.interrupted]));
    this.retries = [];
    this.interrupted = null;
    if (this.queue.length > 0) this.startJobs();
  }
}
