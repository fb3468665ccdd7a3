import type { ServerResponse } from 'node:http';
import { BATCH_SLICE_MS, MAX_BATCHED_REQUESTS, MAX_UNBATCHED_READS } from '../../limits/http.ts';

/** Takes up the request of a response; `now` is the moment, as `performance.now` has it. */
type TakeUp = (response: ServerResponse, now: number) => void;

/**
 * Requests that one turn of the event loop brings are taken up one after another right after it, and what they ask the
 * embedded database before they first wait it is asked once for all of them: all had come before it looks. After some
 * milliseconds the rest waits until others have had a turn, and has a look of its own. Where requests come alone, most
 * reads are taken up as they come: to wait for others took 9 µs each time.
 */
export class Arrivals {
  private readonly takeUp: TakeUp;
  private readonly pieceMs: number;
  private readonly waiting: ServerResponse[] = [];
  /** A piece is to begin after this turn. */
  private isAwaited = false;
  /** So many reads are yet taken up as they come. */
  private lone = 0;

  constructor(takeUp: TakeUp, pieceMs = BATCH_SLICE_MS) {
    this.takeUp = takeUp;
    this.pieceMs = pieceMs;
  }

  /** Where others wait it stays behind them. The body of a write is there in a moment, mostly. */
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

  /** At least one of those that wait. */
  private takeFor(ms: number): void {
    const { waiting } = this;
    let now = performance.now();
    const end = now + ms;
    let taken = 0;
    while (taken < waiting.length && (taken === 0 || now < end)) {
      const response = waiting[taken++] as ServerResponse;
      // Whoever has gone meanwhile would not be seen to go any more.
      if (!response.req.socket.destroyed) this.takeUp(response, now);
      now = performance.now();
    }
    this.lone = waiting.length === 1 ? MAX_UNBATCHED_READS : 0;
    waiting.splice(0, taken);
  }
}
