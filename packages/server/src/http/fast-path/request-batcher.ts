import { BATCH_SLICE_MS, MAX_BATCHED_REQUESTS, MAX_UNBATCHED_READS } from '../../limits/http.ts';
import type { HttpResponse } from '../http-exchange.ts';

/** Dispatches the request of a response. `now`: the time of `performance.now`. */
type DispatchRequest<R extends HttpResponse> = (response: R, now: number) => void;

/**
 * Batches the requests that arrive in one turn of the event loop, and dispatches them one after another in the next
 * phase. Their first queries of the embedded database are answered by one shared read, because all requests arrived
 * before it. After some milliseconds the remaining requests wait for another turn and get a read of their own. While
 * requests arrive one at a time, most reads are dispatched immediately, because waiting for others cost 9 µs each.
 */
export class RequestBatcher<R extends HttpResponse> {
  private readonly dispatch: DispatchRequest<R>;
  private readonly batchMs: number;
  private readonly waiting: R[] = [];
  /** A batch is scheduled to start after this turn. */
  private isScheduled = false;
  /** Number of reads that are still dispatched immediately. */
  private immediateReads = 0;

  constructor(dispatch: DispatchRequest<R>, batchMs = BATCH_SLICE_MS) {
    this.dispatch = dispatch;
    this.batchMs = batchMs;
  }

  /**
   * Queues a request, unless it is a read that may be dispatched immediately. A queued write gets time for its body to
   * arrive.
   */
  queueRequest(response: R): void {
    if (this.immediateReads > 0 && this.waiting.length === 0 && response.req.method === 'GET') {
      this.immediateReads--;
      this.dispatch(response, performance.now());
      return;
    }
    if (this.waiting.push(response) >= MAX_BATCHED_REQUESTS) this.dispatchWaitingRequests(Number.POSITIVE_INFINITY);
    else this.scheduleDispatch();
  }

  /** Dispatches the waiting requests after the current turn of the event loop. */
  private scheduleDispatch(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(this.runBatch);
  }

  /** Dispatches waiting requests for at most `batchMs`, and schedules the rest for the next turn. */
  private readonly runBatch = (): void => {
    this.isScheduled = false;
    this.dispatchWaitingRequests(this.batchMs);
    if (this.waiting.length > 0) this.scheduleDispatch();
  };

  /** Dispatches at least one waiting request. */
  private dispatchWaitingRequests(maxMs: number): void {
    const { waiting } = this;
    let now = performance.now();
    const end = now + maxMs;
    let taken = 0;
    while (taken < waiting.length && (taken === 0 || now < end)) {
      const response = waiting[taken++] as R;
      // A socket that closed before this point emits no further `close` event.
      if (!response.req.socket.destroyed) this.dispatch(response, now);
      now = performance.now();
    }
    this.immediateReads = waiting.length === 1 ? MAX_UNBATCHED_READS : 0;
    waiting.splice(0, taken);
  }
}
