import type { RateTable } from '@cellwire/store';
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';

/** Where a user stands after one more request. `limit` null: the plan has no limit, and nothing is counted. */
export type RateState =
  | { readonly limit: null }
  | {
      readonly limit: number;
      readonly remaining: number;
      /** Whole seconds until the window ends, at least 1. */
      readonly resetSeconds: number;
      readonly exceeded: boolean;
    };

const WINDOW_SECONDS = 1;
/** Where a user of a plan without a limit stands: nothing is counted. */
export const UNLIMITED: RateState = { limit: null };

/** Counts requests by whoever `key` stands for (a user, a session) in one-second windows that start with the window's first request (decisions §8). */
export interface RateLimiter {
  count(key: string | number, limit: number): Promise<RateState>;
}

/**
 * The library counts; the plan's number is compared here, because a user's plan may change within a window and one
 * counter must then still hold. `table`: where several nodes count together; null: in this process.
 */
export function createRateLimiter(table: RateTable | null): RateLimiter {
  const counter = table === null ? new RateLimiterMemory(WINDOW) : sharedCounter(table);
  return {
    async count(key, limit) {
      const { consumedPoints, msBeforeNext } = await counter.consume(key);
      return {
        limit,
        remaining: Math.max(0, limit - consumedPoints),
        // The library reads the clock, which may have gone back: no window is longer than it is.
        resetSeconds: Math.min(WINDOW_SECONDS, Math.max(1, Math.ceil(msBeforeNext / 1000))),
        exceeded: consumedPoints > limit,
      };
    },
  };
}

const WINDOW = { points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS };

/** While the database is away each node counts for itself; what needs the database is refused anyway. */
function sharedCounter({ name, client }: RateTable): RateLimiterPostgres {
  return new RateLimiterPostgres({
    ...WINDOW,
    storeClient: client,
    storeType: 'pool',
    tableName: name,
    tableCreated: true,
    insuranceLimiter: new RateLimiterMemory(WINDOW),
  });
}
