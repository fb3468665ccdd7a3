import type { CellwireError } from '../errors/errors.ts';
import {
  AttemptFailed,
  type AttemptFailure,
  chooseRetryWaitMs,
  createConnectionFailure,
  createFailureFromError,
  createLineFailure,
} from '../http/failure.ts';
import type { CallOptions, QueryParameters } from '../http/options.ts';
import { createKey, LINES_TYPE, type Transport, waitMilliseconds } from '../http/transport.ts';
import { formatJson } from '../values/dates.ts';
import { parseLine, readLineGroups } from './lines.ts';

/** The part of a stream of records that is written. */
export interface Progress {
  readonly records: number;
  readonly batches: number;
  readonly revisionId: string;
}

interface RecordUpload {
  readonly path: string;
  readonly query: QueryParameters;
  readonly records: Iterable<object> | AsyncIterable<object>;
  /** Number of records in each commit. */
  readonly batch: number;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** The sums of the counts of all batches, and the last `revisionId`. */
interface SendResult {
  readonly counts: Readonly<Record<string, unknown>>;
  readonly warnings: readonly object[];
  readonly isTruncated: boolean;
}

interface EncodedBatch {
  readonly number: number;
  readonly records: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A line of an answer: a written batch, a refused batch, or the end of the answer. */
interface ResponseLine {
  readonly batch?: number;
  readonly status?: number;
  readonly message?: string;
  readonly warnings?: readonly object[];
  readonly warningsTruncated?: boolean;
  readonly [counts: string]: unknown;
}

/** Maximum number of batches that are read from the source and not yet written. */
const BATCHES_AHEAD = 2;
/** Maximum number of warnings that the service lists for one stream. */
const MAX_WARNINGS = 100;
/**
 * If a connection breaks after this number of bytes, it does not count as a failed attempt, because the service is
 * reachable.
 */
const PARTLY_SENT_BYTES = 4_096;
/** Maximum number of such connections between two written batches, for each attempt after the first. */
const PARTLY_SENT_REPEATS = 20;

/**
 * True if a request can send its body while the response arrives. Browsers and workers cannot; there each request
 * contains the batches that are ready.
 */
const CAN_STREAM =
  typeof (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node === 'string';

/** Writes records as NDJSON, each batch once. After a broken connection, sends the unacknowledged batches again. */
export async function sendLines(transport: Transport, options: CallOptions, upload: RecordUpload): Promise<SendResult> {
  return new LineSender(transport, options, upload).sendAll();
}

class LineSender {
  private readonly transport: Transport;
  private readonly options: CallOptions;
  private readonly stream: RecordUpload;
  private readonly source: BatchReader;
  /** Batches that were read and are not acknowledged, the oldest first. */
  private pending: EncodedBatch[] = [];
  private acknowledged = 0;
  private records = 0;
  private counts: Record<string, unknown> = {};
  private warnings: object[] = [];
  private isTruncated = false;
  private canStream = CAN_STREAM;
  private pendingRead: Promise<boolean> | null = null;
  /**
   * Number of the current request. It changes at the start and end of each request, so that the body of an ended
   * request stops.
   */
  private requestGeneration = 0;
  /** Resumes the body that waits for an acknowledgement. */
  private wake: () => void = () => undefined;

  constructor(transport: Transport, options: CallOptions, stream: RecordUpload) {
    this.transport = transport;
    this.options = { ...options, idempotencyKey: options.idempotencyKey ?? createKey() };
    this.stream = stream;
    this.source = new BatchReader(stream.records, stream.batch);
  }

  async sendAll(): Promise<SendResult> {
    const { attempts = this.transport.attempts, signal } = this.options;
    try {
      let isBegun = false;
      let partlySentCount = 0;
      for (let attemptNumber = 1; await this.hasMore(!isBegun); attemptNumber++) {
        isBegun = true;
        const acknowledgedBefore = this.acknowledged;
        const progress = { bytes: 0 };
        const failure = await this.sendRequest(progress);
        // The end of a connection without unacknowledged batches is not a failed attempt.
        const isIdle = this.pending.length === 0 && failure?.isRetryable !== false;
        if (failure === null || isIdle) {
          attemptNumber = 0;
          continue;
        }
        if (this.acknowledged > acknowledgedBefore) {
          attemptNumber = 1;
          partlySentCount = 0;
        }
        // A proxy that buffers request bodies never forwards an acknowledgement.
        if (failure.error.name === 'TimeoutError') this.canStream = false;
        const isPartlySent =
          progress.bytes >= PARTLY_SENT_BYTES && ++partlySentCount <= (attempts - 1) * PARTLY_SENT_REPEATS;
        const wait = isPartlySent
          ? chooseRetryWaitMs(failure, 1, 2)
          : chooseRetryWaitMs(failure, attemptNumber, attempts);
        if (wait === null) throw this.setBatchNumber(failure.error);
        if (isPartlySent) attemptNumber--;
        await waitMilliseconds(wait, signal);
      }
    } finally {
      await this.source.endIterable();
    }
    const { counts, warnings, isTruncated } = this;
    return {
      counts,
      warnings: warnings.slice(0, MAX_WARNINGS),
      isTruncated: isTruncated || warnings.length > MAX_WARNINGS,
    };
  }

  /** True if there is a batch to send. An empty stream is also sent once, so that the service refuses it. */
  private async hasMore(isFirst: boolean): Promise<boolean> {
    if (this.pending.length === 0) await this.readBatch();
    return this.pending.length > 0 || (isFirst && this.acknowledged === 0);
  }

  /**
   * Reads a batch; resolves to false at the end. If a request breaks while its body reads a batch, the next request
   * uses the same read.
   */
  private readBatch(): Promise<boolean> {
    this.pendingRead ??= rejectOnAbort(this.source.readNext(), this.options.signal)
      .then((batch) => {
        if (batch !== null) this.pending.push(batch);
        return batch !== null;
      })
      .finally(() => {
        this.pendingRead = null;
      });
    return this.pendingRead;
  }

  /** Sends one request. Resolves to null if the service acknowledged all batches. */
  private async sendRequest(progress: { bytes: number }): Promise<AttemptFailure | null> {
    const { path, query, batch } = this.stream;
    const from = this.acknowledged + 1;
    this.requestGeneration++;
    const request = {
      method: 'POST',
      path,
      query: { ...query, batch, ...(from > 1 ? { from } : {}) },
      body: this.canStream ? this.createStreamedBody(progress) : this.createWholeBody(progress),
      contentType: LINES_TYPE,
      accept: LINES_TYPE,
    };
    try {
      const { transport, options } = this;
      const answer = await transport.openResponse(
        transport.createUrl(request),
        transport.createAttempt(request, options),
        options,
      );
      try {
        for await (const lines of readLineGroups(answer.parts)) {
          for (const line of lines) {
            if (line !== '' && this.handleLine(parseLine(line) as ResponseLine, answer.response))
              return this.finishAnswer();
          }
        }
      } finally {
        answer.close();
      }
      return createConnectionFailure(undefined);
    } catch (error) {
      if (this.source.failure !== null) throw this.source.failure.reason;
      return createFailureFromError(error);
    } finally {
      this.requestGeneration++;
      this.wake();
    }
  }

  /** Handles the end of a response. It is a failure if a batch was not acknowledged. */
  private finishAnswer(): AttemptFailure | null {
    return this.pending.length === 0 ? null : createConnectionFailure(undefined);
  }

  /** Handles a line of the answer. Returns true for the last line. */
  private handleLine(line: ResponseLine, { headers }: Response): boolean {
    if (line['end'] === true) return true;
    const { batch = 0, status, message, warnings = [], warningsTruncated = false, replayed: _replayed, ...rest } = line;
    if (status !== undefined) {
      throw new AttemptFailed(createLineFailure(status, message, headers.get('x-request-id') ?? undefined));
    }
    const [first] = this.pending;
    if (first === undefined || batch !== first.number) return false;
    const [counts = {}] = Object.values(rest) as Record<string, unknown>[];
    for (const [name, value] of Object.entries(counts)) {
      const previous = this.counts[name];
      this.counts[name] = typeof value === 'number' && typeof previous === 'number' ? previous + value : value;
    }
    this.warnings.push(...warnings.slice(0, MAX_WARNINGS + 1 - this.warnings.length));
    this.isTruncated ||= warningsTruncated;
    this.pending.shift();
    this.acknowledged = first.number;
    this.records += first.records;
    this.reportProgress();
    this.wake();
    return false;
  }

  /**
   * Reports the progress to the caller. An error of the caller's function ends the call, even if it is an error of
   * another call of the client.
   */
  private reportProgress(): void {
    const { records, acknowledged: batches } = this;
    try {
      this.stream.onProgress?.({ records, batches, revisionId: String(this.counts['revisionId']) });
    } catch (reason) {
      this.source.failure = { reason };
      throw reason;
    }
  }

  private setBatchNumber(error: CellwireError): CellwireError {
    error.batch = this.acknowledged + 1;
    return error;
  }

  /** Creates a body that contains the ready batches, and further batches when others are acknowledged. */
  private createStreamedBody(progress: { bytes: number }): ReadableStream<Uint8Array> {
    const { requestGeneration } = this;
    let next = this.acknowledged + 1;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      while (requestGeneration === this.requestGeneration) {
        const ready = this.pending.find(({ number }) => number === next);
        if (ready !== undefined) {
          next++;
          progress.bytes += ready.bytes.length;
          return controller.enqueue(ready.bytes);
        }
        if (this.source.isDone) return controller.close();
        if (this.pending.length >= BATCHES_AHEAD) await this.waitForAcknowledgement();
        else if (!(await this.readBatch())) return controller.close();
      }
    };
    return new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
  }

  private waitForAcknowledgement(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** Creates a body that contains the ready batches. */
  private createWholeBody(progress: { bytes: number }): Blob {
    const body = new Blob(this.pending.map(({ bytes }) => bytes));
    progress.bytes = body.size;
    return body;
  }
}

/** Reads the caller's records in batches. */
class BatchReader {
  /** The error that the caller's iterable or function threw. */
  failure: { readonly reason: unknown } | null = null;
  private readonly iterator: Iterator<object> | AsyncIterator<object>;
  private readonly size: number;
  private batchCount = 0;
  isDone = false;

  constructor(records: Iterable<object> | AsyncIterable<object>, size: number) {
    this.iterator = Symbol.asyncIterator in records ? records[Symbol.asyncIterator]() : records[Symbol.iterator]();
    this.size = size;
  }

  /** Reads the next batch; null at the end. */
  async readNext(): Promise<EncodedBatch | null> {
    const lines: string[] = [];
    try {
      while (!this.isDone && lines.length < this.size) {
        const step = this.iterator.next();
        const { done, value } = step instanceof Promise ? await step : (step as IteratorResult<object>);
        if (done) this.isDone = true;
        else lines.push(`${formatJson(value)}\n`);
      }
    } catch (reason) {
      this.isDone = true;
      this.failure = { reason };
      throw reason;
    }
    if (lines.length === 0) return null;
    return { number: ++this.batchCount, records: lines.length, bytes: new TextEncoder().encode(lines.join('')) };
  }

  /** Ends the caller's iterable, so that it can release its resources. */
  async endIterable(): Promise<void> {
    if (this.isDone) return;
    this.isDone = true;
    // The call does not wait for the iterable, which may never respond.
    void Promise.resolve(this.iterator.return?.()).catch(() => undefined);
  }
}

/** Resolves with the result of the work, or rejects with the reason of the signal when it is aborted. */
function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
