import { parentPort } from 'node:worker_threads';
import { yieldToServing } from '../../event-loop/thread-priority.ts';
import { type Thrown, thrown } from '../../event-loop/thrown.ts';
import { MAKING_TASKS, type MakingTasks } from './making-tasks.ts';

/** What a thread is asked: one task after the other. */
export interface Task<K extends keyof MakingTasks = keyof MakingTasks> {
  readonly name: K;
  readonly input: MakingTasks[K]['input'];
}

/** What it answers: the result, or what was thrown. */
export type Answer =
  | { readonly kind: 'done'; readonly result: MakingTasks[keyof MakingTasks]['result'] }
  | ({ readonly kind: 'failed' } & Thrown);

async function perform<K extends keyof MakingTasks>({ name, input }: Task<K>): Promise<void> {
  try {
    const result = await MAKING_TASKS[name](input);
    const chunks = result !== null && 'state' in result ? result.state.stored.chunks : [];
    const transfer = chunks.map(({ bytes }) => bytes.buffer as ArrayBuffer);
    parentPort?.postMessage({ kind: 'done', result } satisfies Answer, transfer);
  } catch (error) {
    parentPort?.postMessage({ kind: 'failed', ...thrown(error) } satisfies Answer);
  }
}

yieldToServing();
parentPort?.on('message', (task: Task) => void perform(task));
