import { type MaybePromise, mapMaybe } from '@cellwire/event-loop';
import type { AgentQuota } from '../config/types.ts';
import { SESSION_REQUESTS_PER_SECOND } from '../limits/console.ts';
import { HANDSHAKES_PER_SECOND } from '../limits/mcp.ts';
import type { Access, DocumentAccess } from './access.ts';
import type { Activity } from './activity.ts';
import type { AgentUsage } from './agent-usage.ts';
import type { Caller, Credentials } from './callers.ts';
import { computeResetSeconds } from './quota-window.ts';
import { type RateLimiter, type RateState, UNLIMITED } from './rate-limit.ts';
import {
  type AccessRefusal,
  CONSENT_NEEDED,
  OUTSIDE_TOKEN,
  PASSWORD_CHANGE_REQUIRED,
  PLAN_FORBIDS,
  ROLE_FORBIDS,
  SCOPE_MISSING,
} from './refusal.ts';
import { canWrite, type Role } from './roles.ts';
import { grantsScope, type TokenScope } from './scopes.ts';

/** What an operation requires of its caller. */
export interface AccessRequirements {
  /** Null: every valid token is accepted. */
  readonly scope: TokenScope | null;
  /** Feature that the caller's plan must have. */
  readonly feature?: 'valueWrites' | 'sheetOperations' | 'webhooks';
  /** The role owner or edit is required. */
  readonly writes?: boolean;
  /** The role owner is required. */
  readonly owner?: boolean;
  /** The operation creates a document. A token that is limited to documents may not do that. */
  readonly createsDocument?: boolean;
  /** The request is not counted against the agent quota. */
  readonly usesNoQuota?: boolean;
  /** The request only prepares an agent's calls, and is not counted against the plan's rate. */
  readonly isHandshake?: boolean;
  /** The operation changes data and never becomes a proposal. A token whose writes need consent may not perform it. */
  readonly bypassesConsent?: boolean;
  /** Allowed even if the user must first change a one-time password. */
  readonly allowsOneTimePassword?: boolean;
}

interface GateRequest {
  readonly credentials: Credentials;
  /** The document in the path; null: the operation has none. */
  readonly documentId: string | null;
  /** Whether the request repeats one whose reply is stored or in progress. A replay costs no quota. */
  readonly isReplay: (caller: Caller) => Promise<boolean>;
}

/** The gate's decision. `rate` is null if the caller is unknown. */
export interface GateDecision {
  readonly rate: RateState | null;
  /** Set also if the request is refused; null: the caller is unknown. */
  readonly caller: Caller | null;
  readonly outcome: AdmittedRequest | AccessRefusal;
}

export interface AdmittedRequest {
  readonly kind: 'admitted';
  readonly caller: Caller;
  /** Null: the operation has no document. */
  readonly document: DocumentAccess | null;
  /** Whether the request was counted against the agent quota. */
  readonly counted: boolean;
}

/** The document of an operation that has one. Throws if there is none. */
export function requireDocument({ document }: Pick<AdmittedRequest, 'document'>): DocumentAccess {
  if (document === null) throw new Error('the route has no document');
  return document;
}

type AuthorizedRequest = Pick<AdmittedRequest, 'caller' | 'document'>;

/** Adds the id of the request to the caller, so that log entries and stored records can name it. */
export function addRequestId<A extends AuthorizedRequest>(admitted: A, requestId: string): A {
  const { caller, document } = admitted;
  return {
    ...admitted,
    caller: { ...caller, requestId },
    document: document && addRequestIdToDocument(document, requestId),
  };
}

/** Adds the id of the request to the caller of a document’s access, as `addRequestId` does. */
export function addRequestIdToDocument(document: DocumentAccess, requestId: string): DocumentAccess {
  return { ...document, caller: { ...document.caller, requestId } };
}

/** Checks a request before its body is read, in a fixed order. */
export interface Gate {
  admitRequest(request: GateRequest, needs: AccessRequirements): MaybePromise<GateDecision>;
  /** Checks an admitted request again by the present rights. Counts nothing. */
  reauthorize(
    request: Omit<GateRequest, 'isReplay'>,
    needs: AccessRequirements,
    before: AuthorizedRequest,
  ): MaybePromise<AuthorizedRequest | AccessRefusal>;
  /** Checks whether an admitted caller may also perform another operation. Counts nothing. */
  authorize(
    caller: Caller,
    documentId: string | null,
    needs: AccessRequirements,
  ): MaybePromise<DocumentAccess | AccessRefusal | null>;
  /** Removes the request from the agent quota, because it turned out to be a replay. */
  refundRequest(admitted: AdmittedRequest): Promise<void>;
}

interface GateDependencies {
  readonly access: Access;
  readonly limiter: RateLimiter;
  readonly usage: AgentUsage;
  readonly activity: Activity;
  readonly clock: () => number;
}

export function createGate({ access, limiter, usage, activity, clock }: GateDependencies): Gate {
  /** Counts an agent's request. Refuses it if the quota is used up and the request is no replay. */
  async function countAgentRequest(
    caller: Caller,
    quota: AgentQuota,
    request: GateRequest,
  ): Promise<boolean | AccessRefusal> {
    if (await usage.takeRequest(caller.userId, quota)) return true;
    if (await request.isReplay(caller)) return false;
    return { kind: 'refusal', reason: 'rateLimited', retryAfter: computeResetSeconds(quota.window, clock()) };
  }

  function decideAccess(
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
      if (!isAllowedByPlan(caller, needs)) return PLAN_FORBIDS;
      if (document !== null && !isAllowedByRole(document.role, needs)) return ROLE_FORBIDS;
      if (caller.proposes && needs.bypassesConsent) return CONSENT_NEEDED;
      return document;
    });
  }

  function decideAgain(
    request: Omit<GateRequest, 'isReplay'>,
    needs: AccessRequirements,
  ): MaybePromise<AuthorizedRequest | AccessRefusal> {
    return mapMaybe(access.identify(request.credentials), (caller) => {
      if ('kind' in caller) return caller;
      return mapMaybe(decideAccess(caller, request, needs), (document) =>
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
    activity.recordUse(caller, exceeded);
    if (exceeded) return { kind: 'refusal', reason: 'rateLimited', retryAfter: rate.resetSeconds };
    const quota = caller.agent && !needs.usesNoQuota ? caller.plan.agentQuota : null;
    return mapMaybe(quota !== null && countAgentRequest(caller, quota, request), (counted) => {
      if (typeof counted !== 'boolean') return counted;
      return mapMaybe(decideAccess(caller, request, needs), (document) =>
        document !== null && 'kind' in document ? document : { kind: 'admitted', caller, document, counted },
      );
    });
  }

  return {
    admitRequest(request, needs) {
      return mapMaybe(access.identify(request.credentials), (caller) => {
        if ('kind' in caller) return { rate: null, caller: null, outcome: caller };
        const { key, limit } = chooseRateBudget(caller, needs);
        return mapMaybe(limit === null ? UNLIMITED : limiter.countRequest(key, limit), (rate) =>
          mapMaybe(admitAt(rate, caller, request, needs), (outcome) => ({ rate, caller, outcome })),
        );
      });
    },
    reauthorize(request, needs, before) {
      const { caller, document } = before;
      return mapMaybe(access.isCurrent(caller, document), (isCurrent) =>
        isCurrent ? before : decideAgain(request, needs),
      );
    },
    authorize: (caller, documentId, needs) => decideAccess(caller, { documentId }, needs),
    async refundRequest({ caller, counted }) {
      const quota = caller.plan.agentQuota;
      if (counted && quota !== null) await usage.refundRequest(caller.userId, quota);
    },
  };
}

/**
 * Rate limit of a caller. Each session has its own, so that the console does not use up the rate of the user's tokens.
 * Handshakes have their own, because an agent sends several before its first call.
 */
function chooseRateBudget(
  { principal, userId, plan }: Caller,
  { isHandshake }: AccessRequirements,
): {
  readonly key: string | number;
  readonly limit: number | null;
} {
  if (isHandshake) return { key: `handshake ${userId}`, limit: HANDSHAKES_PER_SECOND };
  return principal.kind === 'session'
    ? { key: `session ${principal.id}`, limit: SESSION_REQUESTS_PER_SECOND }
    : { key: userId, limit: plan.requestsPerSecond };
}

function isAllowedByPlan({ plan }: Caller, { feature }: AccessRequirements): boolean {
  if (feature === undefined) return true;
  return feature === 'webhooks' ? plan.webhooksPerDocument !== 0 : plan[feature];
}

function isAllowedByRole(role: Role, { owner, writes }: AccessRequirements): boolean {
  if (owner) return role === 'owner';
  return !writes || canWrite(role);
}
