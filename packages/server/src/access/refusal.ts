/** Why a request is refused before its body is read, in the order of the checks. */
export type AccessRefusal =
  | { readonly kind: 'refusal'; readonly reason: 'unauthenticated' }
  /** The stored row of the token, the session, the user or the workspace is damaged. */
  | { readonly kind: 'refusal'; readonly reason: 'accountDamaged' }
  /** `retryAfter`: whole seconds, at least 1. */
  | { readonly kind: 'refusal'; readonly reason: 'rateLimited'; readonly retryAfter: number }
  /** The user has a one-time password and may only change it. */
  | { readonly kind: 'refusal'; readonly reason: 'passwordChangeRequired' }
  | { readonly kind: 'refusal'; readonly reason: 'scopeMissing' }
  | { readonly kind: 'refusal'; readonly reason: 'outsideToken' }
  | { readonly kind: 'refusal'; readonly reason: 'documentNotFound' }
  | { readonly kind: 'refusal'; readonly reason: 'noAccess' }
  | { readonly kind: 'refusal'; readonly reason: 'planForbids' }
  | { readonly kind: 'refusal'; readonly reason: 'roleForbids' }
  /** Writes with the token become proposals, and this operation cannot be one. */
  | { readonly kind: 'refusal'; readonly reason: 'consentNeeded' }
  /** Too many requests are waiting. */
  | { readonly kind: 'refusal'; readonly reason: 'busy' };

export const UNAUTHENTICATED: AccessRefusal = { kind: 'refusal', reason: 'unauthenticated' };
export const ACCOUNT_DAMAGED: AccessRefusal = { kind: 'refusal', reason: 'accountDamaged' };

/** True if the refusal means that the caller is not known: the answer is 401. */
export function isUnauthenticated({ reason }: { readonly reason: string }): boolean {
  return reason === UNAUTHENTICATED.reason || reason === ACCOUNT_DAMAGED.reason;
}

export const PASSWORD_CHANGE_REQUIRED: AccessRefusal = { kind: 'refusal', reason: 'passwordChangeRequired' };
export const SCOPE_MISSING: AccessRefusal = { kind: 'refusal', reason: 'scopeMissing' };
export const OUTSIDE_TOKEN: AccessRefusal = { kind: 'refusal', reason: 'outsideToken' };
export const DOCUMENT_NOT_FOUND: AccessRefusal = { kind: 'refusal', reason: 'documentNotFound' };
export const NO_ACCESS: AccessRefusal = { kind: 'refusal', reason: 'noAccess' };
export const PLAN_FORBIDS: AccessRefusal = { kind: 'refusal', reason: 'planForbids' };
export const ROLE_FORBIDS: AccessRefusal = { kind: 'refusal', reason: 'roleForbids' };
export const CONSENT_NEEDED: AccessRefusal = { kind: 'refusal', reason: 'consentNeeded' };
export const BUSY: AccessRefusal = { kind: 'refusal', reason: 'busy' };
