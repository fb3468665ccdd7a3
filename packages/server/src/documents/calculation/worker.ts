import type { Worker } from 'node:worker_threads';
import { haveSourcesChanged, readWorkerCpuMs, startBoundedThread, unpackError, watchHeap } from '@cellwire/event-loop';
import { recordDamage } from '@cellwire/store';
import { CALCULATION_PATIENCE, THREAD_YOUNG_HEAP_MIB } from '../../limits/calculation.ts';
import type { CalculationTaskName, CalculationTasks, ThreadAnswer, ThreadMessage } from './protocol.ts';

const GONE = new Error('The calculation thread ended before the task');

/**
 * Why a task has no result: its thread ended during the task (time limit, memory limit, crash) or before it, or too
 * many tasks wait for a thread. `full`: the thread exceeded its memory limit while it held other documents; an empty
 * thread may succeed.
 */
export interface EndedTask {
  readonly kind: 'ended';
  readonly why: 'deadline' | 'memory' | 'full' | 'crash' | 'gone' | 'busy';
  readonly error: unknown;
}

/** Conditions that end a thread and free all that it holds. */
export interface WorkerBounds {
  /** Maximum idle time, in milliseconds. */
  readonly idle: number;
  /** Maximum heap size, in bytes. */
  readonly heap: number;
}

interface TaskOptions {
  /** The thread is ended after this processor time, or after a much longer elapsed time (`CALCULATION_PATIENCE`). */
  readonly milliseconds: number;
  /** The required life of the thread. What the task works on exists only in that life. */
  readonly life?: number;
}

interface WorkerTask {
  readonly milliseconds: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Main-thread side of one calculation thread, which is started on demand. The caller runs one task at a time
 * (`ThreadSet`). If the thread ends, what it held is lost, `life` increases, and the next task starts a new thread.
 */
export class CalculationWorker {
  /** Number of the current thread. Data given to an earlier thread is lost. */
  life = 0;
  /** Processor time of the thread from its start to its last answer, in milliseconds. */
  worked = 0;
  /** The documents in the thread, each with the user for whom it was loaded. */
  readonly documents = new Map<number, number | null>();
  /** Threads that ended during a task, by reason. */
  readonly endedTasks = { deadline: 0, memory: 0, full: 0, crash: 0 };
  private thread: Worker | null = null;
  private running: WorkerTask | null = null;
  private runningSince = 0;
  /** Ends the thread when a task exceeds its time, or when the thread has been idle for long. */
  private timer: NodeJS.Timeout | null = null;
  /** Stops watching the memory of the thread. */
  private stopWatch: () => void = () => {};
  private readonly bounds: WorkerBounds;

  constructor(bounds: WorkerBounds) {
    this.bounds = bounds;
  }

  get isStarted(): boolean {
    return this.thread !== null;
  }

  /** Resolves with the thread's result, or with the reason why the thread ended. Rejects if the task throws. */
  runTask<N extends CalculationTaskName>(
    name: N,
    input: CalculationTasks[N]['input'],
    { milliseconds, life = this.life }: TaskOptions,
    transfer: readonly ArrayBufferLike[] = [],
  ): Promise<CalculationTasks[N]['result'] | EndedTask> {
    if (this.running !== null) throw new Error('A calculation thread has one task at a time');
    if (life !== this.life) return Promise.resolve({ kind: 'ended', why: 'gone', error: GONE });
    return new Promise((resolve, reject) => {
      const task: WorkerTask = { milliseconds, resolve: resolve as WorkerTask['resolve'], reject };
      // Starting may throw; the task is then rejected.
      const thread = this.startThread();
      this.running = task;
      this.runningSince = performance.now();
      this.setTimer(milliseconds, () => void this.onTimeout(thread, task));
      this.stopWatch = watchHeap(thread, this.bounds.heap, () => this.endThread(thread, 'memory', null));
      thread.ref();
      thread.postMessage({ name, input } as ThreadMessage, transfer as ArrayBuffer[]);
    });
  }

  /** Frees a document after the running task. */
  forgetDocument(document: number): void {
    if (!this.documents.delete(document)) return;
    this.thread?.postMessage({ name: 'forget', input: { document } } satisfies ThreadMessage);
  }

  /** Frees the states of a document before the newest one. */
  forgetOldStates(document: number): void {
    if (this.documents.has(document))
      this.thread?.postMessage({ name: 'settle', input: { document } } satisfies ThreadMessage);
  }

  async close(): Promise<void> {
    await this.thread?.terminate();
  }

  /** The elapsed time is over. On a busy machine the thread may have used less processor time, and may continue. */
  private async onTimeout(thread: Worker, task: WorkerTask): Promise<void> {
    const { milliseconds } = task;
    const last = CALCULATION_PATIENCE * milliseconds - (performance.now() - this.runningSince);
    if (last > 0) {
      this.setTimer(last, () => this.endThread(thread, 'deadline', null));
      const left = milliseconds - ((await readWorkerCpuMs(thread)) - this.worked);
      if (thread !== this.thread || task !== this.running) return;
      if (left > 0) return this.setTimer(Math.min(left, last), () => void this.onTimeout(thread, task));
    }
    this.endThread(thread, 'deadline', null);
  }

  private setTimer(milliseconds: number, callback: () => void): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(callback, milliseconds);
  }

  private startThread(): Worker {
    if (this.thread !== null) return this.thread;
    const thread = startBoundedThread(new URL('./thread.ts', import.meta.url), {
      heap: this.bounds.heap,
      youngMib: THREAD_YOUNG_HEAP_MIB,
    });
    thread.on('message', (answer: ThreadAnswer) => this.onAnswer(thread, answer));
    thread.on('error', (error: Error & { code?: string }) => {
      this.endThread(thread, error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash', error);
    });
    thread.on('exit', () => this.endThread(thread, 'crash', new Error('The calculation thread ended')));
    this.thread = thread;
    this.worked = 0;
    return thread;
  }

  private onAnswer(thread: Worker, answer: ThreadAnswer): void {
    if (thread !== this.thread) return;
    if (answer.kind === 'exhausted') return this.endThread(thread, 'memory', null);
    const task = this.clearRunningTask();
    this.worked = answer.cpuMs;
    thread.unref();
    this.setTimer(this.bounds.idle, () => this.endIdleThread(thread));
    this.timer?.unref();
    if (answer.kind === 'done') task?.resolve(answer.result);
    else task?.reject(recordDamage(unpackError(answer)));
  }

  /** Ends a thread that has been idle for long. Keeps it if no new one could be started. */
  private endIdleThread(thread: Worker): void {
    if (!haveSourcesChanged()) this.endThread(thread, 'gone', GONE);
  }

  /** The thread has ended, or must end. */
  private endThread(thread: Worker, why: EndedTask['why'], error: unknown): void {
    if (thread !== this.thread) return;
    this.thread = null;
    this.life++;
    const reason = why === 'memory' && this.documents.size > 1 ? 'full' : why;
    this.documents.clear();
    void thread.terminate();
    if (reason !== 'gone' && reason !== 'busy') this.endedTasks[reason]++;
    this.clearRunningTask()?.resolve({ kind: 'ended', why: reason, error } satisfies EndedTask);
  }

  /** Returns the running task and forgets it, with its timer and its watch. */
  private clearRunningTask(): WorkerTask | null {
    const task = this.running;
    this.running = null;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.stopWatch();
    return task;
  }
}

/** True if the thread ended before the task had a result. */
export function isEndedTask(result: unknown): result is EndedTask {
  return typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'ended';
}
