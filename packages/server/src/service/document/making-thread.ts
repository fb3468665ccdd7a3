import { parentPort } from 'node:worker_threads';
import { assertSourcesUnchanged, type PackedError, packError, threadCpuMs, yieldToServing } from '@cellwire/event-loop';
import { isRefusal } from '../refusal.ts';
import { MAKING_TASKS, type MakingTasks } from './making-tasks.ts';

/** What a thread is asked: one task after the other. */
export interface Task<K extends keyof MakingTasks = keyof MakingTasks> {
  readonly name: K;
  readonly input: MakingTasks[K]['input'];
}

/** What it answers: the result, or what was thrown. */
export type Answer =
  /** Sent once at the start: the thread's id in the operating system; null if that is not known. */
  | { readonly kind: 'started'; readonly thread: number | null }
  | ({ readonly kind: 'done'; readonly result: MakingTasks[keyof MakingTasks]['result'] } & Worked)
  | ({ readonly kind: 'failed' } & PackedError & Worked);

interface Worked {
  /** The processor time that the task has taken, in milliseconds. */
  readonly worked: number;
}

async function perform<K extends keyof MakingTasks>({ name, input }: Task<K>): Promise<void> {
  const before = threadCpuMs();
  try {
    assertSourcesUnchanged();
    const result = await MAKING_TASKS[name](input);
    const chunks = result !== null && !isRefusal(result) && 'state' in result ? result.state.stored.chunks : [];
    const transfer = chunks.map(({ bytes }) => bytes.buffer as ArrayBuffer);
    parentPort?.postMessage({ kind: 'done', result, worked: threadCpuMs() - before } satisfies Answer, transfer);
  } catch (error) {
    parentPort?.postMessage({ kind: 'failed', ...packError(error), worked: threadCpuMs() - before } satisfies Answer);
  }
}

parentPort?.postMessage({ kind: 'started', thread: yieldToServing() } satisfies Answer);
parentPort?.on('message', (task: Task) => void perform(task));
