import type { Worker } from 'node:worker_threads';
import { haveSourcesChanged, startBoundedThread, unpackError, watchHeap } from '@cellwire/event-loop';
import { recordDamage } from '@cellwire/store';
import { CALCULATION_PATIENCE } from '../../limits/calculation.ts';
import type { Answer, Message, TaskName, Tasks } from './protocol.ts';

const GONE = new Error('The calculation thread ended before the task');

/**
 * Why a task has no result: its thread ended in the middle of it (over its time, over its memory, broken) or before it,
 * or too many tasks wait for a thread. `full`: over its memory while it held other documents; a thread without them may
 * succeed.
 */
export interface Ended {
  readonly kind: 'ended';
  readonly why: 'deadline' | 'memory' | 'full' | 'crash' | 'gone' | 'busy';
  readonly error: unknown;
}

/** When a thread is ended, with all that it holds. */
export interface WorkerBounds {
  /** It had nothing to do for this long, in milliseconds. */
  readonly idle: number;
  /** Its heap grows beyond this, in bytes. */
  readonly heap: number;
}

interface TaskOptions {
  /** The thread is ended when it has worked for longer, or when far more time has passed (`CALCULATION_PATIENCE`). */
  readonly milliseconds: number;
  /** The life that the thread must be in: what the task works on is in that one only. */
  readonly life?: number;
}

interface Task {
  readonly milliseconds: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The main thread's side of one calculation thread, which is started when it is needed. The caller gives it one task at
 * a time (`ThreadSet`). A thread that ends takes what it held with it (`life` then counts on) and the next task starts
 * another one.
 */
export class CalculationWorker {
  /** Counts the threads: what was given to an earlier one is gone. */
  life = 0;
  /** What the thread had worked at its last answer since its start, in milliseconds of a processor. */
  worked = 0;
  /** The documents that the thread holds, and the user for whom it took each. */
  readonly documents = new Map<number, number | null>();
  /** Threads that ended in the middle of a task. */
  readonly endedTasks = { deadline: 0, memory: 0, full: 0, crash: 0 };
  private thread: Worker | null = null;
  private running: Task | null = null;
  private runningSince = 0;
  /** Ends the thread: over its time with a task, or without one for long. */
  private timer: NodeJS.Timeout | null = null;
  private stopWatch: () => void = () => {};
  private readonly bounds: WorkerBounds;

  constructor(bounds: WorkerBounds) {
    this.bounds = bounds;
  }

  get isStarted(): boolean {
    return this.thread !== null;
  }

  /** Resolves with what the thread gives back, or with why it ended. Rejects if the task throws. */
  run<N extends TaskName>(
    name: N,
    input: Tasks[N]['input'],
    { milliseconds, life = this.life }: TaskOptions,
    transfer: readonly ArrayBufferLike[] = [],
  ): Promise<Tasks[N]['result'] | Ended> {
    if (this.running !== null) throw new Error('A calculation thread has one task at a time');
    if (life !== this.life) return Promise.resolve({ kind: 'ended', why: 'gone', error: GONE });
    return new Promise((resolve, reject) => {
      const task: Task = { milliseconds, resolve: resolve as Task['resolve'], reject };
      // It may throw, and the task is then rejected.
      const thread = this.started();
      this.running = task;
      this.runningSince = performance.now();
      this.setTimer(milliseconds, () => void this.overdue(thread, task));
      this.stopWatch = watchHeap(thread, this.bounds.heap, () => this.end(thread, 'memory', null));
      thread.ref();
      thread.postMessage({ name, input } as Message, transfer as ArrayBuffer[]);
    });
  }

  /** Lets a document go, after the task that runs. */
  forget(document: number): void {
    if (!this.documents.delete(document)) return;
    this.thread?.postMessage({ name: 'forget', input: { document } } satisfies Message);
  }

  /** Lets the states of a document go that came before the newest. */
  settle(document: number): void {
    if (this.documents.has(document))
      this.thread?.postMessage({ name: 'settle', input: { document } } satisfies Message);
  }

  async close(): Promise<void> {
    await this.thread?.terminate();
  }

  /** So much time has passed; on a busy machine the thread has worked less, and may go on. */
  private async overdue(thread: Worker, task: Task): Promise<void> {
    const { milliseconds } = task;
    const last = CALCULATION_PATIENCE * milliseconds - (performance.now() - this.runningSince);
    if (last > 0) {
      this.setTimer(last, () => this.end(thread, 'deadline', null));
      const left = milliseconds - ((await workedBy(thread)) - this.worked);
      if (thread !== this.thread || task !== this.running) return;
      if (left > 0) return this.setTimer(Math.min(left, last), () => void this.overdue(thread, task));
    }
    this.end(thread, 'deadline', null);
  }

  private setTimer(milliseconds: number, act: () => void): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(act, milliseconds);
  }

  private started(): Worker {
    if (this.thread !== null) return this.thread;
    const thread = startBoundedThread(new URL('./thread.ts', import.meta.url), this.bounds);
    thread.on('message', (answer: Answer) => this.answered(thread, answer));
    thread.on('error', (error: Error & { code?: string }) => {
      this.end(thread, error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash', error);
    });
    thread.on('exit', () => this.end(thread, 'crash', new Error('The calculation thread ended')));
    this.thread = thread;
    this.worked = 0;
    return thread;
  }

  private answered(thread: Worker, answer: Answer): void {
    if (thread !== this.thread) return;
    if (answer.kind === 'exhausted') return this.end(thread, 'memory', null);
    const task = this.stopRunning();
    this.worked = answer.worked;
    thread.unref();
    this.setTimer(this.bounds.idle, () => this.endIdle(thread));
    this.timer?.unref();
    if (answer.kind === 'done') task?.resolve(answer.result);
    else task?.reject(recordDamage(unpackError(answer)));
  }

  /** Keeps the thread if no new one could be started. */
  private endIdle(thread: Worker): void {
    if (!haveSourcesChanged()) this.end(thread, 'gone', GONE);
  }

  /** The thread is no more, or is not to be any more. */
  private end(thread: Worker, why: Ended['why'], error: unknown): void {
    if (thread !== this.thread) return;
    this.thread = null;
    this.life++;
    const reason = why === 'memory' && this.documents.size > 1 ? 'full' : why;
    this.documents.clear();
    void thread.terminate();
    if (reason !== 'gone' && reason !== 'busy') this.endedTasks[reason]++;
    this.stopRunning()?.resolve({ kind: 'ended', why: reason, error } satisfies Ended);
  }

  private stopRunning(): Task | null {
    const task = this.running;
    this.running = null;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.stopWatch();
    return task;
  }
}

export function isEnded(result: unknown): result is Ended {
  return typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'ended';
}

/** What a thread has worked since its start, in milliseconds of a processor. One that has just ended: none. */
async function workedBy(thread: Worker): Promise<number> {
  try {
    const { user, system } = await thread.cpuUsage();
    return (user + system) / 1000;
  } catch {
    return 0;
  }
}
