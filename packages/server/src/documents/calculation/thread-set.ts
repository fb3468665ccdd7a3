import { setTimeout } from 'node:timers/promises';
import { AdmissionQueue, type AdmissionRequest, type ConsumptionMeter, haveSourcesChanged } from '@cellwire/event-loop';
import { CalculationWorker, type EndedTask, type WorkerBounds } from './worker.ts';

/** Numbers of working and waiting threads. */
export interface ThreadCounts {
  readonly busy: number;
  readonly idle: number;
  /** Threads that ended during a task, by reason. */
  readonly ended: Readonly<Record<'deadline' | 'memory' | 'crash', number>>;
}

/** A request for a thread. */
export interface ThreadClaim extends AdmissionRequest {
  readonly user: number | null;
  /**
   * The thread that already holds the document; null: none. The task runs there unless that thread stays busy for too
   * long.
   */
  readonly home?: CalculationWorker | null;
}

/** How long a task waits for its document's own thread before it takes another one, in milliseconds. */
const HOME_WAIT_MS = 250;
/** A task of at least this expected time moves its document to a thread with fewer documents, in milliseconds. */
const MOVED_TASK_MS = 5;
const BUSY: EndedTask = { kind: 'ended', why: 'busy', error: null };

/** Threads of one kind. A task has a thread to itself. `AdmissionQueue` decides which task runs next. */
export class ThreadSet {
  private readonly queue: AdmissionQueue;
  private readonly workers: readonly CalculationWorker[];
  /** Threads in use, each with a promise that resolves when the thread is free. */
  private readonly inUse = new Map<CalculationWorker, PromiseWithResolvers<void>>();

  constructor(threads: number, bounds: WorkerBounds, meter: ConsumptionMeter) {
    this.queue = new AdmissionQueue({ places: threads }, meter);
    this.workers = Array.from({ length: threads }, () => new CalculationWorker(bounds));
  }

  /** Number of tasks waiting for a thread. */
  get waiting(): number {
    return this.queue.length;
  }

  countThreads(): ThreadCounts {
    const countWorkers = (isCounted: (worker: CalculationWorker) => boolean) => this.workers.filter(isCounted).length;
    const sumEnded = (why: keyof CalculationWorker['endedTasks']) =>
      this.workers.reduce((total, { endedTasks }) => total + endedTasks[why], 0);
    return {
      busy: this.inUse.size,
      idle: countWorkers((worker) => worker.isStarted && !this.inUse.has(worker)),
      ended: {
        deadline: sumEnded('deadline'),
        memory: sumEnded('memory') + sumEnded('full'),
        crash: sumEnded('crash'),
      },
    };
  }

  /** Runs a task in its own thread. Resolves with `EndedTask` (`busy`) if too many tasks wait. */
  async runTask<T>(claim: ThreadClaim, task: (worker: CalculationWorker) => Promise<T>): Promise<T | EndedTask> {
    const { home = null } = claim;
    const admission = await this.queue.enter({ ...claim, mustWait: () => home !== null && this.inUse.has(home) });
    if (admission === null) return BUSY;
    const worker = await this.takeThread(claim);
    const { life, worked } = worker;
    const start = performance.now();
    try {
      return await task(worker);
    } finally {
      const elapsed = performance.now() - start;
      // The processor time of an ended thread is no longer available.
      const consumed = worker.life === life ? worker.worked - worked : elapsed;
      this.releaseThread(worker);
      admission.leave(consumed);
    }
  }

  /** Refuses waiting and later tasks. */
  refuseTasks(): void {
    this.queue.close();
  }

  async close(): Promise<void> {
    this.refuseTasks();
    await Promise.all(this.workers.map((worker) => worker.close()));
  }

  /**
   * A free thread for the task, which may wait for the thread that has its document. The queue admits as many tasks as
   * there are threads, so one is free.
   */
  private async takeThread(claim: ThreadClaim): Promise<CalculationWorker> {
    const { home = null, user } = claim;
    if (home !== null && !this.shouldMove(home, claim)) {
      const other = this.findLessLoaded(home, claim);
      if (other !== null) return this.occupyThread(other);
      await this.waitUntilFree(home);
      // Another task may have taken it first.
      if (!this.inUse.has(home)) return this.occupyThread(home);
    }
    const free = this.workers.filter((worker) => !this.inUse.has(worker));
    const [first] = free;
    if (first === undefined) throw new Error('A task was admitted without a thread');
    return this.occupyThread(
      free.reduce((best, one) => (rankFreeThread(one, user) < rankFreeThread(best, user) ? one : best), first),
    );
  }

  /**
   * A long task should leave a thread that holds documents of other users if another thread is available. Otherwise the
   * tasks of those users would have to move repeatedly.
   */
  private shouldMove(home: CalculationWorker, { user, expectedMs }: ThreadClaim): boolean {
    if (expectedMs < HOME_WAIT_MS || countOtherDocuments(home, user) === 0) return false;
    return this.workers.some(
      (worker) => !this.inUse.has(worker) && canStart(worker) && countOtherDocuments(worker, user) === 0,
    );
  }

  /**
   * A free thread for a document whose own thread is busy; null: the task should wait. Without this, the documents of a
   * user who began alone would all stay in one thread. The thread must hold at least two documents fewer, so documents
   * do not move back. It must not be one more than the user may occupy, or hold documents of others.
   */
  private findLessLoaded(home: CalculationWorker, { user, expectedMs }: ThreadClaim): CalculationWorker | null {
    if (expectedMs < MOVED_TASK_MS || !this.inUse.has(home)) return null;
    const own = this.workers.filter((worker) => worker.documents.size > countOtherDocuments(worker, user));
    const mayAdd = own.length < this.workers.length / 2;
    const candidates = this.workers.filter(
      (worker) =>
        !this.inUse.has(worker) &&
        canStart(worker) &&
        countOtherDocuments(worker, user) === 0 &&
        worker.documents.size + 2 <= home.documents.size &&
        (mayAdd || own.includes(worker)),
    );
    return candidates.toSorted((a, b) => rankFreeThread(a, user) - rankFreeThread(b, user))[0] ?? null;
  }

  /** Resolves when the thread is free, or has been busy for too long. */
  private async waitUntilFree(worker: CalculationWorker): Promise<void> {
    const busy = this.inUse.get(worker);
    if (busy === undefined) return;
    await Promise.race([busy.promise, setTimeout(HOME_WAIT_MS, undefined, { ref: false })]);
  }

  /** Marks the thread as in use. */
  private occupyThread(worker: CalculationWorker): CalculationWorker {
    this.inUse.set(worker, Promise.withResolvers());
    return worker;
  }

  /** Marks the thread as free and wakes callers that wait for it. */
  private releaseThread(worker: CalculationWorker): void {
    const busy = this.inUse.get(worker);
    this.inUse.delete(worker);
    busy?.resolve();
  }
}

/**
 * Whether a worker has a running thread or may start one. No thread is started after the program files have changed.
 */
function canStart(worker: CalculationWorker): boolean {
  return worker.isStarted || !haveSourcesChanged();
}

/** Number of documents of other users in a thread. */
function countOtherDocuments({ documents }: CalculationWorker, user: number | null): number {
  return [...documents.values()].filter((owner) => owner !== user).length;
}

/**
 * Rank of a free thread for a user's task; lower is better. A thread with documents of other users comes last, because
 * their next tasks might have to move. A new thread is started only if no other choice remains.
 */
function rankFreeThread(worker: CalculationWorker, user: number | null): number {
  if (!canStart(worker)) return Number.POSITIVE_INFINITY;
  const others = countOtherDocuments(worker, user);
  if (others > 0) return 2 + others;
  return worker.isStarted ? 0 : 1;
}
