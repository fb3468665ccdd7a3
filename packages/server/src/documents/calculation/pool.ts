import { getHeapStatistics } from 'node:v8';
import {
  CALCULATION_GRACE_MS,
  IDLE_THREAD_MS,
  INLINE_BASE_BYTES,
  INLINE_CALCULATION_MS,
  INLINE_FORMULA_VALUES,
  INLINE_LOAD_BYTES,
  INLINE_RUNS,
  INLINE_VALUES,
  THREAD_HEAP_SHARE,
} from '../../limits/limits.ts';
import { CalculationWorker } from './worker.ts';

/** What is small enough for the thread that serves. */
export interface InlineBounds {
  /** For one batch. */
  readonly milliseconds: number;
  /** Entered by one batch; a formula counts as several. */
  readonly values: number;
  readonly formulaValues: number;
  /** Runs of formulas whose graph is built. */
  readonly runs: number;
  /** Stored form that is read or written. */
  readonly bytes: number;
  /** Memory of a document whose log and chunks are looked over, to find out whether a checkpoint of it is kept. */
  readonly baseBytes: number;
}

const INLINE: InlineBounds = {
  milliseconds: INLINE_CALCULATION_MS,
  values: INLINE_VALUES,
  formulaValues: INLINE_FORMULA_VALUES,
  runs: INLINE_RUNS,
  bytes: INLINE_LOAD_BYTES,
  baseBytes: INLINE_BASE_BYTES,
};

/** When a thread is ended, with all that it holds. */
export interface ThreadBounds {
  /** It has worked for so long beyond a calculation's own budget, in milliseconds. */
  readonly grace: number;
  /** It had nothing to do for so long, in milliseconds. */
  readonly idle: number;
  /** Its heap would grow beyond this, in bytes. */
  readonly heap: number;
}

const BOUNDS: ThreadBounds = {
  grace: CALCULATION_GRACE_MS,
  idle: IDLE_THREAD_MS,
  heap: getHeapStatistics().heap_size_limit * THREAD_HEAP_SHARE,
};

/** A document's copy is not moved away from a thread that has been busy for less, in milliseconds. */
const PATIENCE_MS = 100;

/** The threads that calculate, and one that reads and writes stored forms, which never waits for a calculation. */
export class CalculationPool {
  readonly librarian: CalculationWorker;
  readonly inline: InlineBounds;
  readonly grace: number;
  private readonly workers: readonly CalculationWorker[];
  private lastDocument = 0;

  constructor(threads: number, inline: InlineBounds = INLINE, bounds: Partial<ThreadBounds> = {}) {
    const { grace, ...ends } = { ...BOUNDS, ...bounds };
    this.inline = inline;
    this.grace = grace;
    this.librarian = new CalculationWorker(ends);
    this.workers = Array.from({ length: threads }, () => new CalculationWorker(ends));
  }

  /** A name for a document in threads. */
  newDocument(): number {
    return ++this.lastDocument;
  }

  /** The thread with the least to do. `home`: where the document is; it stays unless it would have to wait there. */
  choose(home: CalculationWorker | null): CalculationWorker {
    if (home !== null && home.busyFor < PATIENCE_MS) return home;
    const least = this.workers.reduce((best, one) => (hasLess(one, best) ? one : best));
    return home !== null && least.load >= home.load ? home : least;
  }

  async close(): Promise<void> {
    await Promise.all([this.librarian, ...this.workers].map((worker) => worker.close()));
  }
}

function hasLess(a: CalculationWorker, b: CalculationWorker): boolean {
  return a.load === b.load ? a.documents.size < b.documents.size : a.load < b.load;
}
