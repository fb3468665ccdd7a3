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
import { inSlices } from '../../event-loop/slices.ts';
import type { Soon } from '../../event-loop/soon.ts';
import { workClock } from '../../event-loop/work-clock.ts';
import { ADOPTION_MS, CALM_WRITES, MAX_CALCULATION_ATTEMPTS } from '../../limits/limits.ts';
import type { StructureText } from '../../store/commits.ts';
import { areasText } from '../areas.ts';
import { type Preview, previewOf, type Tried } from '../preview.ts';
import type { Followed } from '../replica.ts';
import { structureOf } from '../structure.ts';
import { isSmall } from './edit-size.ts';
import { LastStates } from './last-states.ts';
import { packEdits } from './packed-edits.ts';
import type { CalculationPool, InlineBounds } from './pool.ts';
import type { AppliedThere, CalculationContext } from './protocol.ts';
import { type CalculationWorker, type Ended, isEnded } from './worker.ts';

/** A run of formulas in the graph, and its tree once more in another thread: measured with 50,000. Bytes. */
const GRAPH_RUN_BYTES = 450;
const FORMULA_RUN_BYTES = 2_100;

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
  /** See `structureOf`. */
  readonly structure: StructureText | null;
}

/** Formula graphs that were built in a process, for all that wants to know. */
export interface GraphCount {
  built: number;
}

/** The document's copy in a thread. */
interface Home {
  readonly worker: CalculationWorker;
  readonly life: number;
  /** The state that it is at, and those it can go on from. */
  at: Snapshot;
  readonly states: LastStates<Snapshot>;
  /** The state that the thread has told of last. */
  told: Snapshot;
  /** Batches in a row that took next to nothing. */
  calm: number;
}

/** No thread brought the batch to its end. It may be sent again: nothing of it is there. */
export interface Unfinished {
  readonly kind: 'unfinished';
  /** Why the last one did not. */
  readonly error: unknown;
}

const OUTDATED: Ended = { kind: 'ended', why: 'gone', error: new Error('The document changes all the time') };
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

  /** Without a pool everything is calculated here, for as long as the budget lets it. */
  constructor(pool: CalculationPool | null, graphs: GraphCount) {
    this.pool = pool;
    this.graphs = graphs;
    this.document = pool?.newDocument() ?? 0;
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
   * All that was calculated is on the disk: nothing goes back to a state before the newest, and each of them may hold
   * formulas, compiled and as texts, that no later one has.
   */
  settle(): void {
    if (this.home === null || this.home.states.length === 1) return;
    this.home.states.settle();
    this.home.worker.settle(this.document);
  }

  /** Somebody else's commits have led from one state to another: a copy in a thread can repeat them. */
  followed({ before, after, deltas }: Followed): void {
    const { home, followedBy, pool } = this;
    if (home === null || pool === null) return;
    const goesOn = followedBy?.after === before;
    const way = goesOn
      ? { ...followedBy, after, deltas: [...followedBy.deltas, ...deltas] }
      : { before, after, deltas };
    const bytes = way.deltas.reduce((sum, { length }) => sum + length, 0);
    this.followedBy = bytes <= pool.inline.bytes && home.states.numberOf(way.before) !== null ? way : null;
  }

  /** `user`: whose the batch is, for turns among those who wait. */
  calculate(
    base: Snapshot,
    edits: readonly Edit[],
    context: CalculationContext,
    user: number | null,
  ): Soon<Calculated | Refusal | Unfinished> {
    const { pool } = this;
    if (pool === null) return this.here(base, edits, context, context.budget.milliseconds);
    const { inline } = pool;
    if (this.home === null && isSmall(edits, base, inline) && this.hasSmallGraph(base, inline)) {
      const done = this.here(base, edits, context, Math.min(inline.milliseconds, context.budget.milliseconds));
      if (done.kind === 'calculated' || done.reason !== 'calculationLimit') return done;
    }
    this.workbook = null;
    return this.there(pool, base, edits, context, user);
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
    const budget = { ...context.budget, milliseconds, clock: workClock(milliseconds) };
    const applied = workbook.apply(edits, { ...context, budget });
    if (applied.kind === 'refusal') return applied;
    const { change, outcomes, warnings } = applied;
    const delta = encodeDelta(change, pooled);
    const inverse = encodeInverse(change, pooled);
    const areas = areasText(change, outcomes);
    const structure = structureOf(edits, { outcomes, before: change.before.sheets, after: change.after.sheets });
    return { kind: 'calculated', after: change.after, outcomes, warnings, delta, inverse, areas, structure };
  }

  /** Whoever made the state: the graph is built once, and follows. */
  private workbookAt(base: Snapshot): Workbook {
    if (this.workbook?.follow(base)) return this.workbook;
    this.workbook = Workbook.open(base);
    this.graphs.built++;
    return this.workbook;
  }

  /** What a batch would change; the next one is on top of `base` all the same. */
  preview(
    base: Snapshot,
    tried: Tried<readonly Edit[]>,
    context: CalculationContext,
    user: number | null,
  ): Soon<Preview | Refusal> {
    const { pool } = this;
    const { edits } = tried;
    const inline = pool?.inline;
    const isHere = this.home === null && inline && isSmall(edits, base, inline) && this.hasSmallGraph(base, inline);
    if (pool === null || isHere) {
      const workbook = this.workbookAt(base);
      const milliseconds = Math.min(inline?.milliseconds ?? Number.POSITIVE_INFINITY, context.budget.milliseconds);
      const budget = { ...context.budget, milliseconds, clock: workClock(milliseconds) };
      const applied = workbook.preview(edits, { ...context, budget });
      if (applied.kind === 'applied') return previewOf(applied, tried);
      if (pool === null || applied.reason !== 'calculationLimit') return applied;
    }
    return this.previewThere(pool, base, tried, context, user);
  }

  private async previewThere(
    pool: CalculationPool,
    base: Snapshot,
    { edits, ...question }: Tried<readonly Edit[]>,
    context: CalculationContext,
    user: number | null,
  ): Promise<Preview | Refusal> {
    this.workbook = null;
    const home = await this.moveIn(pool, base, user);
    if (isEnded(home)) return CALCULATION_LIMIT;
    const milliseconds = context.budget.milliseconds + pool.grace;
    const input = { document: this.document, edits: await inSlices(packEdits(edits)), context, ...question };
    const result = await home.worker.run('preview', input, { user, milliseconds, life: home.life });
    return isEnded(result) ? CALCULATION_LIMIT : result;
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
      this.home = null;
      if (result.why === 'deadline' || result.why === 'memory') return CALCULATION_LIMIT;
      if (attempt >= MAX_CALCULATION_ATTEMPTS) return { kind: 'unfinished', error: result.error };
    }
  }

  private async attempt(
    pool: CalculationPool,
    base: Snapshot,
    edits: readonly Edit[],
    context: CalculationContext,
    user: number | null,
  ): Promise<Calculated | Refusal | Ended> {
    const home = await this.moveIn(pool, base, user);
    if (isEnded(home)) return home;
    const start = performance.now();
    const milliseconds = context.budget.milliseconds + pool.grace;
    try {
      const packed = await inSlices(packEdits(edits));
      const input = { document: this.document, edits: packed, context };
      const result = await home.worker.run('apply', input, { user, milliseconds, life: home.life });
      if (result.kind !== 'applied') return result;
      // Other processes' commits may have brought in formats meanwhile, and the thread numbers its own otherwise.
      const change = fitted(result.change, home.told);
      if (change === null) return OUTDATED;
      const calculated = await this.received(home.told, { ...result, change });
      home.at = calculated.after;
      home.told = calculated.after;
      home.states.push(calculated.after);
      this.calmDown(pool, home, performance.now() - start);
      return calculated;
    } catch (error) {
      this.rest();
      throw error;
    }
  }

  private async received(told: Snapshot, { change, ...figures }: AppliedThere): Promise<Calculated> {
    const after = await inSlices(receiveChange(told, change));
    return { ...figures, kind: 'calculated', after };
  }

  /** Brings the document's copy in a thread to the state. */
  private async moveIn(pool: CalculationPool, base: Snapshot, user: number | null): Promise<Home | Ended> {
    const { home, document } = this;
    const held = home !== null && isThere(home) ? home.worker : null;
    const worker = pool.choose(held);
    if (home !== null && worker === held && (home.at === base || (await this.goOn(home, base, user)))) return home;
    this.rest();
    // At once, so that another document that comes meanwhile goes elsewhere; the thread may end until then.
    worker.documents.add(document);
    const whole = await inSlices(new ChangeSender(null).send(base));
    const ended = await worker.run('adopt', { document, whole }, { user, milliseconds: ADOPTION_MS }, [
      whole.places.buffer,
    ]);
    if (ended !== null) return ended;
    worker.documents.add(document);
    this.graphs.built++;
    this.home = { worker, life: worker.life, at: base, states: new LastStates(base), told: base, calm: 0 };
    return this.home;
  }

  /** Brings a copy to a state that it was at, or that others have made of one it was at. */
  private async goOn(home: Home, base: Snapshot, user: number | null): Promise<boolean> {
    const { followedBy } = this;
    const known = home.states.numberOf(base);
    const before = followedBy?.after === base ? home.states.numberOf(followedBy.before) : null;
    const from = known ?? before;
    if (from === null) return false;
    const deltas = known === null ? (followedBy?.deltas ?? []) : [];
    const options = { user, milliseconds: ADOPTION_MS, life: home.life };
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

/** What one piece of memory holds for deltas, and the most that one of them takes of it. Bytes. */
const SLAB_BYTES = 16 * 1024;
const LARGEST_IN_SLAB = 1_024;
/** V8 keeps so few bytes with the array itself, which is the quickest. */
const FEW_BYTES = 64;

let slab = new ArrayBuffer(SLAB_BYTES);
let slabUsed = 0;

/** Small ones share memory: see `BytesRoom`. */
function pooled(length: number): Uint8Array {
  if (length <= FEW_BYTES || length > LARGEST_IN_SLAB) return new Uint8Array(length);
  if (slabUsed + length > SLAB_BYTES) {
    slab = new ArrayBuffer(SLAB_BYTES);
    slabUsed = 0;
  }
  const bytes = new Uint8Array(slab, slabUsed, length);
  slabUsed += length;
  return bytes;
}

/** Whether the thread that was given the document has not ended. */
function isThere({ worker, life }: Home): boolean {
  return worker.life === life;
}
