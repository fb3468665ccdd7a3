import { CLOCK_TRUST_MS } from '../limits/retention.ts';

/**
 * Asked now and then, tells whether the clock has gone on since the last question as far as time has passed. At first
 * there is nothing to compare with: it is trusted. `steady`: milliseconds of a clock that only goes forward.
 */
export function clockTrust(clock: () => number, steady: () => number = () => performance.now()): () => boolean {
  let offset: number | null = null;
  return () => {
    const now = clock() - steady();
    const trusted = offset === null || Math.abs(now - offset) < CLOCK_TRUST_MS;
    offset = now;
    return trusted;
  };
}
