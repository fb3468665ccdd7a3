import type { Worker } from 'node:worker_threads';
import { runInSlices, startThread } from '@cellwire/event-loop';
import { countParameterBytes, countUnitsOfNextBatch } from '../database/batch.ts';
import { StoreError, type Unit, type UnitOutcome } from '../database/database.ts';
import { MAX_WAITING_UNITS } from '../database/limits.ts';
import { toWriteFailure } from '../database/write-failure.ts';
import { SqliteConnection } from './connection.ts';
import { runUnits, type SqliteUnitResult } from './transaction.ts';
import { type ResultMessage, type UnitMessage, UnitSender, unpackResults } from './unit-message.ts';

/** Runs transactions. Only one `run` at a time. */
export interface TransactionExecutor {
  run(units: readonly Unit[]): Promise<readonly SqliteUnitResult[]>;
  close(): Promise<void>;
}

/**
 * Runs transactions in the calling thread, for a short-lived process. Starts a thread at the first concurrent unit
 * (`Unit.isConcurrent`), and then runs all transactions there.
 */
export function createInlineExecutor(file: string): TransactionExecutor {
  let connection: SqliteConnection | null = null;
  let thread: TransactionExecutor | null = null;
  const closeConnection = () => {
    connection?.close();
    connection = null;
  };
  return {
    run: async (units) => {
      if (thread === null && units.some(({ isConcurrent }) => isConcurrent)) {
        closeConnection();
        thread = createThreadExecutor(file);
      }
      if (thread !== null) return thread.run(units);
      // Lets the units of the last transaction resolve, and other work run.
      await waitForNextTurn();
      connection ??= new SqliteConnection(file);
      return runUnits(connection, units);
    },
    close: async () => {
      closeConnection();
      await thread?.close();
    },
  };
}

/** Runs transactions in a separate thread, started at the first one, so that disk syncs never block the event loop. */
export function createThreadExecutor(file: string): TransactionExecutor {
  let thread: { readonly worker: Worker; readonly sender: UnitSender } | null = null;
  const start = () => {
    const worker = startThread(new URL('./writer-worker.ts', import.meta.url), { workerData: { file } });
    worker.once('exit', () => {
      if (thread?.worker === worker) thread = null;
    });
    // An error of the thread rejects the current `run`; the next call starts a new thread.
    worker.on('error', () => {});
    return { worker, sender: new UnitSender() };
  };
  return {
    run: async (units) => {
      thread ??= start();
      const { worker, sender } = thread;
      const pending = runInSlices(sender.createMessage(units));
      const message = pending instanceof Promise ? await pending : pending;
      // If the worker ended during the pauses, it would never answer.
      if (thread?.worker !== worker) throw new Error('The writer thread ended');
      return unpackResults(await sendMessage(worker, message), units);
    },
    close: async () => {
      const ending = thread?.worker ?? null;
      thread = null;
      if (ending === null) return;
      ending.ref();
      await new Promise<void>((resolve) => {
        ending.once('exit', () => resolve());
        ending.postMessage(null);
      });
    },
  };
}

/** Sends one message. The thread keeps the process alive only while an answer is pending. */
function sendMessage(worker: Worker, message: UnitMessage): Promise<ResultMessage> {
  return new Promise((resolve, reject) => {
    const done = () => {
      worker.unref();
      worker.off('message', onMessage);
      worker.off('error', onError);
      worker.off('exit', onExit);
    };
    const onMessage = (results: ResultMessage) => {
      done();
      resolve(results);
    };
    const onError = (error: Error) => {
      done();
      reject(error);
    };
    const onExit = () => onError(new Error('The writer thread ended'));
    worker.on('message', onMessage);
    worker.on('error', onError);
    worker.on('exit', onExit);
    worker.ref();
    worker.postMessage(message, [message.bytes.buffer]);
  });
}

interface QueuedWrite {
  readonly unit: Unit;
  /** See `countParameterBytes`. */
  readonly bytes: number;
  readonly resolve: (outcome: UnitOutcome) => void;
  readonly reject: (error: Error) => void;
}

/** Group commit: units that arrive while a transaction runs share the next one, in the order in which they arrived. */
export class SqliteWriter {
  private readonly executor: TransactionExecutor;
  /** Runs after each transaction, before its units resolve. */
  private readonly onWritten: () => void;
  private waiting: QueuedWrite[] = [];
  private running: Promise<void> | null = null;
  private closed = false;

  constructor(executor: TransactionExecutor, onWritten: () => void) {
    this.executor = executor;
    this.onWritten = onWritten;
  }

  /** Writes a unit together with others that wait. Rejects if the database is closed or too many units wait. */
  queueUnit(unit: Unit): Promise<UnitOutcome> {
    if (this.closed) return Promise.reject(new StoreError('The database is closed', 'CLOSED'));
    if (this.waiting.length >= MAX_WAITING_UNITS) {
      return Promise.reject(new StoreError('Too many writes wait for the disk', 'OVERLOADED'));
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ unit, bytes: countParameterBytes(unit), resolve, reject });
      this.running ??= this.drainQueue();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.running;
    await this.executor.close();
  }

  /**
   * Writes the queued units in batches until none waits. Sends the next batch before the units of the finished batch
   * resolve: otherwise the writer would be idle while their callers answer.
   */
  private async drainQueue(): Promise<void> {
    // Units of one turn of the event loop share a transaction. Waiting longer would enlarge transactions but slow down
    // writes: this thread and the writer would take turns instead of working concurrently.
    await waitForNextTurn();
    let running = this.runNextBatch();
    while (running !== null) {
      const finished: FinishedBatch = await running;
      this.onWritten();
      running = this.runNextBatch();
      settleBatch(finished);
    }
    this.running = null;
  }

  /** Sends the next batch to the executor; returns null if no unit waits. The promise never rejects. */
  private runNextBatch(): Promise<FinishedBatch> | null {
    if (this.waiting.length === 0) return null;
    const batch = this.waiting.splice(0, countUnitsOfNextBatch(this.waiting));
    return this.executor.run(batch.map(({ unit }) => unit)).then(
      (results) => ({ batch, results }),
      (error: unknown) => ({
        batch,
        results: new StoreError(error instanceof Error ? error.message : String(error), 'WRITER'),
      }),
    );
  }
}

/** Units and their results, or the failure of the writer. */
interface FinishedBatch {
  readonly batch: readonly QueuedWrite[];
  readonly results: readonly SqliteUnitResult[] | StoreError;
}

/** Resolves or rejects the promises of the units. */
function settleBatch({ batch, results }: FinishedBatch): void {
  for (let i = 0; i < batch.length; i++) {
    const write = batch[i] as QueuedWrite;
    if (results instanceof StoreError) write.reject(results);
    else settleWrite(write, results[i] as SqliteUnitResult);
  }
}

function waitForNextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Resolves or rejects the promise of a unit. */
function settleWrite(waiting: QueuedWrite, result: SqliteUnitResult): void {
  if (result.kind === 'failed')
    waiting.reject(toWriteFailure(waiting.unit.document, new StoreError(result.message, result.code)));
  else waiting.resolve(result);
}
