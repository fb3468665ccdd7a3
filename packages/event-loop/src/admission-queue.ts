import type { Consumer, ConsumptionMeter } from './consumption.ts';
import { MAX_WAITING_TASKS, MAX_WAITING_TASKS_PER_USER } from './limits.ts';

/** A task that asks for a place. */
export interface AdmissionRequest {
  /** The user whose work it is. */
  readonly user: Consumer;
  /** The processor time that it probably takes, in milliseconds. */
  readonly expectedMs: number;
  /** Large tasks may take only `largePlaces` of the places. */
  readonly isLarge?: boolean;
  /** Work in the background is bounded elsewhere: it waits however many tasks wait already. */
  readonly isBackground?: boolean;
  /** Aborted when nobody needs the task any more: it then leaves the queue. */
  readonly signal?: AbortSignal;
}

/** A place that a task has. */
export interface Admission {
  /** Gives the place back. `workedMs`: the processor time that the task has taken, in milliseconds. */
  leave(workedMs: number): void;
}

interface AdmissionBounds {
  /** Tasks that run at once. */
  readonly places: number;
  /** Large tasks among them; all of them unless given. */
  readonly largePlaces?: number;
  /** Tasks of all users, and of one, that may wait; as `limits` says unless given. */
  readonly waiting?: number;
  readonly waitingPerUser?: number;
}

interface RunningTask {
  readonly request: AdmissionRequest;
  readonly since: number;
}

interface QueuedTask extends RunningTask {
  readonly onAbort: () => void;
  readonly resolve: (admission: Admission | null) => void;
}

/**
 * Admits a bounded number of tasks at a time. No user gets more than half of the places, however many tasks they send:
 * see `hasPlace`. Of the tasks that wait, the one whose user has consumed the least comes first. A task that probably
 * takes long stands back behind shorter ones until it has waited for as long as it takes.
 */
export class AdmissionQueue {
  private readonly bounds: Required<AdmissionBounds>;
  private readonly meter: ConsumptionMeter;
  private readonly running = new Set<RunningTask>();
  private waiting: readonly QueuedTask[] = [];
  private closed = false;

  /** `meter` is shared by all queues whose tasks count against each other. */
  constructor(bounds: AdmissionBounds, meter: ConsumptionMeter) {
    const waiting = { waiting: MAX_WAITING_TASKS, waitingPerUser: MAX_WAITING_TASKS_PER_USER };
    this.bounds = { largePlaces: bounds.places, ...waiting, ...bounds };
    this.meter = meter;
  }

  /** Tasks that wait for a place. */
  get length(): number {
    return this.waiting.length;
  }

  /** Resolves with a place; with null if too many tasks wait already, the signal is aborted, or the queue is closed. */
  enter(request: AdmissionRequest): Promise<Admission | null> {
    if (this.closed || request.signal?.aborted || this.isFull(request)) return Promise.resolve(null);
    return new Promise((resolve) => {
      const task: QueuedTask = { request, since: performance.now(), resolve, onAbort: () => this.cancel(task) };
      request.signal?.addEventListener('abort', task.onAbort, { once: true });
      this.waiting = [...this.waiting, task];
      this.admit();
    });
  }

  /** Refuses the tasks that wait, and all that come later. Running ones keep their places. */
  close(): void {
    this.closed = true;
    for (const task of this.waiting) this.cancel(task);
  }

  private isFull({ user, isBackground = false }: AdmissionRequest): boolean {
    if (isBackground || this.waiting.length === 0) return false;
    const own = this.waiting.filter(({ request }) => request.user === user && !request.isBackground).length;
    return own >= this.bounds.waitingPerUser || this.waiting.length >= this.bounds.waiting;
  }

  private cancel(task: QueuedTask): void {
    this.remove(task);
    task.resolve(null);
  }

  private remove(task: QueuedTask): void {
    task.request.signal?.removeEventListener('abort', task.onAbort);
    this.waiting = this.waiting.filter((other) => other !== task);
  }

  private admit(): void {
    for (let next = this.next(); next !== null; next = this.next()) {
      this.remove(next);
      const running: RunningTask = { request: next.request, since: performance.now() };
      this.running.add(running);
      next.resolve({ leave: (workedMs) => this.leave(running, workedMs) });
    }
  }

  private leave(running: RunningTask, workedMs: number): void {
    if (!this.running.delete(running)) return;
    this.meter.add(running.request.user, workedMs);
    this.admit();
  }

  private next(): QueuedTask | null {
    if (this.waiting.length === 0 || this.running.size >= this.bounds.places) return null;
    const now = performance.now();
    const ranked = this.waiting
      .filter(({ request }) => this.mayRun(request))
      .map((task) => ({ task, rank: this.rank(task, now) }));
    const [first] = ranked;
    if (first === undefined) return null;
    return ranked.reduce((best, one) => (one.rank < best.rank ? one : best), first).task;
  }

  private mayRun({ user, isLarge = false }: AdmissionRequest): boolean {
    const running = [...this.running].map(({ request }) => request);
    const own = running.filter((other) => other.user === user);
    if (!hasPlace(this.bounds.places, running.length, own.length)) return false;
    if (!isLarge) return true;
    const areLarge = (requests: readonly AdmissionRequest[]) => requests.filter((other) => other.isLarge).length;
    return hasPlace(this.bounds.largePlaces, areLarge(running), areLarge(own));
  }

  /** What the user has consumed, tasks that run included, and what this task would add; in milliseconds. */
  private rank({ request: { user, expectedMs }, since }: QueuedTask, now: number): number {
    let running = 0;
    for (const other of this.running) if (other.request.user === user) running += now - other.since;
    return this.meter.of(user, now) + running + Math.max(0, expectedMs - (now - since));
  }
}

/**
 * Whether a user who has `own` of the places may take one more. The first is theirs if any is free. After a further one
 * they must not have more than are still free. So one user has at most half of the places, and the next user again half
 * of the rest.
 */
function hasPlace(places: number, taken: number, own: number): boolean {
  const free = places - taken;
  return own === 0 ? free > 0 : own + 2 <= free;
}
