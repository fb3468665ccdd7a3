import type { Worker } from 'node:worker_threads';
import { startThread } from '@cellwire/event-loop';
import { finishRows, type Query, type RowsOf, StoreError } from '../database/database.ts';
import type { ReaderAnswer, ReaderRequest } from './reader-worker.ts';

/** Reads that may scan many rows. */
export interface LongReads {
  readAll<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<RowsOf<Queries>>;
  readBatches<Row>(query: Query<Row>, size: number): AsyncIterable<readonly Row[]>;
  close(): Promise<void>;
}

/** Returns a query without its functions, because functions cannot be sent to another thread. */
function dropFunctions({ sql, parameters }: Query<unknown>): Query<unknown> {
  return { sql, parameters };
}

interface PendingRead {
  readonly resolve: (answer: ReaderAnswer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Runs reads in a thread with its own connection, which is started at the first read. The thread answers in order. It
 * keeps the process alive only while an answer is pending.
 */
export class ReaderThread implements LongReads {
  private readonly file: string;
  private worker: Worker | null = null;
  private waiting: PendingRead[] = [];
  private lists = 0;

  constructor(file: string) {
    this.file = file;
  }

  async readAll<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<RowsOf<Queries>> {
    const rows = (await this.sendRequest({
      kind: 'rows',
      queries: queries.map(dropFunctions),
    })) as readonly (readonly unknown[])[];
    return queries.map((query, i) => finishRows(query, rows[i] ?? [])) as unknown as RowsOf<Queries>;
  }

  async *readBatches<Row>(query: Query<Row>, size: number): AsyncIterable<readonly Row[]> {
    this.lists += 1;
    const list = this.lists;
    await this.sendRequest({ kind: 'begin', list, query: dropFunctions(query) });
    try {
      for (;;) {
        const rows = finishRows(query, await this.sendRequest({ kind: 'next', list, size }));
        if (rows.length > 0) yield rows;
        if (rows.length < size) return;
        // Node delivers the messages of a fast thread without a turn of the event loop in between.
        await new Promise(setImmediate);
      }
    } finally {
      await this.sendRequest({ kind: 'end', list });
    }
  }

  async close(): Promise<void> {
    const { worker } = this;
    this.worker = null;
    if (worker === null) return;
    worker.ref();
    await new Promise<void>((resolve) => {
      worker.once('exit', () => resolve());
      worker.postMessage(null);
    });
  }

  /** Sends a request to the thread. Throws the error that the thread answers. */
  private async sendRequest(request: ReaderRequest): Promise<readonly unknown[]> {
    this.worker ??= this.startThread();
    const { worker } = this;
    const answer = await new Promise<ReaderAnswer>((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      worker.ref();
      worker.postMessage(request);
    });
    if ('error' in answer) throw new StoreError(answer.error, answer.code);
    return answer.rows;
  }

  private startThread(): Worker {
    const worker = startThread(new URL('./reader-worker.ts', import.meta.url), {
      workerData: { file: this.file },
    });
    worker.on('message', (answer: ReaderAnswer) => {
      this.waiting.shift()?.resolve(answer);
      if (this.waiting.length === 0) worker.unref();
    });
    worker.on('error', (error) => this.failPendingReads(worker, error as Error));
    worker.once('exit', () =>
      this.failPendingReads(worker, new StoreError('The thread of long reads ended', 'READ_FAILED')),
    );
    return worker;
  }

  /** Rejects all reads of a thread that failed. The next request starts another thread. */
  private failPendingReads(worker: Worker, error: Error): void {
    if (this.worker === worker) this.worker = null;
    const failed = this.waiting;
    this.waiting = [];
    for (const { reject } of failed) reject(error);
  }
}
