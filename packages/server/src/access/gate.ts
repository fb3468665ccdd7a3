import { type MaybePromise, mapMaybe } from '@cellwire/event-loop';
import type { AgentQuota } from '../config/types.ts';
import { SESSION_REQUESTS_PER_SECOND } from '../limits/console.ts';
import type { Access, DocumentAccess } from './access.ts';
import type { Activity } from './activity.ts';
import type { AgentUsage } from './agent-usage.ts';
import type { Caller, Credentials } from './callers.ts';
import { resetInSeconds } from './quota-window.ts';
import { type RateLimiter, type RateState, UNLIMITED } from './rate-limit.ts';
import {
  type AccessRefusal,
  OUTSIDE_TOKEN,
  PASSWORD_CHANGE_REQUIRED,
  PLAN_FORBIDS,
  ROLE_FORBIDS,
  SCOPE_MISSING,
} from './refusal.ts';
import { canWrite, type Role } from './roles.ts';
import { grantsScope, type TokenScope } from './scopes.ts';

/** What a route asks of whoever calls it. */
export interface AccessRequirements {
  /** Null: every valid token will do. */
  readonly scope: TokenScope | null;
  /** The plan's feature. */
  readonly feature?: 'valueWrites' | 'sheetOperations' | 'webhooks';
  /** Role owner or edit. */
  readonly writes?: boolean;
  /** Role owner. */
  readonly owner?: boolean;
  /** It makes a document, which is not among those that a limited token may open. */
  readonly createsDocument?: boolean;
  /** Asking about the agent quota does not use it up. */
  readonly usesNoQuota?: boolean;
  /** Also for whoever must change a one-time password first. */
  readonly allowsOneTimePassword?: boolean;
}

interface GateRequest {
  readonly credentials: Credentials;
  /** The document of the path; null where the route has none. */
  readonly documentId: string | null;
  /** Whether this is a repetition whose reply is kept or being made: it then costs no quota. */
  readonly isReplay: (caller: Caller) => Promise<boolean>;
}

/** The gate's answer. `rate` is null where the caller is unknown. */
export interface GateDecision {
  readonly rate: RateState | null;
  /** Who asks, also if the request is refused; null where the caller is unknown. */
  readonly caller: Caller | null;
  readonly outcome: AdmittedRequest | AccessRefusal;
}

export interface AdmittedRequest {
  readonly kind: 'admitted';
  readonly caller: Caller;
  /** Null where the route has no document. */
  readonly document: DocumentAccess | null;
  /** Whether the request was counted against the agent quota. */
  readonly counted: boolean;
}

/** The document of a route that has one. */
export function documentOf({ document }: Pick<AdmittedRequest, 'document'>): DocumentAccess {
  if (document === null) throw new Error('the route has no document');
  return document;
}

type AuthorizedRequest = Pick<AdmittedRequest, 'caller' | 'document'>;

/** The same in the name of one request, whose id stands in the records of what is done. */
export function withRequestId<A extends AuthorizedRequest>(admitted: A, requestId: string): A {
  const caller = { ...admitted.caller, requestId };
  return { ...admitted, caller, document: admitted.document && { ...admitted.document, caller } };
}

/** Everything that is checked before a request is read; the order is that of decisions §7. */
export interface Gate {
  admit(request: GateRequest, needs: AccessRequirements): MaybePromise<GateDecision>;
  /** Decides once more, by the rights at the moment of the call, what was admitted as `before`; counts nothing. */
  reauthorize(
    request: Omit<GateRequest, 'isReplay'>,
    needs: AccessRequirements,
    before: AuthorizedRequest,
  ): MaybePromise<AuthorizedRequest | AccessRefusal>;
  /** Decides whether a caller who was admitted may do something else as well; counts nothing. */
  authorize(
    caller: Caller,
    documentId: string | null,
    needs: AccessRequirements,
  ): MaybePromise<DocumentAccess | AccessRefusal | null>;
  /** The request turned out to be a replay: what was counted for it is taken back. */
  refund(admitted: AdmittedRequest): Promise<void>;
}

interface GateDependencies {
  readonly access: Access;
  readonly limiter: RateLimiter;
  readonly usage: AgentUsage;
  readonly activity: Activity;
  readonly clock: () => number;
}

export function createGate({ access, limiter, usage, activity, clock }: GateDependencies): Gate {
  /** Counts an agent's request; a refusal when its quota is used up and this is no replay. */
  async function count(caller: Caller, quota: AgentQuota, request: GateRequest): Promise<boolean | AccessRefusal> {
    if (await usage.take(caller.userId, quota)) return true;
    if (await request.isReplay(caller)) return false;
    return { kind: 'refusal', reason: 'rateLimited', retryAfter: resetInSeconds(quota.window, clock()) };
  }

  function decide(
    caller: Caller,
    request: Pick<GateRequest, 'documentId'>,
    needs: AccessRequirements,
  ): MaybePromise<DocumentAccess | AccessRefusal | null> {
    if (caller.mustChangePassword && !needs.allowsOneTimePassword) return PASSWORD_CHANGE_REQUIRED;
    if (needs.scope !== null && !grantsScope(caller.scopes, needs.scope)) return SCOPE_MISSING;
    if (needs.createsDocument && caller.documents !== null) return OUTSIDE_TOKEN;
    const opened = request.documentId === null ? null : access.open(caller, request.documentId);
    return mapMaybe(opened, (document) => {
      if (document !== null && 'kind' in document) return document;
      if (!planAllows(caller, needs)) return PLAN_FORBIDS;
      if (document !== null && !roleAllows(document.role, needs)) return ROLE_FORBIDS;
      return document;
    });
  }

  function decideAnew(
    request: Omit<GateRequest, 'isReplay'>,
    needs: AccessRequirements,
  ): MaybePromise<AuthorizedRequest | AccessRefusal> {
    return mapMaybe(access.identify(request.credentials), (caller) => {
      if ('kind' in caller) return caller;
      return mapMaybe(decide(caller, request, needs), (document) =>
        document !== null && 'kind' in document ? document : { caller, document },
      );
    });
  }

  function admitAt(
    rate: RateState,
    caller: Caller,
    request: GateRequest,
    needs: AccessRequirements,
  ): MaybePromise<AdmittedRequest | AccessRefusal> {
    const exceeded = rate.limit !== null && rate.exceeded;
    activity.note(caller, exceeded);
    if (exceeded) return { kind: 'refusal', reason: 'rateLimited', retryAfter: rate.resetSeconds };
    const quota = caller.agent && !needs.usesNoQuota ? caller.plan.agentQuota : null;
    return mapMaybe(quota !== null && count(caller, quota, request), (counted) => {
      if (typeof counted !== 'boolean') return counted;
      return mapMaybe(decide(caller, request, needs), (document) =>
        document !== null && 'kind' in document ? document : { kind: 'admitted', caller, document, counted },
      );
    });
  }

  return {
    admit(request, needs) {
      return mapMaybe(access.identify(request.credentials), (caller) => {
        if ('kind' in caller) return { rate: null, caller: null, outcome: caller };
        const { key, limit } = rateBudget(caller);
        return mapMaybe(limit === null ? UNLIMITED : limiter.count(key, limit), (rate) =>
          mapMaybe(admitAt(rate, caller, request, needs), (outcome) => ({ rate, caller, outcome })),
        );
      });
    },
    reauthorize(request, needs, before) {
      const { caller, document } = before;
      return mapMaybe(access.isCurrent(caller, document), (isCurrent) =>
        isCurrent ? before : decideAnew(request, needs),
      );
    },
    authorize: (caller, documentId, needs) => decide(caller, { documentId }, needs),
    async refund({ caller, counted }) {
      const quota = caller.plan.agentQuota;
      if (counted && quota !== null) await usage.refund(caller.userId, quota);
    },
  };
}

/** Whose requests count together: a session's by themselves, so that looking at a sheet leaves the API's rate alone. */
function rateBudget({ principal, userId, plan }: Caller): {
  readonly key: string | number;
  readonly limit: number | null;
} {
  return principal.kind === 'session'
    ? { key: `session ${principal.id}`, limit: SESSION_REQUESTS_PER_SECOND }
    : { key: userId, limit: plan.requestsPerSecond };
}

function planAllows({ plan }: Caller, { feature }: AccessRequirements): boolean {
  if (feature === undefined) return true;
  return feature === 'webhooks' ? plan.webhooksPerDocument !== 0 : plan[feature];
}

function roleAllows(role: Role, { owner, writes }: AccessRequirements): boolean {
  if (owner) return role === 'owner';
  return !writes || canWrite(role);
}
