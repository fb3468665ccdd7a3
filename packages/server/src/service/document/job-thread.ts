import { parentPort } from 'node:worker_threads';
import {
  assertSourcesUnchanged,
  lowerOwnPriority,
  type PackedError,
  packError,
  readThreadCpuMs,
} from '@cellwire/event-loop';
import { isRefusal } from '../refusal.ts';
import { JOB_TASKS, type JobTasks } from './job-tasks.ts';

/** A task for a thread; a thread runs one task at a time. */
export interface JobTask<K extends keyof JobTasks = keyof JobTasks> {
  readonly name: K;
  readonly input: JobTasks[K]['input'];
}

/** The thread's response: the result or the error. */
export type JobMessage =
  /** Sent once at the start: the thread's id in the operating system; null if it is unknown. */
  | { readonly kind: 'started'; readonly thread: number | null }
  | ({ readonly kind: 'done'; readonly result: JobTasks[keyof JobTasks]['result'] } & JobCpuTime)
  | ({ readonly kind: 'failed' } & PackedError & JobCpuTime);

interface JobCpuTime {
  /** Processor time of the task, in milliseconds. */
  readonly cpuMs: number;
}

/** Runs the task and posts its result or its error to the serving thread. */
async function performJob<K extends keyof JobTasks>({ name, input }: JobTask<K>): Promise<void> {
  const before = readThreadCpuMs();
  try {
    assertSourcesUnchanged();
    const result = await JOB_TASKS[name](input);
    const chunks = result !== null && !isRefusal(result) && 'state' in result ? result.state.stored.chunks : [];
    const transfer = chunks.map(({ bytes }) => bytes.buffer as ArrayBuffer);
    parentPort?.postMessage({ kind: 'done', result, cpuMs: readThreadCpuMs() - before } satisfies JobMessage, transfer);
  } catch (error) {
    parentPort?.postMessage({
      kind: 'failed',
      ...packError(error),
      cpuMs: readThreadCpuMs() - before,
    } satisfies JobMessage);
  }
}

parentPort?.postMessage({ kind: 'started', thread: lowerOwnPriority() } satisfies JobMessage);
parentPort?.on('message', (task: JobTask) => void performJob(task));
