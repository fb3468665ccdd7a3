import { getHeapStatistics } from 'node:v8';
import { ConsumptionMeter } from '@cellwire/event-loop';
import { StoreError } from '@cellwire/store';
import {
  CALCULATION_GRACE_MS,
  IDLE_THREAD_MS,
  INLINE_CALCULATION_MS,
  INLINE_FORMULA_VALUES,
  INLINE_LOAD_BYTES,
  INLINE_RUNS,
  INLINE_VALUES,
  LOADING_MS,
  READING_THREADS,
  THREAD_HEAP_SHARE,
} from '../../limits/calculation.ts';
import { INLINE_BASE_BYTES } from '../../limits/documents.ts';
import type { CalculationTaskName, CalculationTasks } from './protocol.ts';
import { type ThreadClaim, type ThreadCounts, ThreadSet } from './thread-set.ts';
import { type CalculationWorker, type EndedTask, isEndedTask, type WorkerBounds } from './worker.ts';

/** Upper bounds of work done in the serving thread. */
export interface InlineBounds {
  /** Per batch. */
  readonly milliseconds: number;
  /** Values entered by one batch; a formula counts as several. */
  readonly values: number;
  readonly formulaValues: number;
  /** Runs of formulas in a graph to build. */
  readonly runs: number;
  /** Size of a stored form that is read or written, in bytes. */
  readonly bytes: number;
  /** Memory of a document whose log and chunks are scanned to decide whether to retain a checkpoint, in bytes. */
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

/** Conditions that end a thread and free all that it holds. */
export interface ThreadBounds extends WorkerBounds {
  /** Time that the thread has worked beyond the calculation's own budget, in milliseconds. */
  readonly grace: number;
}

const BOUNDS: ThreadBounds = {
  grace: CALCULATION_GRACE_MS,
  idle: IDLE_THREAD_MS,
  heap: getHeapStatistics().heap_size_limit * THREAD_HEAP_SHARE,
};

interface PoolOptions extends Partial<ThreadBounds> {
  /** Shared with other work that counts against the same users. */
  readonly meter?: ConsumptionMeter;
}

/**
 * Threads for calculations, and separate threads for reading and writing stored forms, so that the latter never wait
 * for a calculation.
 */
export class CalculationPool {
  readonly inline: InlineBounds;
  readonly grace: number;
  private readonly calculating: ThreadSet;
  private readonly reading: ThreadSet;
  private lastDocument = 0;

  /** `threads`: maximum parallel calculations. One user gets at most half of them. */
  constructor(threads: number, inline: InlineBounds = INLINE, options: PoolOptions = {}) {
    const { grace, meter = new ConsumptionMeter(), ...ends } = { ...BOUNDS, ...options };
    this.inline = inline;
    this.grace = grace;
    this.calculating = new ThreadSet(threads, ends, meter);
    this.reading = new ThreadSet(READING_THREADS, ends, meter);
  }

  /** Number of tasks waiting for a thread. */
  get waiting(): number {
    return this.calculating.waiting + this.reading.waiting;
  }

  /** Returns a new id that identifies a document in threads. */
  createDocumentId(): number {
    return ++this.lastDocument;
  }

  /** Runs tasks one after another in a calculating thread. */
  calculate<T>(claim: ThreadClaim, task: (worker: CalculationWorker) => Promise<T>): Promise<T | EndedTask> {
    return this.calculating.runTask(claim, task);
  }

  /**
   * Runs a task in a thread that reads and writes stored forms. Rejects with the `StoreError` `OVERLOADED` if too many
   * tasks of the user wait.
   */
  async runReadTask<N extends CalculationTaskName>(
    name: N,
    input: CalculationTasks[N]['input'],
    claim: ThreadClaim,
    transfer: readonly ArrayBufferLike[] = [],
  ): Promise<CalculationTasks[N]['result'] | EndedTask> {
    const task = (worker: CalculationWorker) => worker.runTask(name, input, { milliseconds: LOADING_MS }, transfer);
    return requireAdmitted(await this.reading.runTask(claim, task));
  }

  /** Refuses waiting and later calculations, because the service shuts down. */
  refuseTasks(): void {
    this.calculating.refuseTasks();
  }

  countThreads(): ThreadCounts {
    const [one, other] = [this.calculating.countThreads(), this.reading.countThreads()];
    return {
      busy: one.busy + other.busy,
      idle: one.idle + other.idle,
      ended: {
        deadline: one.ended.deadline + other.ended.deadline,
        memory: one.ended.memory + other.ended.memory,
        crash: one.ended.crash + other.ended.crash,
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.calculating, this.reading].map((threads) => threads.close()));
  }
}

/** Returns the result. Throws the `StoreError` `OVERLOADED` if the task was not admitted. */
export function requireAdmitted<T>(result: T): T {
  if (isEndedTask(result) && result.why === 'busy') {
    throw new StoreError('Too many tasks wait for a thread', 'OVERLOADED');
  }
  return result;
}
