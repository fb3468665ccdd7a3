import type { Consumer, ConsumptionMeter } from './consumption.ts';
import { MAX_WAITING_TASKS, MAX_WAITING_TASKS_PER_USER } from './limits.ts';

/** A task that requests a place in an `AdmissionQueue`. */
export interface AdmissionRequest {
  /** The user for whom the task works. */
  readonly user: Consumer;
  /** Estimated processor time, in milliseconds. */
  readonly expectedMs: number;
  /** Returns true if the task cannot start now, because it needs something that a running task uses. */
  readonly mustWait?: () => boolean;
  /** True for a large task. Large tasks may occupy only `largePlaces` of the places. */
  readonly isLarge?: boolean;
  /**
   * True for a background task. It is accepted even if the queue is full; the caller must limit the number of these
   * tasks.
   */
  readonly isBackground?: boolean;
  /** If it is aborted, the task is removed from the queue. */
  readonly signal?: AbortSignal;
}

/** A place that a running task occupies. */
export interface Admission {
  /** Releases the place. `workedMs` is the processor time that the task used, in milliseconds. */
  leave(workedMs: number): void;
}

interface AdmissionBounds {
  /** Maximum number of running tasks. */
  readonly places: number;
  /** Maximum number of large tasks among them; the default is `places`. */
  readonly largePlaces?: number;
  /** Maximum number of waiting tasks of all users, and of one user. The defaults are in `limits.ts`. */
  readonly waiting?: number;
  readonly waitingPerUser?: number;
}

interface RunningTask {
  readonly request: AdmissionRequest;
  /** Start of the wait or of the run, by the clock of `performance.now()`, in milliseconds. */
  readonly since: number;
}

interface QueuedTask extends RunningTask {
  readonly onAbort: () => void;
  readonly resolve: (admission: Admission | null) => void;
}

interface RankedTask {
  readonly task: QueuedTask;
  /** The result of `AdmissionQueue.computeRank`, in milliseconds. */
  readonly rank: number;
}

/**
 * Runs a limited number of tasks at a time. One user gets at most half of the places (`hasPlace`). The waiting task
 * whose user has consumed the least processor time runs first. The estimated time of a task counts as consumed until
 * the task has waited for that long, so that short tasks overtake long ones.
 */
export class AdmissionQueue {
  private readonly bounds: Required<AdmissionBounds>;
  private readonly meter: ConsumptionMeter;
  private readonly running = new Set<RunningTask>();
  private waiting: readonly QueuedTask[] = [];
  private closed = false;

  /** `meter`: queues with the same meter share the consumption of their users. */
  constructor(bounds: AdmissionBounds, meter: ConsumptionMeter) {
    const waiting = { waiting: MAX_WAITING_TASKS, waitingPerUser: MAX_WAITING_TASKS_PER_USER };
    this.bounds = { largePlaces: bounds.places, ...waiting, ...bounds };
    this.meter = meter;
  }

  /** Number of waiting tasks. */
  get length(): number {
    return this.waiting.length;
  }

  /** Resolves to a place, or to null if too many tasks wait, the signal is aborted, or the queue is closed. */
  enter(request: AdmissionRequest): Promise<Admission | null> {
    if (this.closed || request.signal?.aborted || this.isFull(request)) return Promise.resolve(null);
    return new Promise((resolve) => {
      const task: QueuedTask = { request, since: performance.now(), resolve, onAbort: () => this.cancelTask(task) };
      request.signal?.addEventListener('abort', task.onAbort, { once: true });
      this.waiting = [...this.waiting, task];
      this.admitWaiting();
    });
  }

  /** Refuses all waiting tasks and all later requests. Running tasks keep their places. */
  close(): void {
    this.closed = true;
    for (const task of this.waiting) this.cancelTask(task);
  }

  /** True if too many tasks wait, of this user or in total. Background tasks may always wait. */
  private isFull({ user, isBackground = false }: AdmissionRequest): boolean {
    if (isBackground || this.waiting.length === 0) return false;
    const waitingOfUser = this.waiting.filter(({ request }) => request.user === user && !request.isBackground).length;
    return waitingOfUser >= this.bounds.waitingPerUser || this.waiting.length >= this.bounds.waiting;
  }

  private cancelTask(task: QueuedTask): void {
    this.removeTask(task);
    task.resolve(null);
  }

  private removeTask(task: QueuedTask): void {
    task.request.signal?.removeEventListener('abort', task.onAbort);
    this.waiting = this.waiting.filter((other) => other !== task);
  }

  /** Starts waiting tasks while there are free places. */
  private admitWaiting(): void {
    for (let next = this.takeNext(); next !== null; next = this.takeNext()) {
      this.removeTask(next);
      const running: RunningTask = { request: next.request, since: performance.now() };
      this.running.add(running);
      next.resolve({ leave: (workedMs) => this.leave(running, workedMs) });
    }
  }

  private leave(running: RunningTask, workedMs: number): void {
    if (!this.running.delete(running)) return;
    this.meter.add(running.request.user, workedMs);
    this.admitWaiting();
  }

  /** The waiting task that may run first; null if none may. The caller removes it. */
  private takeNext(): QueuedTask | null {
    if (this.waiting.length === 0 || this.running.size >= this.bounds.places) return null;
    const now = performance.now();
    const ranked = this.waiting
      .filter(({ request }) => this.canRun(request))
      .map((task) => ({ task, rank: this.computeRank(task, now) }));
    const best = findFirstRanked(ranked);
    if (best === null || best.request.mustWait?.() !== true) return best;
    // If the first task must wait, its place would stay unused. Another task of the same user may use it without
    // disadvantage for other users.
    const ready = ranked.filter(({ task: { request } }) => request.user === best.request.user && !request.mustWait?.());
    return findFirstRanked(ready) ?? best;
  }

  /** True if a place is free that this user may take, and one for large tasks if the task is large. */
  private canRun({ user, isLarge = false }: AdmissionRequest): boolean {
    const running = [...this.running].map(({ request }) => request);
    const runningOfUser = running.filter((other) => other.user === user);
    if (!hasPlace(this.bounds.places, running.length, runningOfUser.length)) return false;
    if (!isLarge) return true;
    const areLarge = (requests: readonly AdmissionRequest[]) => requests.filter((other) => other.isLarge).length;
    return hasPlace(this.bounds.largePlaces, areLarge(running), areLarge(runningOfUser));
  }

  /**
   * Returns the time that the user has consumed, including running tasks, plus the estimate for this task; in
   * milliseconds.
   */
  private computeRank({ request: { user, expectedMs }, since }: QueuedTask, now: number): number {
    let running = 0;
    for (const other of this.running) if (other.request.user === user) running += now - other.since;
    return this.meter.readConsumption(user, now) + running + Math.max(0, expectedMs - (now - since));
  }
}

/**
 * True if a user who occupies `ownPlaces` places may occupy another one. The first place of a user only needs to be
 * free. For each further place, at least as many places must be free as the user already occupies. One user therefore
 * gets at most half of the places, and the next user at most half of the rest.
 */
function hasPlace(places: number, takenPlaces: number, ownPlaces: number): boolean {
  const free = places - takenPlaces;
  return ownPlaces === 0 ? free > 0 : ownPlaces + 2 <= free;
}

/** Returns the task with the lowest rank; if several have it, the oldest. Null if no task waits. */
function findFirstRanked(ranked: readonly RankedTask[]): QueuedTask | null {
  let first: RankedTask | null = null;
  for (const one of ranked) if (first === null || one.rank < first.rank) first = one;
  return first?.task ?? null;
}
