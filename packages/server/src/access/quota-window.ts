/** Calendar windows of the agent quota, in UTC. */
export type QuotaWindow = 'minute' | 'month';

const MINUTE_MS = 60_000;

/** First millisecond of the window that holds `now`. */
export function findWindowStart(window: QuotaWindow, now: number): number {
  if (window === 'minute') return Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const day = new Date(now);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1);
}

/** First millisecond after the window that holds `now`. */
export function findWindowEnd(window: QuotaWindow, now: number): number {
  if (window === 'minute') return findWindowStart(window, now) + MINUTE_MS;
  const day = new Date(now);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1);
}

/** Whole seconds until the next window, at least 1. */
export function computeResetSeconds(window: QuotaWindow, now: number): number {
  return Math.max(1, Math.ceil((findWindowEnd(window, now) - now) / 1000));
}
