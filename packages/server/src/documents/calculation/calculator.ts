import {
  ChangeSender,
  type Edit,
  type EditOutcome,
  encodeDelta,
  encodeInverse,
  type FormulaWarning,
  fitted,
  type Refusal,
  receiveChange,
  runsOf,
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
import { adoptSealed, COMMIT_KEYS, type StructureText } from '@cellwire/store/stored-forms';
import {
  ADOPTION_MS,
  CALM_WRITES,
  INLINE_WITHOUT_THREADS_MS,
  MAX_CALCULATION_ATTEMPTS,
} from '../../limits/calculation.ts';
import { areasText, rowOrdersText } from '../areas.ts';
import type { GraphCount } from '../environment.ts';
import { type Preview, previewOf, type Tried } from '../preview.ts';
import type { Followed } from '../replica.ts';
import { structureOf } from '../structure.ts';
import type { CalculationContext } from './context.ts';
import { isSmall } from './edit-size.ts';
import { LastStates } from './last-states.ts';
import { packEdits } from './packed-edits.ts';
import type { CalculationPool, InlineBounds } from './pool.ts';
import type { AppliedThere } from './protocol.ts';
import { pooled } from './slabs.ts';
import type { ThreadClaim } from './thread-set.ts';
import { type CalculationWorker, type Ended, isEnded } from './worker.ts';

/** A run of formulas in the graph, and its tree once more in another thread: measured with 50,000. Bytes. */
const GRAPH_RUN_BYTES = 450;
const FORMULA_RUN_BYTES = 2_100;
/** Estimated time of a document's first batch for each run of formulas, in milliseconds: the graph has to be built. */
const EXPECTED_MS_PER_RUN = 0.01;

/** A batch applied to a state, wherever that was done. */
export interface Calculated {
  readonly kind: 'calculated';
  readonly after: Snapshot;
  readonly outcomes: readonly EditOutcome[];
  readonly warnings: readonly FormulaWarning[];
  /** For the log: see `encodeDelta`, `encodeInverse` and `areasText`. */
  readonly delta: Uint8Array;
  readonly inverse: Uint8Array;
  readonly areas: string;
  readonly rowOrders: string | null;
  /** See `structureOf`. */
  readonly structure: StructureText | null;
}

/** The document's copy in a thread. */
interface Home {
  readonly worker: CalculationWorker;
  readonly life: number;
  /** The state that it is at, and those it can go on from. */
  at: Snapshot;
  readonly states: LastStates<Snapshot>;
  /** The last state that the thread has sent. */
  sent: Snapshot;
  /** Batches in a row that took next to nothing. */
  calm: number;
}

/** No thread has finished the batch. It may be sent again: nothing of it is there. */
export interface Unfinished {
  readonly kind: 'unfinished';
  /** Why the last thread did not; null: too many tasks wait for a thread. */
  readonly error: unknown;
}

/** How long a small batch may take in this thread, in milliseconds: longer while no thread could take it over. */
function inlineTime({ milliseconds }: InlineBounds): number {
  return haveSourcesChanged() ? INLINE_WITHOUT_THREADS_MS : milliseconds;
}

const OUTDATED: Ended = { kind: 'ended', why: 'gone', error: new Error('The document changes all the time') };
/** With these, another thread would fail in the same way. */
const FINAL: ReadonlySet<Ended['why']> = new Set(['deadline', 'memory', 'busy']);
const CALCULATION_LIMIT: Refusal = { kind: 'refusal', reason: 'calculationLimit' };

/**
 * Calculates one document's batches: small ones in this thread, for a few milliseconds at most; what takes longer, and
 * from then on all of that document's, in a thread of the pool. One batch at a time.
 */
export class Calculator {
  private readonly pool: CalculationPool | null;
  private readonly document: number;
  private readonly graphs: GraphCount;
  private workbook: Workbook | null = null;
  private home: Home | null = null;
  /** How others led from a state of `home` to one after it. */
  private followedBy: Followed | null = null;
  /** How long the last batch took in a thread, in milliseconds; null: none has been there. */
  private lastMs: number | null = null;
  private readonly hasMemory: HeapCheck;

  /** Without a pool everything is calculated here, for as long as the budget lets it. */
  constructor(pool: CalculationPool | null, graphs: GraphCount) {
    this.pool = pool;
    this.graphs = graphs;
    this.document = pool?.newDocument() ?? 0;
    this.hasMemory = pool === null ? createHeapCheck() : createServingHeapCheck();
  }

  /** Whether a thread holds the document. */
  get isThere(): boolean {
    return this.home !== null && isThere(this.home);
  }

  /** What is held for writers beside the state itself, in bytes, about. */
  memory(state: Snapshot): number {
    if (this.home !== null && isThere(this.home)) return runsOf(state) * (GRAPH_RUN_BYTES + FORMULA_RUN_BYTES);
    return this.workbook === null ? 0 : runsOf(state) * GRAPH_RUN_BYTES;
  }

  /** Lets go of all that only writers need. */
  rest(): void {
    this.workbook = null;
    this.home?.worker.forget(this.document);
    this.home = null;
    this.followedBy = null;
  }

  /**
   * Frees all states before the newest, here and in the thread: each of them keeps cells and formulas that no later one
   * has. For when nothing goes back to them: all that was calculated is on the disk, or was only tried out.
   */
  settle(): void {
    if (this.home === null || this.home.states.length === 1) return;
    this.home.states.settle();
    this.home.worker.settle(this.document);
  }

  /** Somebody else's commits have led from one state to another: a copy in a thread can repeat them. */
  followed({ before, after, deltas }: Followed): void {
    if (this.home !== null && !isThere(this.home)) this.home = null;
    const { home, followedBy, pool } = this;
    if (home === null || pool === null) {
      this.followedBy = null;
      return;
    }
    const goesOn = followedBy?.after === before;
    const way = goesOn
      ? { ...followedBy, after, deltas: [...followedBy.deltas, ...deltas] }
      : { before, after, deltas };
    const bytes = way.deltas.reduce((sum, { length }) => sum + length, 0);
    this.followedBy = bytes <= pool.inline.bytes && home.states.numberOf(way.before) !== null ? way : null;
  }

  /** `user`: whose work the batch is. */
  calculate(
    base: Snapshot,
    edits: readonly Edit[],
    context: CalculationContext,
    user: number | null,
  ): MaybePromise<Calculated | Refusal | Unfinished> {
    const { pool } = this;
    if (pool === null) return this.here(base, edits, context, context.budget.milliseconds);
    // The document's thread is gone, and no other can be started.
    if (haveSourcesChanged() && this.home !== null && !isThere(this.home)) this.home = null;
    if (this.isSmallHere(base, edits, pool.inline)) {
      const done = this.here(base, edits, context, Math.min(inlineTime(pool.inline), context.budget.milliseconds));
      if (done.kind === 'calculated' || done.reason !== 'calculationLimit') return done;
    }
    this.workbook = null;
    return this.there(pool, base, edits, context, user);
  }

  private isSmallHere(base: Snapshot, edits: readonly Edit[], inline: InlineBounds): boolean {
    return this.home === null && isSmall(edits, base, inline) && this.hasSmallGraph(base, inline);
  }

  private hasSmallGraph(base: Snapshot, inline: InlineBounds): boolean {
    return this.workbook?.head.formats === base.formats || runsOf(base) <= inline.runs;
  }

  private here(
    base: Snapshot,
    edits: readonly Edit[],
    context: CalculationContext,
    milliseconds: number,
  ): Calculated | Refusal {
    const workbook = this.workbookAt(base);
    const budget = { ...context.budget, milliseconds, clock: startWorkClock(milliseconds), hasMemory: this.hasMemory };
    const applied = workbook.apply(edits, { ...context, budget });
    if (applied.kind === 'refusal') return applied;
    const { change, outcomes, warnings } = applied;
    const delta = encodeDelta(change, pooled);
    const inverse = encodeInverse(change, pooled);
    const areas = areasText(change, outcomes);
    const rowOrders = rowOrdersText(outcomes);
    const structure = structureOf(edits, { outcomes, before: change.before.sheets, after: change.after.sheets });
    const figures = { outcomes, warnings, delta, inverse, areas, rowOrders, structure };
    return { kind: 'calculated', after: change.after, ...figures };
  }

  /** Whoever made the state: the graph is built once, and follows. */
  private workbookAt(base: Snapshot): Workbook {
    if (this.workbook?.follow(base)) return this.workbook;
    this.workbook = Workbook.open(base);
    this.graphs.built++;
    return this.workbook;
  }

  /** What a batch would change, calculated in this thread; null if that takes too long here. */
  previewHere(base: Snapshot, tried: Tried<readonly Edit[]>, context: CalculationContext): Preview | Refusal | null {
    const inline = this.pool?.inline;
    if (inline && !this.isSmallHere(base, tried.edits, inline)) return null;
    const most = inline ? inlineTime(inline) : Number.POSITIVE_INFINITY;
    const milliseconds = Math.min(most, context.budget.milliseconds);
    const budget = { ...context.budget, milliseconds, clock: startWorkClock(milliseconds), hasMemory: this.hasMemory };
    const applied = this.workbookAt(base).preview(tried.edits, { ...context, budget });
    if (applied.kind === 'applied') return previewOf(applied, tried);
    return inline && applied.reason === 'calculationLimit' ? null : applied;
  }

  /** What a batch would change, calculated in a thread. `user`: whose work it is. */
  async previewThere(
    base: Snapshot,
    { edits, ...question }: Tried<readonly Edit[]>,
    context: CalculationContext,
    user: number | null,
  ): Promise<Preview | Refusal | Unfinished> {
    const { pool } = this;
    if (pool === null) throw new Error('There are no threads');
    const result = await pool.calculate(this.claim(base, user), async (worker) => {
      const home = await this.moveIn(worker, base, user);
      if (isEnded(home)) return home;
      const milliseconds = context.budget.milliseconds + pool.grace;
      const input = { document: this.document, edits: await runInSlices(packEdits(edits)), context, ...question };
      return this.timed(() => worker.run('preview', input, { milliseconds, life: home.life }));
    });
    return isEnded(result) ? unfinished(result) : result;
  }

  private claim(base: Snapshot, user: number | null): ThreadClaim {
    const home = this.home !== null && isThere(this.home) ? this.home.worker : null;
    return { user, home, expectedMs: this.lastMs ?? runsOf(base) * EXPECTED_MS_PER_RUN };
  }

  private async timed<T>(task: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await task();
    } finally {
      this.lastMs = performance.now() - start;
    }
  }

  /** A thread that breaks takes no batch with it: another one is tried. */
  private async there(
    pool: CalculationPool,
    base: Snapshot,
    edits: readonly Edit[],
    context: CalculationContext,
    user: number | null,
  ): Promise<Calculated | Refusal | Unfinished> {
    for (let attempt = 1; ; attempt++) {
      const result = await this.attempt(pool, base, edits, context, user);
      if (!isEnded(result)) return result;
      if (result.why !== 'busy') this.home = null;
      const isFinal = FINAL.has(result.why) || attempt >= MAX_CALCULATION_ATTEMPTS;
      if (isFinal) return unfinished(result);
    }
  }

  private attempt(
    pool: CalculationPool,
    base: Snapshot,
    edits: readonly Edit[],
    context: CalculationContext,
    user: number | null,
  ): Promise<Calculated | Refusal | Ended> {
    return pool.calculate(this.claim(base, user), async (worker) => {
      const home = await this.moveIn(worker, base, user);
      if (isEnded(home)) return home;
      const start = performance.now();
      const milliseconds = context.budget.milliseconds + pool.grace;
      try {
        const input = { document: this.document, edits: await runInSlices(packEdits(edits)), context };
        const result = await this.timed(() => worker.run('apply', input, { milliseconds, life: home.life }));
        if (result.kind !== 'applied') return result;
        // Commits of other processes may have added formats in the meantime, and the thread gives its own other numbers.
        const change = fitted(result.change, home.sent);
        if (change === null) return OUTDATED;
        const calculated = await this.received(home.sent, { ...result, change });
        home.at = calculated.after;
        home.sent = calculated.after;
        home.states.push(calculated.after);
        this.calmDown(pool, home, performance.now() - start);
        return calculated;
      } catch (error) {
        this.rest();
        throw error;
      }
    });
  }

  private async received(sent: Snapshot, { change, ...figures }: AppliedThere): Promise<Calculated> {
    const after = await runInSlices(receiveChange(sent, change));
    const { revision } = after;
    const { areas, structure } = figures;
    const delta = adoptSealed(figures.delta, COMMIT_KEYS.delta(revision), COMMIT_KEYS.texts(areas, structure));
    const inverse = adoptSealed(figures.inverse, COMMIT_KEYS.inverse(revision));
    return { ...figures, kind: 'calculated', after, delta, inverse };
  }

  /** Brings the document's copy in a thread to the state, or makes one there. */
  private async moveIn(worker: CalculationWorker, base: Snapshot, user: number | null): Promise<Home | Ended> {
    const { home, document } = this;
    const isHome = home !== null && isThere(home) && home.worker === worker;
    if (isHome && (home.at === base || (await this.goOn(home, base)))) return home;
    this.rest();
    const whole = await runInSlices(new ChangeSender(null).send(base));
    worker.documents.set(document, user);
    try {
      const options = { milliseconds: ADOPTION_MS };
      const ended = await worker.run('adopt', { document, whole }, options, [whole.places.buffer]);
      if (ended !== null) return ended;
    } catch (error) {
      worker.forget(document);
      throw error;
    }
    this.graphs.built++;
    this.home = { worker, life: worker.life, at: base, states: new LastStates(base), sent: base, calm: 0 };
    return this.home;
  }

  /** Brings a copy to a state that it was at, or that others have made of one it was at. */
  private async goOn(home: Home, base: Snapshot): Promise<boolean> {
    const { followedBy } = this;
    const known = home.states.numberOf(base);
    const before = followedBy?.after === base ? home.states.numberOf(followedBy.before) : null;
    const from = known ?? before;
    if (from === null) return false;
    const deltas = known === null ? (followedBy?.deltas ?? []) : [];
    const options = { milliseconds: ADOPTION_MS, life: home.life };
    if ((await home.worker.run('goOn', { document: this.document, from, deltas }, options)) !== true) return false;
    home.at = base;
    home.states.push(base);
    this.followedBy = null;
    return true;
  }

  /** A document whose batches have become small comes back; its graph is then built here. */
  private calmDown({ inline }: CalculationPool, home: Home, milliseconds: number): void {
    home.calm = milliseconds < inline.milliseconds / 2 ? home.calm + 1 : 0;
    if (home.calm >= CALM_WRITES && runsOf(home.at) <= inline.runs) this.rest();
  }
}

/** Whether the thread that was given the document has not ended. */
function isThere({ worker, life }: Home): boolean {
  return worker.life === life;
}

/** The outcome of a batch without a result. */
function unfinished({ why, error }: Ended): Unfinished | Refusal {
  return why === 'deadline' || why === 'memory' ? CALCULATION_LIMIT : { kind: 'unfinished', error };
}
