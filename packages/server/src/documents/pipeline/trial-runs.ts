import type { Refusal, Snapshot } from '@cellwire/engine';
import type { Calculator, UnfinishedBatch } from '../calculation/calculator.ts';
import { createCalculationContext } from '../calculation/context.ts';
import type { OpenEnvironment } from '../environment.ts';
import type { Preview } from '../preview.ts';
import type { StateTransition } from '../replica.ts';
import type { DryRunProposal } from '../types.ts';
import { Trials } from './trials.ts';
import { type AccessBasis, findPayer, type WriteJob } from './write-jobs.ts';

/** Runs the dry runs of a document: short ones between its writes, long ones on separate copies. */
export class TrialRuns {
  private readonly calculator: Calculator;
  private readonly environment: OpenEnvironment;
  /** Copies for long dry runs; null until a dry run takes long. */
  private copies: Trials | null = null;
  private readonly running = new Set<Promise<void>>();

  /** `calculator`: the calculator of the document's writes. */
  constructor(calculator: Calculator, environment: OpenEnvironment) {
    this.calculator = calculator;
    this.environment = environment;
  }

  get isIdle(): boolean {
    return this.running.size === 0;
  }

  /** Estimated memory of the copies, in bytes. */
  estimateMemory(state: Snapshot): number {
    return this.copies?.estimateMemory(state) ?? 0;
  }

  /** Frees the copies. Call it only when idle. */
  freeCopies(): void {
    this.copies?.freeCopies();
  }

  /** Records that commits led from one state to another. */
  recordCommits(followed: StateTransition): void {
    this.copies?.recordCommits(followed);
  }

  /** Resolves when the running dry runs have ended. */
  async drain(): Promise<void> {
    await Promise.all(this.running);
  }

  /** Settles the job with the changes that the dry run would make. A long dry run does not delay later writes. */
  runTrial(job: WriteJob, trial: DryRunProposal<unknown>, base: Snapshot, access: AccessBasis): void {
    const { clock, limits, textLimits, threads, graphs } = this.environment;
    const writer = { writer: trial.author.userId, rights: access.rights };
    const context = createCalculationContext(clock(), limits, writer, textLimits);
    const { edits, tested = null, read = null, form = 'cells', details = null, window = null } = trial;
    const tried = { edits, tested, read, form, details, window };
    const result = this.calculator.tryPreview(base, tried, context);
    if (result !== null) return this.settleJobWithPreview(job, trial, result);
    if (threads === undefined) throw new Error('Without threads a trial must complete synchronously');
    this.copies ??= new Trials(threads.pool, graphs);
    const running = this.copies.previewBatch(base, tried, context, findPayer(job, access)).then(
      (preview) => this.settleJobWithPreview(job, trial, preview),
      (error: unknown) => job.reject(error),
    );
    this.running.add(running);
    void running.finally(() => this.running.delete(running));
  }

  /** Answers the job of a dry run with its preview or its refusal. */
  private settleJobWithPreview(
    job: WriteJob,
    trial: DryRunProposal<unknown>,
    preview: Preview | Refusal | UnfinishedBatch,
  ): void {
    try {
      if (!('kind' in preview)) job.resolve({ kind: 'declined', reason: trial.show(preview) });
      else if (preview.kind === 'refusal') job.resolve(preview);
      else resolveUnfinishedTrial(job, preview, this.environment);
    } catch (error) {
      job.reject(error);
    }
  }
}

/**
 * Settles a job whose calculation did not end, because no thread was available or because of a failure, which is
 * reported.
 */
export function resolveUnfinishedTrial(
  job: WriteJob,
  { error }: UnfinishedBatch,
  { onError }: Pick<OpenEnvironment, 'onError'>,
): void {
  if (error !== null) onError('calculation', error);
  job.resolve({ kind: 'busy' });
}
