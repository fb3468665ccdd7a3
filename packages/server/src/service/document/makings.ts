import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { FairQueue } from '../../event-loop/fair-queue.ts';
import { MAX_MAKINGS } from '../../limits/limits.ts';
import { BUSY, invalidRequest, type Refusal } from '../refusal.ts';
import { type Made, type MakingTask, type OnProgress, performTask } from './making-tasks.ts';

const BYTES_PER_MIB = 1024 * 1024;
// What bounds this process's heap bounds each thread's.
const HEAP_MIB = Math.ceil(getHeapStatistics().heap_size_limit / BYTES_PER_MIB);
const TOO_LARGE = invalidRequest('file', 'The file takes more memory than there is. Split it into several files.');

/** For whom something is made. */
interface Making {
  readonly user: number;
  /** Ends it: nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/** Makes first states of documents where that may take long: beside serving, so many at a time, users by turns. */
export class Makings {
  private readonly queue = new FairQueue(MAX_MAKINGS);
  private readonly threads = new Set<Worker>();
  private readonly isBeside: boolean;

  /** `isBeside` false: for a process that serves nobody, everything is done where it is asked for. */
  constructor(isBeside: boolean) {
    this.isBeside = isBeside;
  }

  /** For somebody who waits for nothing else, such as an operator. */
  here(task: MakingTask, onProgress?: OnProgress): Promise<Made | Refusal> {
    return performTask(task, onProgress);
  }

  async beside(task: MakingTask, { user, signal }: Making): Promise<Made | Refusal> {
    if (!this.isBeside) return performTask(task);
    await this.queue.enter(user);
    try {
      return signal.aborted ? BUSY : await this.inThread(task, signal);
    } finally {
      this.queue.leave(user);
    }
  }

  /** Ends all that is being made. */
  async close(): Promise<void> {
    await Promise.all([...this.threads].map((thread) => thread.terminate()));
  }

  private inThread(task: MakingTask, signal: AbortSignal): Promise<Made | Refusal> {
    const { promise, resolve, reject } = Promise.withResolvers<Made | Refusal>();
    const thread = new Worker(new URL('./making-thread.ts', import.meta.url), {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    const end = () => void thread.terminate();
    this.threads.add(thread);
    signal.addEventListener('abort', end, { once: true });
    thread.once('message', resolve);
    thread.once('error', (error: Error & { code?: string }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(TOO_LARGE);
      else reject(error);
    });
    thread.once('exit', () => {
      this.threads.delete(thread);
      signal.removeEventListener('abort', end);
      // Of one that was ended before it had an outcome.
      resolve(BUSY);
    });
    return promise;
  }
}
