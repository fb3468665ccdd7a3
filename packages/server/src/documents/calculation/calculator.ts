import {
  ChangeSender,
  countRuns,
  type Edit,
  type EditOutcome,
  type FormulaWarning,
  fitToReceiver,
  type Refusal,
  receiveChange,
  type Snapshot,
  Workbook,
} from '@cellwire/engine';
import {
  createHeapCheck,
  createServingHeapCheck,
  type HeapCheck,
  haveSourcesChanged,
  type MaybePromise,
  runInSlices,
  startWorkClock,
} from '@cellwire/event-loop';
import { adoptSealedPiece, COMMIT_KEYS, type StructureText } from '@cellwire/store/stored-forms';
import {
  ADOPTION_MS,
  CALM_WRITES,
  INLINE_WITHOUT_THREADS_MS,
  MAX_CALCULATION_ATTEMPTS,
} from '../../limits/calculation.ts';
import type { GraphCount } from '../environment.ts';
import { buildPreview, type DryRun, type Preview } from '../preview.ts';
import type { StateTransition } from '../replica.ts';
import type { CalculationContext } from './context.ts';
import { countChunks, isSmallBatch } from './edit-size.ts';
import { LastStates } from './last-states.ts';
import { encodeForLog, NOT_LOGGED } from './log-parts.ts';
import { packByColumn } from './number-columns.ts';
import { packEdits } from './packed-edits.ts';
import type { CalculationPool, InlineBounds } from './pool.ts';
import type { ThreadBatchResult } from './protocol.ts';
import type { ThreadClaim } from './thread-set.ts';
import { type CalculationWorker, type EndedTask, isEndedTask } from './worker.ts';

/** Bytes of one run of formulas in the graph plus its syntax tree in another thread. Measured with 50,000 runs. */
const GRAPH_RUN_BYTES = 450;
const FORMULA_RUN_BYTES = 2_100;
/**
 * Estimated time of a document's first batch per run of formulas, in milliseconds. The first batch builds the graph.
 */
const EXPECTED_MS_PER_RUN = 0.01;

/** Result of applying a batch to a state, in this thread or another one. */
export interface CalculatedBatch {
  readonly kind: 'calculated';
  readonly after: Snapshot;
  readonly outcomes: readonly EditOutcome[];
  readonly warnings: readonly FormulaWarning[];
  /** For the log; see `encodeDelta`, `encodeInverse` and `formatAreas`. */
  readonly delta: Uint8Array;
  readonly inverse: Uint8Array;
  readonly areas: string;
  readonly rowOrders: string | null;
  /** See `describeStructure`. */
  readonly structure: StructureText | null;
}

/** A thread's copy of the document. */
interface ThreadCopy {
  readonly worker: CalculationWorker;
  readonly life: number;
  /** The current state of the copy, and earlier states to which it can return. */
  current: Snapshot;
  readonly states: LastStates<Snapshot>;
  /** The last state that the thread sent. */
  lastSent: Snapshot;
  /** Number of consecutive batches that took almost no time. */
  quickBatches: number;
}

/** No thread completed the batch. Nothing of it was applied, so it can be sent again. */
export interface UnfinishedBatch {
  readonly kind: 'unfinished';
  /** Why the last thread failed; null: too many tasks were waiting for a thread. */
  readonly error: unknown;
}

/**
 * Time limit of a small batch in this thread, in milliseconds. It is higher while no thread could take the batch over.
 */
function chooseInlineTime({ milliseconds }: InlineBounds): number {
  return haveSourcesChanged() ? INLINE_WITHOUT_THREADS_MS : milliseconds;
}

const OUTDATED: EndedTask = {
  kind: 'ended',
  why: 'gone',
  error: new Error('The document changed during every attempt'),
};
/** For these reasons another thread would fail, too. */
const FINAL: ReadonlySet<EndedTask['why']> = new Set(['deadline', 'memory', 'busy']);
const CALCULATION_LIMIT: Refusal = { kind: 'refusal', reason: 'calculationLimit' };

/**
 * Calculates one document's batches, one at a time. Small batches run in this thread for a few milliseconds at most. If
 * a batch takes longer, it and all later batches of the document run in a thread of the pool.
 */
export class Calculator {
  private readonly pool: CalculationPool | null;
  private readonly document: number;
  private readonly graphs: GraphCount;
  private readonly isLogged: boolean;
  private workbook: Workbook | null = null;
  private copy: ThreadCopy | null = null;
  /** Commits of other processes since a state of `copy`. */
  private followedBy: StateTransition | null = null;
  /** Duration of the last batch in a thread, in milliseconds; null: no batch ran in a thread. */
  private lastMs: number | null = null;
  private readonly hasMemory: HeapCheck;

  /** Without a pool everything is calculated in this thread. `isLogged`: false if nothing is committed; see `NOT_LOGGED`. */
  constructor(pool: CalculationPool | null, graphs: GraphCount, isLogged = true) {
    this.pool = pool;
    this.isLogged = isLogged;
    this.graphs = graphs;
    this.document = pool?.createDocumentId() ?? 0;
    this.hasMemory = pool === null ? createHeapCheck() : createServingHeapCheck();
  }

  /** Whether a thread holds the document. */
  get isInThread(): boolean {
    return this.copy !== null && isAlive(this.copy);
  }

  /** Estimated bytes held for writers in addition to the state itself. */
  estimateMemory(state: Snapshot): number {
    if (this.copy !== null && isAlive(this.copy)) return countRuns(state) * (GRAPH_RUN_BYTES + FORMULA_RUN_BYTES);
    return this.workbook === null ? 0 : countRuns(state) * GRAPH_RUN_BYTES;
  }

  /** Frees everything that only writers need. */
  freeWriterState(): void {
    this.workbook = null;
    this.copy?.worker.forgetDocument(this.document);
    this.copy = null;
    this.followedBy = null;
  }

  /**
   * Frees all states before the newest one, here and in the thread, with the cells and formulas that only they hold.
   * Call it when no write can return to an earlier state: all results are on disk, or were trials.
   */
  forgetOldStates(): void {
    if (this.copy === null || this.copy.states.length === 1) return;
    this.copy.states.forgetOldStates();
    this.copy.worker.forgetOldStates(this.document);
  }

  /**
   * Records that commits of other processes led from one state to another. The thread's copy can repeat these commits.
   */
  recordCommits({ before, after, deltas }: StateTransition): void {
    if (this.copy !== null && !isAlive(this.copy)) this.copy = null;
    const { copy: home, followedBy, pool } = this;
    if (home === null || pool === null) {
      this.followedBy = null;
      return;
    }
    const goesOn = followedBy?.after === before;
    const followed = goesOn
      ? { ...followedBy, after, deltas: [...followedBy.deltas, ...deltas] }
      : { before, after, deltas };
    const bytes = followed.deltas.reduce((sum, { length }) => sum + length, 0);
    this.followedBy =
      bytes <= pool.inline.bytes && home.states.findStateNumber(followed.before) !== null ? followed : null;
  }

  /** Calculates a batch, here or in a thread. `user` is the user who pays for it. */
  calculate(
    base: Snapshot,
    edits: readonly Edit[],
    context: CalculationContext,
    user: number | null,
  ): MaybePromise<CalculatedBatch | Refusal | UnfinishedBatch> {
    const { pool } = this;
    if (pool === null) return this.calculateInline(base, edits, context, context.budget.milliseconds);
    // The document's thread ended, and no other can be started.
    if (haveSourcesChanged() && this.copy !== null && !isAlive(this.copy)) this.copy = null;
    if (this.canCalculateInline(base, edits, pool.inline)) {
      const done = this.calculateInline(
        base,
        edits,
        context,
        Math.min(chooseInlineTime(pool.inline), context.budget.milliseconds),
      );
      if (done.kind === 'calculated' || done.reason !== 'calculationLimit') return done;
    }
    this.workbook = null;
    return this.calculateInThread(pool, base, edits, context, user);
  }

  private canCalculateInline(base: Snapshot, edits: readonly Edit[], inline: InlineBounds): boolean {
    if (this.copy !== null || !isSmallBatch(edits, base, inline)) return false;
    return this.workbook?.head.formats === base.formats || countRuns(base) <= inline.runs;
  }

  private calculateInline(
    base: Snapshot,
    edits: readonly Edit[],
    context: CalculationContext,
    milliseconds: number,
  ): CalculatedBatch | Refusal {
    const workbook = this.getWorkbookAt(base);
    const budget = { ...context.budget, milliseconds, clock: startWorkClock(milliseconds), hasMemory: this.hasMemory };
    const applied = workbook.apply(edits, { ...context, budget });
    if (applied.kind === 'refusal') return applied;
    const { change, outcomes, warnings } = applied;
    const log = this.isLogged ? encodeForLog(edits, applied) : NOT_LOGGED;
    return { kind: 'calculated', after: change.after, outcomes, warnings, ...log };
  }

  /** The graph is built once and then follows every state, no matter which process made it. */
  private getWorkbookAt(base: Snapshot): Workbook {
    if (this.workbook?.follow(base)) return this.workbook;
    this.workbook = Workbook.open(base);
    this.graphs.built++;
    return this.workbook;
  }

  /** What a batch would change, calculated in this thread. Null if this takes too long here. */
  tryPreview(base: Snapshot, dryRun: DryRun<readonly Edit[]>, context: CalculationContext): Preview | Refusal | null {
    const inline = this.pool?.inline;
    if (inline && !this.canCalculateInline(base, dryRun.edits, inline)) return null;
    const most = inline ? chooseInlineTime(inline) : Number.POSITIVE_INFINITY;
    const milliseconds = Math.min(most, context.budget.milliseconds);
    const budget = { ...context.budget, milliseconds, clock: startWorkClock(milliseconds), hasMemory: this.hasMemory };
    const applied = this.getWorkbookAt(base).preview(dryRun.edits, { ...context, budget });
    if (applied.kind === 'applied') return buildPreview(applied, dryRun);
    return inline && applied.reason === 'calculationLimit' ? null : applied;
  }

  /** What a batch would change, calculated in a thread. `user`: the user who pays for it. */
  async previewInThread(
    base: Snapshot,
    { edits, ...question }: DryRun<readonly Edit[]>,
    context: CalculationContext,
    user: number | null,
  ): Promise<Preview | Refusal | UnfinishedBatch> {
    const { pool } = this;
    if (pool === null) throw new Error('There are no threads');
    const result = await pool.calculate(this.createThreadClaim(base, user), async (worker) => {
      const home = await this.moveToThread(worker, base, user);
      if (isEndedTask(home)) return home;
      const milliseconds = context.budget.milliseconds + pool.grace;
      const input = { document: this.document, edits: await runInSlices(packEdits(edits)), context, ...question };
      return this.measureTask(() => worker.runTask('preview', input, { milliseconds, life: home.life }));
    });
    return isEndedTask(result) ? toUnfinishedOutcome(result) : result;
  }

  /** Who pays for a task, which thread has the document, and how long the task will probably take. */
  private createThreadClaim(base: Snapshot, user: number | null): ThreadClaim {
    const home = this.copy !== null && isAlive(this.copy) ? this.copy.worker : null;
    return { user, home, expectedMs: this.lastMs ?? countRuns(base) * EXPECTED_MS_PER_RUN };
  }

  private async measureTask<T>(task: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await task();
    } finally {
      this.lastMs = performance.now() - start;
    }
  }

  /** If a thread crashes, the batch is tried in another one. */
  private async calculateInThread(
    pool: CalculationPool,
    base: Snapshot,
    edits: readonly Edit[],
    context: CalculationContext,
    user: number | null,
  ): Promise<CalculatedBatch | Refusal | UnfinishedBatch> {
    for (let attempt = 1; ; attempt++) {
      const result = await this.runInThread(pool, base, edits, context, user);
      if (!isEndedTask(result)) return result;
      if (result.why !== 'busy') this.copy = null;
      const isFinal = FINAL.has(result.why) || attempt >= MAX_CALCULATION_ATTEMPTS;
      if (isFinal) return toUnfinishedOutcome(result);
    }
  }

  private runInThread(
    pool: CalculationPool,
    base: Snapshot,
    edits: readonly Edit[],
    context: CalculationContext,
    user: number | null,
  ): Promise<CalculatedBatch | Refusal | EndedTask> {
    return pool.calculate(this.createThreadClaim(base, user), async (worker) => {
      const home = await this.moveToThread(worker, base, user);
      if (isEndedTask(home)) return home;
      const { document, isLogged } = this;
      const milliseconds = context.budget.milliseconds + pool.grace;
      try {
        const input = { document, edits: await runInSlices(packByColumn(edits)), context, isLogged };
        const answer = await this.measureTask(() => worker.runTask('apply', input, { milliseconds, life: home.life }));
        if (answer.kind !== 'applied') return answer;
        const { cpuMs, ...result } = answer;
        // Other processes may have added formats meanwhile, so the thread's format numbers can differ from ours.
        const change = fitToReceiver(result.change, home.lastSent);
        if (change === null) return OUTDATED;
        const calculated = await this.receiveResult(home.lastSent, { ...result, change });
        home.current = calculated.after;
        home.lastSent = calculated.after;
        home.states.addState(calculated.after);
        this.returnDocumentIfSmall(pool, home, cpuMs);
        return calculated;
      } catch (error) {
        this.freeWriterState();
        throw error;
      }
    });
  }

  private async receiveResult(
    base: Snapshot,
    { change, ...figures }: Omit<ThreadBatchResult, 'cpuMs'>,
  ): Promise<CalculatedBatch> {
    const after = await runInSlices(receiveChange(base, change));
    if (!this.isLogged) return { ...figures, kind: 'calculated', after };
    const { revision } = after;
    const { areas, structure } = figures;
    const delta = adoptSealedPiece(figures.delta, COMMIT_KEYS.delta(revision), COMMIT_KEYS.texts(areas, structure));
    const inverse = adoptSealedPiece(figures.inverse, COMMIT_KEYS.inverse(revision));
    return { ...figures, kind: 'calculated', after, delta, inverse };
  }

  /** Brings the thread's copy to the given state, or creates the copy. */
  private async moveToThread(
    worker: CalculationWorker,
    base: Snapshot,
    user: number | null,
  ): Promise<ThreadCopy | EndedTask> {
    const { copy: home, document } = this;
    const isHome = home !== null && isAlive(home) && home.worker === worker;
    if (isHome && (home.current === base || (await this.bringCopyToState(home, base)))) return home;
    this.freeWriterState();
    const whole = await runInSlices(new ChangeSender(null).send(base));
    worker.documents.set(document, user);
    try {
      const options = { milliseconds: ADOPTION_MS };
      const ended = await worker.runTask('adopt', { document, whole }, options, [whole.places.buffer]);
      if (ended !== null) return ended;
    } catch (error) {
      worker.forgetDocument(document);
      throw error;
    }
    this.graphs.built++;
    const states = new LastStates(base);
    this.copy = { worker, life: worker.life, current: base, states, lastSent: base, quickBatches: 0 };
    return this.copy;
  }

  /** Brings a copy to one of its earlier states, or to a state that other processes derived from one. */
  private async bringCopyToState(home: ThreadCopy, base: Snapshot): Promise<boolean> {
    const { followedBy } = this;
    const number = home.states.findStateNumber(base);
    const before = followedBy?.after === base ? home.states.findStateNumber(followedBy.before) : null;
    const from = number ?? before;
    if (from === null) return false;
    const deltas = number === null ? (followedBy?.deltas ?? []) : [];
    const options = { milliseconds: ADOPTION_MS, life: home.life };
    if ((await home.worker.runTask('continueFrom', { document: this.document, from, deltas }, options)) !== true)
      return false;
    home.current = base;
    home.states.addState(base);
    this.followedBy = null;
    return true;
  }

  /**
   * Moves a document back to this thread when its batches have become small. Its graph is then built here, and a later
   * large batch sends its chunks to a thread again. The cheaper this is, the sooner it moves.
   */
  private returnDocumentIfSmall({ inline }: CalculationPool, home: ThreadCopy, cpuMs: number): void {
    home.quickBatches = cpuMs < inline.milliseconds / 2 ? home.quickBatches + 1 : 0;
    const runs = countRuns(home.current);
    if (runs > inline.runs || home.quickBatches === 0) return;
    if (home.quickBatches >= Math.min(CALM_WRITES, runs + countChunks(home.current))) this.freeWriterState();
  }
}

/** Whether the thread that received the document is still running. */
function isAlive({ worker, life }: ThreadCopy): boolean {
  return worker.life === life;
}

/** The outcome of a batch that has no result. */
function toUnfinishedOutcome({ why, error }: EndedTask): UnfinishedBatch | Refusal {
  return why === 'deadline' || why === 'memory' ? CALCULATION_LIMIT : { kind: 'unfinished', error };
}
