import { getHeapStatistics } from 'node:v8';
import type { Transferable, Worker } from 'node:worker_threads';
import {
  AdmissionQueue,
  ConsumptionMeter,
  haveSourcesChanged,
  lowerPriority,
  readWorkerCpuMs,
  startBoundedThread,
  unpackError,
  watchHeap,
} from '@cellwire/event-loop';
import { recordDamage } from '@cellwire/store';
import { IDLE_THREAD_MS, THREAD_HEAP_SHARE } from '../../limits/calculation.ts';
import {
  EXPECTED_MS_PER_MIB,
  JOB_PLACES,
  JOB_YOUNG_HEAP_MIB,
  LARGE_JOB_BYTES,
  LONG_JOB_MS,
} from '../../limits/jobs.ts';
import { BUSY, invalidRequest, type Refusal } from '../refusal.ts';
import { JOB_TASKS, type JobTasks, type OnProgress } from './job-tasks.ts';
import type { JobMessage, JobTask } from './job-thread.ts';

const BYTES_PER_MIB = 1024 * 1024;
const HEAP_BYTES = getHeapStatistics().heap_size_limit * THREAD_HEAP_SHARE;
const TOO_LARGE = invalidRequest('file', 'The file needs more memory than is available. Split it into several files.');

/** The user who owns a job, and the size of the job. */
export interface JobOwner {
  readonly user: number;
  /** The job ends, or leaves the queue, when this signal aborts. */
  readonly signal: AbortSignal;
  /** Size of the file to read, or of the document in memory. */
  readonly bytes: number;
}

interface JobThreadOptions {
  /** Shared with other work that counts against the same users. */
  readonly meter?: ConsumptionMeter;
  /** An idle thread ends after this time, in milliseconds. */
  readonly idleMs?: number;
  /** Maximum heap of a thread, in bytes. */
  readonly heap?: number;
}

interface JobResult<K extends keyof JobTasks> {
  readonly result: JobTasks[K]['result'] | Refusal;
  /** Processor time of the job, in milliseconds; null: unknown. */
  readonly cpuMs: number | null;
}

/**
 * Runs document jobs (imports, copies, exports) in threads, one job a thread. Imports and exports have separate slots,
 * so that they do not wait for each other. `AdmissionQueue` decides the order of jobs.
 */
export class DocumentJobs {
  private readonly queues: Readonly<Record<'in' | 'out', AdmissionQueue>>;
  private readonly threads = new Set<Worker>();
  /** Idle threads, each with the timer that ends it. */
  private readonly idle = new Map<Worker, NodeJS.Timeout>();
  /** Thread ids in the operating system, if known. */
  private readonly ids = new WeakMap<Worker, number | null>();
  /** Threads with a lowered priority. */
  private readonly spent = new WeakSet<Worker>();
  private readonly hasThreads: boolean;
  private readonly idleMs: number;
  private readonly heap: number;

  /** `hasThreads` false: for a process that does not serve requests; all jobs run in the calling thread. */
  constructor(hasThreads: boolean, options: JobThreadOptions = {}) {
    const { meter = new ConsumptionMeter(), idleMs = IDLE_THREAD_MS, heap = HEAP_BYTES } = options;
    this.hasThreads = hasThreads;
    this.queues = { in: new AdmissionQueue(JOB_PLACES, meter), out: new AdmissionQueue(JOB_PLACES, meter) };
    this.idleMs = idleMs;
    this.heap = heap;
  }

  /** Number of queued jobs. */
  get waiting(): number {
    return this.queues.in.length + this.queues.out.length;
  }

  /** Runs a task in this thread, for callers that do nothing else, such as a command. */
  runInline<K extends keyof JobTasks>(
    name: K,
    input: JobTasks[K]['input'],
    onProgress?: OnProgress,
  ): Promise<JobTasks[K]['result']> {
    return JOB_TASKS[name](input, onProgress);
  }

  /**
   * Runs a task in another thread. Resolves with `BUSY` if the user has too many queued jobs. `transfer`: buffers of
   * the input that move to the thread.
   */
  async runInThread<K extends keyof JobTasks>(
    name: K,
    input: JobTasks[K]['input'],
    { user, signal, bytes }: JobOwner,
    transfer: readonly Transferable[] = [],
  ): Promise<JobTasks[K]['result'] | Refusal> {
    if (!this.hasThreads) return this.runInline(name, input);
    const queue = this.queues[name === 'export' ? 'out' : 'in'];
    const expectedMs = (bytes / BYTES_PER_MIB) * EXPECTED_MS_PER_MIB;
    const admission = await queue.enter({ user, signal, expectedMs, isLarge: bytes >= LARGE_JOB_BYTES });
    if (admission === null) return BUSY;
    const start = performance.now();
    let cpuMs: number | null = null;
    try {
      if (signal.aborted) return BUSY;
      const done = await this.postTask<K>({ name, input }, signal, transfer);
      cpuMs = done.cpuMs;
      return done.result;
    } finally {
      // The processor time of a terminated thread is unknown; use the elapsed time.
      admission.leave(cpuMs ?? performance.now() - start);
    }
  }

  /** Ends all jobs. */
  async close(): Promise<void> {
    this.queues.in.close();
    this.queues.out.close();
    await Promise.all([...this.threads].map((thread) => thread.terminate()));
  }

  /** Runs a task in a thread. Resolves to `TOO_LARGE` if it needs too much memory; a fired signal ends the thread. */
  private postTask<K extends keyof JobTasks>(
    task: JobTask<K>,
    signal: AbortSignal,
    transfer: readonly Transferable[],
  ): Promise<JobResult<K>> {
    const { promise, resolve, reject } = Promise.withResolvers<JobResult<K>>();
    const thread = this.takeIdleThread() ?? this.startThread();
    const endTask = () => void thread.terminate();
    const stopWatch = watchHeap(thread, this.heap, () => {
      resolve({ result: TOO_LARGE, cpuMs: null });
      endTask();
    });
    const stopClock = this.watchProcessorTime(thread);
    signal.addEventListener('abort', endTask, { once: true });
    thread.ref();
    thread.removeAllListeners();
    thread.on('message', (answer: JobMessage) => {
      if (answer.kind === 'started') return void this.ids.set(thread, answer.thread);
      signal.removeEventListener('abort', endTask);
      stopClock();
      stopWatch();
      // A thread that is being terminated takes no further task.
      if (!signal.aborted) this.parkThread(thread);
      const { cpuMs } = answer;
      if (answer.kind === 'done') resolve({ result: answer.result as JobTasks[K]['result'], cpuMs });
      else reject(recordDamage(unpackError(answer)));
    });
    thread.once('error', (error: Error & { code?: string }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve({ result: TOO_LARGE, cpuMs: null });
      else reject(error);
    });
    thread.once('exit', () => {
      stopClock();
      stopWatch();
      this.forgetThread(thread);
      // The thread was terminated before it had a result.
      resolve({ result: BUSY, cpuMs: null });
    });
    thread.postMessage(task, [...transfer]);
    return promise;
  }

  /**
   * Lowers the priority of a job that has used `LONG_JOB_MS`. The elapsed time says nothing: on a busy machine a thread
   * may need as long to start, and threads that are not used again would make it busier. Returns a function that ends
   * the check.
   */
  private watchProcessorTime(thread: Worker): () => void {
    const before = readWorkerCpuMs(thread);
    let isOver = false;
    const check = async () => {
      const left = LONG_JOB_MS - ((await readWorkerCpuMs(thread)) - (await before));
      if (isOver) return;
      if (left > 0) timer = setTimeout(check, Math.max(left, LONG_JOB_MS / 10)).unref();
      else this.lowerPriority(thread);
    };
    let timer = setTimeout(check, LONG_JOB_MS).unref();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  /** Lowers the priority of a long job below short ones; its thread is not used again. */
  private lowerPriority(thread: Worker): void {
    this.spent.add(thread);
    const id = this.ids.get(thread) ?? null;
    if (id !== null) lowerPriority(id);
  }

  private startThread(): Worker {
    const bounds = { heap: this.heap, youngMib: JOB_YOUNG_HEAP_MIB };
    const thread = startBoundedThread(new URL('./job-thread.ts', import.meta.url), bounds);
    this.threads.add(thread);
    return thread;
  }

  /** Keeps an idle thread for the next task, because starting a thread takes longer than most tasks. */
  private parkThread(thread: Worker): void {
    thread.removeAllListeners();
    if (this.spent.has(thread)) {
      thread.once('exit', () => this.forgetThread(thread));
      return void thread.terminate();
    }
    thread.once('error', () => this.forgetThread(thread));
    thread.once('exit', () => this.forgetThread(thread));
    thread.unref();
    const timer = setTimeout(() => {
      // No later task could start a new thread, because the program files have changed.
      if (haveSourcesChanged()) return;
      this.idle.delete(thread);
      void thread.terminate();
    }, this.idleMs);
    this.idle.set(thread, timer.unref());
  }

  /** The most recently used idle thread; null: all are busy. */
  private takeIdleThread(): Worker | null {
    const [thread, timer] = [...this.idle].at(-1) ?? [null];
    if (thread === null) return null;
    clearTimeout(timer);
    this.idle.delete(thread);
    return thread;
  }

  private forgetThread(thread: Worker): void {
    this.threads.delete(thread);
    clearTimeout(this.idle.get(thread));
    this.idle.delete(thread);
  }
}
