import { Worker } from 'node:worker_threads';
import { errorOf } from '../../event-loop/thrown.ts';
import { CALCULATION_PATIENCE } from '../../limits/limits.ts';
import { noteDamage } from '../../store/damage.ts';
import type { ThreadBounds } from './pool.ts';
import type { Answer, Message, TaskName, Tasks } from './protocol.ts';

const MIB = 1024 * 1024;
const GONE = new Error('The calculation thread ended before the task');

/** Why a thread ended in the middle of a task (over its time, over its memory, broken), or before it. */
export interface Ended {
  readonly kind: 'ended';
  readonly why: 'deadline' | 'memory' | 'crash' | 'gone';
  readonly error: unknown;
}

export interface TaskOptions {
  /** Who the task is for; null for the service itself. Users take turns. */
  readonly user: number | null;
  /** The thread is ended when it has worked for longer, or when far more time has passed (`CALCULATION_PATIENCE`). */
  readonly milliseconds: number;
  /** The life that the thread must be in: what the task works on is in that one only. */
  readonly life?: number;
}

interface Waiting {
  readonly message: Message;
  readonly transfer: readonly ArrayBufferLike[];
  readonly options: TaskOptions;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The main thread's side of one calculation thread, which is started when it is needed. One task at a time; those that
 * wait go by user, whoever had a turn the longest time ago first. A thread that ends takes what it held with it
 * (`life` then counts on) and the next task starts another one.
 */
export class CalculationWorker {
  /** Counts the threads: what was given to an earlier one is gone. */
  life = 0;
  /** The documents that the thread holds. */
  readonly documents = new Set<number>();
  private thread: Worker | null = null;
  private waiting: Waiting[] = [];
  private running: Waiting | null = null;
  private runningSince = 0;
  /** Ends the thread: over its time with a task, or without one for long. */
  private timer: NodeJS.Timeout | null = null;
  /** What the thread had worked when the task that runs was given to it, in milliseconds. */
  private workedBefore = 0;
  private closed = false;
  /** When each user's task began last, in turns; emptied when nothing waits. */
  private readonly turns = new Map<number | null, number>();
  private turn = 0;
  private readonly bounds: Pick<ThreadBounds, 'idle' | 'heap'>;

  constructor(bounds: Pick<ThreadBounds, 'idle' | 'heap'>) {
    this.bounds = bounds;
  }

  /** Tasks that wait or run. */
  get load(): number {
    return this.waiting.length + (this.running === null ? 0 : 1);
  }

  /** How long the task that runs has been running, in milliseconds; 0 for none. */
  get busyFor(): number {
    return this.running === null ? 0 : performance.now() - this.runningSince;
  }

  /** Resolves with what the thread gives back, or with why it ended. Rejects where the task throws. */
  run<N extends TaskName>(
    name: N,
    input: Tasks[N]['input'],
    options: TaskOptions,
    transfer: readonly ArrayBufferLike[] = [],
  ): Promise<Tasks[N]['result'] | Ended> {
    return new Promise((resolve, reject) => {
      const message = { name, input } as Message;
      this.waiting.push({ message, transfer, options, resolve: resolve as Waiting['resolve'], reject });
      this.next();
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
    this.closed = true;
    await this.thread?.terminate();
  }

  private next(): void {
    if (this.running !== null) return;
    const task = this.take();
    if (task === null) return;
    if (task.options.life !== undefined && task.options.life !== this.life) {
      task.resolve({ kind: 'ended', why: 'gone', error: GONE } satisfies Ended);
      return this.next();
    }
    this.running = task;
    this.runningSince = performance.now();
    const thread = this.started();
    this.setTimer(task.options.milliseconds, () => void this.overdue(thread, task));
    thread.ref();
    thread.postMessage(task.message, task.transfer as ArrayBuffer[]);
  }

  /** So much time has passed; on a busy machine the thread has worked less, and may go on. */
  private async overdue(thread: Worker, task: Waiting): Promise<void> {
    const { milliseconds } = task.options;
    const last = CALCULATION_PATIENCE * milliseconds - this.busyFor;
    if (last > 0) {
      this.setTimer(last, () => this.end(thread, 'deadline', null));
      const left = milliseconds - ((await workedBy(thread)) - this.workedBefore);
      if (thread !== this.thread || task !== this.running) return;
      if (left > 0) return this.setTimer(Math.min(left, last), () => void this.overdue(thread, task));
    }
    this.end(thread, 'deadline', null);
  }

  private setTimer(milliseconds: number, act: () => void): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(act, milliseconds);
  }

  private take(): Waiting | null {
    const [first] = this.waiting;
    if (first === undefined) {
      this.turns.clear();
      return null;
    }
    const lastTurn = ({ options }: Waiting) => this.turns.get(options.user) ?? 0;
    const chosen = this.waiting.reduce((best, one) => (lastTurn(one) < lastTurn(best) ? one : best), first);
    this.waiting = this.waiting.filter((one) => one !== chosen);
    this.turns.set(chosen.options.user, ++this.turn);
    return chosen;
  }

  private started(): Worker {
    if (this.thread !== null) return this.thread;
    const resourceLimits = { maxOldGenerationSizeMb: Math.ceil(this.bounds.heap / MIB) };
    const thread = new Worker(new URL('./thread.ts', import.meta.url), { resourceLimits });
    thread.on('message', (answer: Answer) => this.answered(thread, answer));
    thread.on('error', (error: Error & { code?: string }) => {
      this.end(thread, error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash', error);
    });
    thread.on('exit', () => this.end(thread, 'crash', new Error('The calculation thread ended')));
    this.thread = thread;
    this.workedBefore = 0;
    return thread;
  }

  private answered(thread: Worker, answer: Answer): void {
    if (thread !== this.thread) return;
    const task = this.stopRunning();
    this.workedBefore = answer.worked;
    thread.unref();
    this.setTimer(this.bounds.idle, () => this.end(thread, 'gone', GONE));
    this.timer?.unref();
    if (answer.kind === 'done') task?.resolve(answer.result);
    else task?.reject(noteDamage(errorOf(answer)));
    this.next();
  }

  /** The thread is no more, or is not to be any more. */
  private end(thread: Worker, why: Ended['why'], error: unknown): void {
    if (thread !== this.thread) return;
    this.thread = null;
    this.life++;
    this.documents.clear();
    void thread.terminate();
    this.stopRunning()?.resolve({ kind: 'ended', why, error } satisfies Ended);
    if (!this.closed) this.next();
  }

  private stopRunning(): Waiting | null {
    const task = this.running;
    this.running = null;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
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
