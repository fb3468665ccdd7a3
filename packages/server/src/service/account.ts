import type { Caller } from '../access/callers.ts';
import type { Scope } from '../access/scopes.ts';
import { SCOPES } from '../access/scopes.ts';
import type { ServiceContext } from './context.ts';

/** The token's scopes, in the contract's order. */
export function userinfo({ scopes }: Caller): { readonly scopes: Scope[] } {
  return { scopes: SCOPES.filter((scope) => scopes.has(scope)) };
}

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

/** The agent quota of the caller's user. */
export async function getUsage(context: ServiceContext, { userId, plan }: Caller): Promise<QuotaView> {
  if (plan.agentQuota === null) return UNLIMITED;
  return { unlimited: false, ...(await context.usage.state(userId, plan.agentQuota)) };
}
