import { CLOCK_TRUST_MS } from '../limits/retention.ts';

/**
 * Returns a function that tells whether the clock advanced by the elapsed time since the previous call. The first call
 * returns true, because there is nothing to compare with. `steady`: a monotonic clock in milliseconds.
 */
export function createClockTrust(clock: () => number, steady: () => number = () => performance.now()): () => boolean {
  let offset: number | null = null;
  return () => {
    const now = clock() - steady();
    const trusted = offset === null || Math.abs(now - offset) < CLOCK_TRUST_MS;
    offset = now;
    return trusted;
  };
}
