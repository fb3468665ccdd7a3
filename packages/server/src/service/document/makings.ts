import { getHeapStatistics } from 'node:v8';
import { type Transferable, Worker } from 'node:worker_threads';
import { FairQueue } from '../../event-loop/fair-queue.ts';
import { errorOf } from '../../event-loop/thrown.ts';
import { IDLE_THREAD_MS, MAKING_YOUNG_MIB, MAX_MAKINGS, THREAD_HEAP_SHARE } from '../../limits/limits.ts';
import { noteDamage } from '../../store/damage.ts';
import { BUSY, invalidRequest, type Refusal } from '../refusal.ts';
import { MAKING_TASKS, type MakingTasks, type OnProgress } from './making-tasks.ts';
import type { Answer, Task } from './making-thread.ts';

const BYTES_PER_MIB = 1024 * 1024;
const HEAP_MIB = Math.ceil((getHeapStatistics().heap_size_limit * THREAD_HEAP_SHARE) / BYTES_PER_MIB);
const TOO_LARGE = invalidRequest('file', 'The file takes more memory than there is. Split it into several files.');

/** Who waits for what is made. */
export interface Waiter {
  readonly user: number;
  /** Aborted when they do not any more: then it is ended. */
  readonly signal: AbortSignal;
}

/** Makes what may take long beside serving: so many at a time, each in a thread, users by turns. */
export class Makings {
  private readonly queue = new FairQueue(MAX_MAKINGS);
  private readonly threads = new Set<Worker>();
  /** Those of them that have nothing to do, each with what ends it. */
  private readonly idle = new Map<Worker, NodeJS.Timeout>();
  private readonly hasThreads: boolean;
  private readonly idleMs: number;

  /**
   * `hasThreads` false: for a process that serves nobody; everything is done where it is asked for. `idleMs`: a thread
   * without a task ends after so long, in milliseconds.
   */
  constructor(hasThreads: boolean, idleMs = IDLE_THREAD_MS) {
    this.hasThreads = hasThreads;
    this.idleMs = idleMs;
  }

  /** For those who have nothing else to do meanwhile, such as a command. */
  here<K extends keyof MakingTasks>(
    name: K,
    input: MakingTasks[K]['input'],
    onProgress?: OnProgress,
  ): Promise<MakingTasks[K]['result']> {
    return MAKING_TASKS[name](input, onProgress);
  }

  /** `transfer`: what of the input is the thread's alone from then on. */
  async beside<K extends keyof MakingTasks>(
    name: K,
    input: MakingTasks[K]['input'],
    { user, signal }: Waiter,
    transfer: readonly Transferable[] = [],
  ): Promise<MakingTasks[K]['result'] | Refusal> {
    if (!this.hasThreads) return this.here(name, input);
    await this.queue.enter(user);
    try {
      return signal.aborted ? BUSY : await this.inThread<K>({ name, input }, signal, transfer);
    } finally {
      this.queue.leave(user);
    }
  }

  /** Ends all that is being made. */
  async close(): Promise<void> {
    await Promise.all([...this.threads].map((thread) => thread.terminate()));
  }

  private inThread<K extends keyof MakingTasks>(
    task: Task<K>,
    signal: AbortSignal,
    transfer: readonly Transferable[],
  ): Promise<MakingTasks[K]['result'] | Refusal> {
    const { promise, resolve, reject } = Promise.withResolvers<MakingTasks[K]['result'] | Refusal>();
    const thread = this.rested() ?? this.started();
    const end = () => void thread.terminate();
    signal.addEventListener('abort', end, { once: true });
    thread.ref();
    thread.removeAllListeners();
    thread.once('message', (answer: Answer) => {
      signal.removeEventListener('abort', end);
      // One that is being ended takes no other task.
      if (!signal.aborted) this.rest(thread);
      if (answer.kind === 'done') resolve(answer.result as MakingTasks[K]['result']);
      else reject(noteDamage(errorOf(answer)));
    });
    thread.once('error', (error: Error & { code?: string }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(TOO_LARGE);
      else reject(error);
    });
    thread.once('exit', () => {
      this.forget(thread);
      // Of one that was ended before it had a result.
      resolve(BUSY);
    });
    thread.postMessage(task, [...transfer]);
    return promise;
  }

  private started(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_MIB, maxYoungGenerationSizeMb: MAKING_YOUNG_MIB };
    const thread = new Worker(new URL('./making-thread.ts', import.meta.url), { resourceLimits });
    this.threads.add(thread);
    return thread;
  }

  /** It waits a while for the next task: to start one takes longer than most tasks. */
  private rest(thread: Worker): void {
    thread.removeAllListeners();
    thread.once('error', () => this.forget(thread));
    thread.once('exit', () => this.forget(thread));
    thread.unref();
    const timer = setTimeout(() => {
      this.idle.delete(thread);
      void thread.terminate();
    }, this.idleMs);
    this.idle.set(thread, timer.unref());
  }

  /** The thread that has rested the shortest time; null: all have something to do. */
  private rested(): Worker | null {
    const [thread, timer] = [...this.idle].at(-1) ?? [null];
    if (thread === null) return null;
    clearTimeout(timer);
    this.idle.delete(thread);
    return thread;
  }

  private forget(thread: Worker): void {
    this.threads.delete(thread);
    clearTimeout(this.idle.get(thread));
    this.idle.delete(thread);
  }
}
