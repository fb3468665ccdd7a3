import type { RateTable } from '@cellwire/store';
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';
import type { RateLimiter } from './rate-limit.ts';

const WINDOW_SECONDS = 1;

/**
 * The library counts. The plan's limit is compared here, because the plan may change within a window and the count must
 * continue. `table`: the table in which several nodes count together; null: counts are kept in this process.
 */
export function createRateLimiter(table: RateTable | null): RateLimiter {
  const counter = table === null ? new RateLimiterMemory(WINDOW) : createSharedCounter(table);
  return {
    async countRequest(key, limit) {
      const { consumedPoints, msBeforeNext } = await counter.consume(key);
      return {
        limit,
        remaining: Math.max(0, limit - consumedPoints),
        // The library uses the wall clock, which may have been set back. A window never lasts longer than its length.
        resetSeconds: Math.min(WINDOW_SECONDS, Math.max(1, Math.ceil(msBeforeNext / 1000))),
        exceeded: consumedPoints > limit,
      };
    },
  };
}

const WINDOW = { points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS };

/**
 * A counter in the database that all nodes share. While the database is unreachable, each node counts alone. Requests
 * that need the database fail anyway.
 */
function createSharedCounter({ name, client }: RateTable): RateLimiterPostgres {
  return new RateLimiterPostgres({
    ...WINDOW,
    storeClient: client,
    storeType: 'pool',
    tableName: name,
    tableCreated: true,
    insuranceLimiter: new RateLimiterMemory(WINDOW),
  });
}
