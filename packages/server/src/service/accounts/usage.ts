import { requestCounts } from '@cellwire/store/accounts';
import type { Caller } from '../../access/callers.ts';
import { USAGE_KEPT_MS, USAGE_PERIOD_MS } from '../../limits/console.ts';
import type { ServiceContext } from '../context.ts';
import { getUsage } from './account.ts';

/** What a user's tokens have asked, without what is asked in the console. */
interface UsageView {
  readonly agentQuota: Awaited<ReturnType<typeof getUsage>>;
  /** What the plan allows; null: no limit. */
  readonly requestsPerSecond: number | null;
  readonly periodSeconds: number;
  /** The last day, the oldest first; a period without requests is left out. `at`: its beginning, ISO 8601. */
  readonly periods: readonly { readonly at: string; readonly requests: number; readonly refused: number }[];
}

export async function usageOf(context: ServiceContext, caller: Caller): Promise<UsageView> {
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
