/** The state of a rate limit after one more request. `limit` null: there is no limit, and nothing is counted. */
export type RateState =
  | { readonly limit: null }
  | {
      readonly limit: number;
      readonly remaining: number;
      /** Whole seconds until the window ends, at least 1. */
      readonly resetSeconds: number;
      readonly exceeded: boolean;
    };

/** The state for plans without a limit. */
export const UNLIMITED: RateState = { limit: null };

/**
 * Counts requests by key (a user or a session) in windows of one second. A window starts with its first request.
 */
export interface RateLimiter {
  countRequest(key: string | number, limit: number): Promise<RateState>;
}

/** Limits nothing and counts nothing. */
export const NO_RATE_LIMITER: RateLimiter = { countRequest: () => Promise.resolve(UNLIMITED) };
