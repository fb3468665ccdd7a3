import { TRANSIENT_STATUSES, waitForRetry } from '../../data/connection.ts';
import type { Failure } from '../../data/http.ts';

/** Failures in a row that the wait before a repeated request assumes; see `waitForRetry`. */
const ASSUMED_FAILURES = 2;

/**
 * Detects outdated answers of a request that is repeated: an answer is outdated if a later request was answered before
 * it.
 */
export class RequestOrder {
  private requestCount = 0;
  private lastAnswered = 0;

  /** Returns the number of a new request. Pass the number to `acceptAnswer`. */
  startRequest(): number {
    return ++this.requestCount;
  }

  /** Call it once for each answer. Returns true if no later request was answered before. */
  acceptAnswer(request: number): boolean {
    if (request < this.lastAnswered) return false;
    this.lastAnswered = request;
    return true;
  }

  /**
   * Calls `repeat` after a wait if the request failed only for a time, for example because the connection was cut. A
   * later request makes it unnecessary.
   */
  async repeatLater(request: number, { status }: Failure, repeat: () => void): Promise<void> {
    if (!TRANSIENT_STATUSES.has(status)) return;
    await waitForRetry(ASSUMED_FAILURES);
    if (request === this.requestCount) repeat();
  }

  /** Ends the repetition of the request. */
  close(): void {
    this.requestCount++;
  }
}
