import type { Caller } from '../../access/callers.ts';
import type { ServiceContext } from '../context.ts';

interface QuotaView {
  readonly unlimited: boolean;
  readonly window: 'minute' | 'month' | null;
  readonly limit: number | null;
  readonly used: number | null;
  readonly remaining: number | null;
  readonly resetInSeconds: number | null;
}

const UNLIMITED: QuotaView = {
  unlimited: true,
  window: null,
  limit: null,
  used: null,
  remaining: null,
  resetInSeconds: null,
};

/** The agent quota of the caller's user, with what is used of it. */
export async function getUsage(context: ServiceContext, { userId, plan }: Caller): Promise<QuotaView> {
  if (plan.agentQuota === null) return UNLIMITED;
  return { unlimited: false, ...(await context.usage.readState(userId, plan.agentQuota)) };
}
