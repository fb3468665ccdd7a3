import type { Worker } from 'node:worker_threads';
import { type MaybePromise, mapMaybe, runInSlices, startThread } from '@cellwire/event-loop';
import { countParameterBytes, countUnitsOfNextBatch } from '../database/batch.ts';
import { StoreError, type Unit, type UnitOutcome } from '../database/database.ts';
import { MAX_WAITING_UNITS } from '../database/limits.ts';
import { toWriteFailure } from '../database/write-failure.ts';
import { SqliteConnection } from './connection.ts';
import { type ExecutedUnit, joinCommits, splitResults } from './joined-commits.ts';
import { runUnits, type SqliteUnitResult } from './transaction.ts';
import { type ResultMessage, UnitSender, unpackResults } from './unit-message.ts';

/** Runs units in transactions, in the order of the calls. */
export interface TransactionExecutor {
  /** True if `run` may be called before the units of the last call are on disk. */
  readonly isConcurrent: boolean;
  run(units: readonly ExecutedUnit[]): Promise<readonly SqliteUnitResult[]>;
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
    isConcurrent: false,
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

/**
 * Runs transactions in a separate thread, so that disk syncs never block the event loop. The thread starts with the first
 * transaction. Units that arrive there during a transaction share the next transaction.
 */
export function createThreadExecutor(file: string): TransactionExecutor {
  let thread: WriterThread | null = null;
  return {
    isConcurrent: true,
    run: (units) => {
      if (thread === null || thread.hasEnded) thread = new WriterThread(file);
      return thread.run(units);
    },
    close: async () => {
      await thread?.close();
    },
  };
}

/** Units that were sent to the thread, or wait until earlier ones are sent. */
interface SentUnits {
  readonly units: readonly ExecutedUnit[];
  readonly resolve: (results: readonly SqliteUnitResult[]) => void;
  readonly reject: (error: Error) => void;
}

/** A writer thread. It keeps the process alive only while an answer is pending. */
class WriterThread {
  private readonly worker: Worker;
  private readonly sender = new UnitSender();
  /** In the order of the messages. */
  private readonly pending: SentUnits[] = [];
  /** Resolves when the last message was sent; null: all are sent. */
  private sending: Promise<void> | null = null;
  /** Units can no longer be sent. */
  hasEnded = false;

  constructor(file: string) {
    this.worker = startThread(new URL('./writer-worker.ts', import.meta.url), { workerData: { file } });
    this.worker.unref();
    this.worker.on('message', this.receiveResults);
    this.worker.on('error', this.end);
    this.worker.once('exit', () => this.end(new Error('The writer thread ended')));
  }

  run(units: readonly ExecutedUnit[]): Promise<readonly SqliteUnitResult[]> {
    return new Promise((resolve, reject) => {
      if (this.pending.push({ units, resolve, reject }) === 1) this.worker.ref();
      try {
        this.sendInOrder(units);
      } catch (error) {
        // These units will have no results. Without an end, they would get the results of later units.
        this.end(error as Error);
      }
    });
  }

  close(): Promise<void> {
    if (this.hasEnded) return Promise.resolve();
    this.worker.ref();
    return new Promise((resolve) => {
      this.worker.once('exit', () => resolve());
      this.worker.postMessage(null);
    });
  }

  /** Sends units after all earlier ones. Creating a long message takes several slices of work. */
  private sendInOrder(units: readonly ExecutedUnit[]): void {
    const sent = this.sending === null ? this.send(units) : this.sending.then(() => this.send(units));
    if (!(sent instanceof Promise)) return;
    const sending = sent.then(() => {
      if (this.sending === sending) this.sending = null;
    }, this.end);
    this.sending = sending;
  }

  private send(units: readonly ExecutedUnit[]): MaybePromise<void> {
    return mapMaybe(runInSlices(this.sender.createMessage(units)), (message) => {
      if (!this.hasEnded) this.worker.postMessage(message, [message.numbers.buffer, message.bytes.buffer]);
    });
  }

  private readonly receiveResults = ({ messages, ...results }: ResultMessage): void => {
    const answered = this.pending.splice(0, messages);
    if (this.pending.length === 0) this.worker.unref();
    const all = unpackResults(
      results,
      answered.flatMap(({ units }) => units),
    );
    let from = 0;
    for (const { units, resolve } of answered) {
      resolve(all.slice(from, from + units.length));
      from += units.length;
    }
  };

  /** Rejects all pending units. The next units get a new thread. */
  private readonly end = (error: Error): void => {
    if (!this.hasEnded) void this.worker.terminate();
    this.hasEnded = true;
    for (const { reject } of this.pending.splice(0)) reject(error);
  };
}

interface QueuedWrite {
  readonly unit: Unit;
  /** See `countParameterBytes`. */
  readonly bytes: number;
  readonly resolve: (outcome: UnitOutcome) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Group commit: units that arrive while a transaction runs share the next one, in the order of their arrival. They are
 * sent to the executor before the transaction ends, so that the writer never waits for this thread.
 */
export class SqliteWriter {
  private readonly executor: TransactionExecutor;
  /** Runs after each transaction, before its units resolve. */
  private readonly onWritten: () => void;
  private readonly waiting: QueuedWrite[] = [];
  /** The units that the executor has, until it returns their results. */
  private readonly sent = { units: 0, bytes: 0 };
  private isScheduled = false;
  private closed = false;
  private onIdle: (() => void) | null = null;

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
      this.scheduleSend();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    await new Promise<void>((resolve) => {
      this.onIdle = resolve;
      this.reportIdle();
    });
    await this.executor.close();
  }

  private reportIdle(): void {
    if (this.sent.units === 0 && this.waiting.length === 0) this.onIdle?.();
  }

  /** Units of one turn of the event loop share a message. */
  private scheduleSend(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.sendWaitingUnits();
    });
  }

  /** Sends the waiting units, as many as may be at the executor. */
  private sendWaitingUnits(): void {
    const { sent, waiting } = this;
    if (sent.units > 0 && !this.executor.isConcurrent) return;
    const count = countUnitsOfNextBatch(waiting, sent);
    if (count > 0) this.runBatch(waiting.splice(0, count));
  }

  private runBatch(batch: readonly QueuedWrite[]): void {
    const joined = joinCommits(batch.map(({ unit }) => unit));
    const bytes = batch.reduce((sum, write) => sum + write.bytes, 0);
    this.sent.units += batch.length;
    this.sent.bytes += bytes;
    const finish = (results: readonly SqliteUnitResult[] | StoreError): void => {
      this.sent.units -= batch.length;
      this.sent.bytes -= bytes;
      this.onWritten();
      // Before the units resolve: otherwise the writer would be idle while their callers answer.
      this.sendWaitingUnits();
      settleBatch(batch, results);
      this.reportIdle();
    };
    this.executor.run(joined).then(
      (results) => finish(splitResults(results, joined)),
      (error: unknown) => finish(new StoreError(error instanceof Error ? error.message : String(error), 'WRITER')),
    );
  }
}

/** Resolves or rejects the promises of the units. */
function settleBatch(batch: readonly QueuedWrite[], results: readonly SqliteUnitResult[] | StoreError): void {
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
