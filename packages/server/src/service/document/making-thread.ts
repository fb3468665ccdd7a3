import { parentPort, workerData } from 'node:worker_threads';
import { yieldToServing } from '../../event-loop/thread-priority.ts';
import { type MakingTask, performTask } from './making-tasks.ts';

/** A thread that does one task and ends. */
yieldToServing();
const outcome = await performTask(workerData as MakingTask);
const chunks = outcome.kind === 'made' ? outcome.state.stored.chunks : [];
parentPort?.postMessage(
  outcome,
  chunks.map(({ bytes }) => bytes.buffer as ArrayBuffer),
);
