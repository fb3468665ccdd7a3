import type { ServerResponse } from 'node:http';
import { BATCH_SLICE_MS, MAX_BATCHED_REQUESTS, MAX_UNBATCHED_READS } from '../../limits/http.ts';

/** Dispatches the request of a response. `now`: the time of `performance.now`. */
type TakeUp = (response: ServerResponse, now: number) => void;

/**
 * Batches the requests that arrive in one turn of the event loop, and dispatches them one after another in the next
 * phase. Their first queries of the embedded database are answered by one shared read, because all requests arrived
 * before it. After some milliseconds the remaining requests wait for another turn and get a read of their own. While
 * requests arrive one at a time, most reads are dispatched immediately, because waiting for others cost 9 µs each.
 */
export class Arrivals {
  private readonly takeUp: TakeUp;
  private readonly pieceMs: number;
  private readonly waiting: ServerResponse[] = [];
  /** A batch is scheduled to start after this turn. */
  private isAwaited = false;
  /** Number of reads that are still dispatched immediately. */
  private lone = 0;

  constructor(takeUp: TakeUp, pieceMs = BATCH_SLICE_MS) {
    this.takeUp = takeUp;
    this.pieceMs = pieceMs;
  }

  /**
   * Queues a request, unless it is a read that may be dispatched immediately. A queued write gets time for its body to
   * arrive.
   */
  add(response: ServerResponse): void {
    if (this.lone > 0 && this.waiting.length === 0 && response.req.method === 'GET') {
      this.lone--;
      this.takeUp(response, performance.now());
      return;
    }
    if (this.waiting.push(response) >= MAX_BATCHED_REQUESTS) this.takeFor(Number.POSITIVE_INFINITY);
    else this.takeSoon();
  }

  private takeSoon(): void {
    if (this.isAwaited) return;
    this.isAwaited = true;
    setImmediate(this.takePiece);
  }

  private readonly takePiece = (): void => {
    this.isAwaited = false;
    this.takeFor(this.pieceMs);
    if (this.waiting.length > 0) this.takeSoon();
  };

  /** Dispatches at least one waiting request. */
  private takeFor(ms: number): void {
    const { waiting } = this;
    let now = performance.now();
    const end = now + ms;
    let taken = 0;
    while (taken < waiting.length && (taken === 0 || now < end)) {
      const response = waiting[taken++] as ServerResponse;
      // A socket that closed before this point emits no further `close` event.
      if (!response.req.socket.destroyed) this.takeUp(response, now);
      now = performance.now();
    }
    this.lone = waiting.length === 1 ? MAX_UNBATCHED_READS : 0;
    waiting.splice(0, taken);
  }
}
