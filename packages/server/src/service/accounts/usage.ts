import { requestCounts } from '@cellwire/store/accounts';
import type { Caller } from '../../access/callers.ts';
import { USAGE_KEPT_MS, USAGE_PERIOD_MS } from '../../limits/console.ts';
import type { ServiceContext } from '../context.ts';
import { getUsage } from './account.ts';

/** The requests of a user's tokens, without requests of the console. */
interface UsageView {
  readonly agentQuota: Awaited<ReturnType<typeof getUsage>>;
  /** Maximum requests per second of the plan; null: no limit. */
  readonly requestsPerSecond: number | null;
  readonly periodSeconds: number;
  /** The last day, oldest first, without periods that had no requests. `at`: start of the period, ISO 8601. */
  readonly periods: readonly { readonly at: string; readonly requests: number; readonly refused: number }[];
}

/** The caller's rate limits, quota, and numbers of requests per period. */
export async function readUsage(context: ServiceContext, caller: Caller): Promise<UsageView> {
  const since = context.clock() - USAGE_KEPT_MS;
  const rows = await context.database.read(requestCounts({ user_id: caller.userId, since }));
  return {
    agentQuota: await getUsage(context, caller),
    requestsPerSecond: caller.plan.requestsPerSecond,
    periodSeconds: USAGE_PERIOD_MS / 1_000,
    periods: rows.map(({ period_start, requests, refused }) => ({
      at: new Date(period_start).toISOString(),
      requests,
      refused,
    })),
  };
}
