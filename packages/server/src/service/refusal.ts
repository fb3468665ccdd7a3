import { type FieldValue, MAX_ROWS } from '@cellwire/engine';
import type { AccessRefusal } from '../access/refusal.ts';
import { MAX_REFUSAL_LENGTH } from '../limits/requests.ts';
import { findClosestName } from './closest-name.ts';

/** A cell that differs from the expected value. */
export interface CellDifference {
  readonly cell: string;
  readonly expected: FieldValue;
  readonly actual: FieldValue;
}

/**
 * The reason why a use case refuses a request. Refusals are values, not exceptions, because they are expected and reach
 * the caller. The table from reason to HTTP status is below.
 */
export type Refusal =
  | AccessRefusal
  /** The request is invalid: `field` is a path such as `data.0.values`, `message` is a sentence. */
  | { readonly kind: 'refusal'; readonly reason: 'invalidRequest'; readonly field: string; readonly message: string }
  /** The request has a member that the API does not define: `field` is its path; `message` does not repeat it. */
  | { readonly kind: 'refusal'; readonly reason: 'unknownField'; readonly field: string; readonly message: string }
  | { readonly kind: 'refusal'; readonly reason: 'keyReused' }
  | { readonly kind: 'refusal'; readonly reason: 'notTable' }
  | { readonly kind: 'refusal'; readonly reason: 'legacyFormat' }
  | { readonly kind: 'refusal'; readonly reason: 'invalidRange' }
  /** The rows do not fit below the last filled row. */
  | { readonly kind: 'refusal'; readonly reason: 'sheetFull' }
  | { readonly kind: 'refusal'; readonly reason: 'sheetNotFound' }
  | { readonly kind: 'refusal'; readonly reason: 'nameNotFound' }
  | { readonly kind: 'refusal'; readonly reason: 'tableNotFound' }
  | { readonly kind: 'refusal'; readonly reason: 'sheetProtected' }
  | { readonly kind: 'refusal'; readonly reason: 'valuesHidden' }
  | { readonly kind: 'refusal'; readonly reason: 'sheetNameTaken' }
  | { readonly kind: 'refusal'; readonly reason: 'lastSheet' }
  | { readonly kind: 'refusal'; readonly reason: 'calculationLimit' }
  /** A single row is larger than a response. */
  | { readonly kind: 'refusal'; readonly reason: 'responseTooLarge' }
  /** The document or the range has another state than the caller expects; `revisionId` is its newest revision. */
  | {
      readonly kind: 'refusal';
      readonly reason: 'preconditionFailed';
      readonly revisionId: string;
      /** Ranges that others have changed since the expected state. */
      readonly conflicts?: readonly string[];
      /** Cells that differ from the expected values. */
      readonly differences?: readonly CellDifference[];
    }
  /** The cells that a request addresses by an earlier revision are deleted, split, or cannot be followed. */
  | { readonly kind: 'refusal'; readonly reason: 'cellsGone' }
  /**
   * Another writer changed cells after the revision that a request names. `conflicts`: some of their ranges.
   * `areByCaller`: only the caller changed them, on another page.
   */
  | {
      readonly kind: 'refusal';
      readonly reason: 'cellsChanged';
      readonly conflicts: readonly string[];
      readonly areByCaller: boolean;
    }
  /** Cells moved after the addresses of a request were translated: translate them again. */
  | { readonly kind: 'refusal'; readonly reason: 'rearranged' }
  | { readonly kind: 'refusal'; readonly reason: 'revisionNotFound' }
  | { readonly kind: 'refusal'; readonly reason: 'webhookNotFound' }
  | { readonly kind: 'refusal'; readonly reason: 'webhookLimit' }
  | { readonly kind: 'refusal'; readonly reason: 'deliveryNotFound' }
  | { readonly kind: 'refusal'; readonly reason: 'proposalNotFound' }
  | { readonly kind: 'refusal'; readonly reason: 'proposalLimit' }
  /** The caller disconnected; nothing was written. */
  | { readonly kind: 'refusal'; readonly reason: 'cancelled' }
  /** The confirmation has been used already. */
  | { readonly kind: 'refusal'; readonly reason: 'confirmationUsed' }
  /** The proposal was decided before, or it has expired. */
  | {
      readonly kind: 'refusal';
      readonly reason: 'proposalNotOpen';
      readonly state: string;
      readonly decidedBy: { readonly id: number; readonly name: string } | null;
      /** ISO 8601. */
      readonly decidedAt: string | null;
    }
  /** A browser request from a page of another origin, or for a host name that is not configured. */
  | { readonly kind: 'refusal'; readonly reason: 'foreignOrigin' }
  | { readonly kind: 'refusal'; readonly reason: 'foreignHost' }
  /** The user does not exist, the password is wrong, or the user is disabled. */
  | { readonly kind: 'refusal'; readonly reason: 'wrongPassword' }
  | { readonly kind: 'refusal'; readonly reason: 'sessionNotFound' }
  | { readonly kind: 'refusal'; readonly reason: 'userNotFound' }
  | { readonly kind: 'refusal'; readonly reason: 'tokenNotFound' }
  | { readonly kind: 'refusal'; readonly reason: 'invitationNotFound' }
  | { readonly kind: 'refusal'; readonly reason: 'invitationUsed' }
  | { readonly kind: 'refusal'; readonly reason: 'invitationExpired' }
  | { readonly kind: 'refusal'; readonly reason: 'invitationWithdrawn' }
  | { readonly kind: 'refusal'; readonly reason: 'invitationDamaged' };

export { BUSY, CONSENT_NEEDED, UNAUTHENTICATED } from '../access/refusal.ts';

type RefusalReason = Refusal['reason'];

/** A refusal that names a field of the request. */
type FieldRefusal = Extract<Refusal, { readonly field: string }>;

export function isFieldRefusal(refusal: Refusal): refusal is FieldRefusal {
  return 'field' in refusal;
}

export const KEY_REUSED: Refusal = { kind: 'refusal', reason: 'keyReused' };
export const NOT_TABLE: Refusal = { kind: 'refusal', reason: 'notTable' };
export const LEGACY_FORMAT: Refusal = { kind: 'refusal', reason: 'legacyFormat' };
export const INVALID_RANGE: Refusal = { kind: 'refusal', reason: 'invalidRange' };
export const SHEET_FULL: Refusal = { kind: 'refusal', reason: 'sheetFull' };
/** What the API answers about the range of rows for which a sheet has no place. */
export const SHEET_FULL_PROBLEM = `the rows do not fit below the last filled row, because a sheet has ${MAX_ROWS} rows; clear or delete rows at its end`;
export const SHEET_NOT_FOUND: Refusal = { kind: 'refusal', reason: 'sheetNotFound' };
export const NAME_NOT_FOUND: Refusal = { kind: 'refusal', reason: 'nameNotFound' };
export const TABLE_NOT_FOUND: Refusal = { kind: 'refusal', reason: 'tableNotFound' };
export const SHEET_PROTECTED: Refusal = { kind: 'refusal', reason: 'sheetProtected' };
export const VALUES_HIDDEN: Refusal = { kind: 'refusal', reason: 'valuesHidden' };
export const SHEET_NAME_TAKEN: Refusal = { kind: 'refusal', reason: 'sheetNameTaken' };
export const LAST_SHEET: Refusal = { kind: 'refusal', reason: 'lastSheet' };
export const CALCULATION_LIMIT: Refusal = { kind: 'refusal', reason: 'calculationLimit' };
export const CELLS_GONE: Refusal = { kind: 'refusal', reason: 'cellsGone' };
export const REARRANGED: Refusal = { kind: 'refusal', reason: 'rearranged' };
export const RESPONSE_TOO_LARGE: Refusal = { kind: 'refusal', reason: 'responseTooLarge' };
export const WEBHOOK_NOT_FOUND: Refusal = { kind: 'refusal', reason: 'webhookNotFound' };
export const REVISION_NOT_FOUND: Refusal = { kind: 'refusal', reason: 'revisionNotFound' };
export const WEBHOOK_LIMIT: Refusal = { kind: 'refusal', reason: 'webhookLimit' };

export const FOREIGN_ORIGIN: Refusal = { kind: 'refusal', reason: 'foreignOrigin' };
export const FOREIGN_HOST: Refusal = { kind: 'refusal', reason: 'foreignHost' };
export const WRONG_PASSWORD: Refusal = { kind: 'refusal', reason: 'wrongPassword' };
export const SESSION_NOT_FOUND: Refusal = { kind: 'refusal', reason: 'sessionNotFound' };
export const USER_NOT_FOUND: Refusal = { kind: 'refusal', reason: 'userNotFound' };
export const TOKEN_NOT_FOUND: Refusal = { kind: 'refusal', reason: 'tokenNotFound' };
export const INVITATION_NOT_FOUND: Refusal = { kind: 'refusal', reason: 'invitationNotFound' };
export const INVITATION_USED: Refusal = { kind: 'refusal', reason: 'invitationUsed' };
export const INVITATION_EXPIRED: Refusal = { kind: 'refusal', reason: 'invitationExpired' };
export const INVITATION_DAMAGED: Refusal = { kind: 'refusal', reason: 'invitationDamaged' };
export const INVITATION_WITHDRAWN: Refusal = { kind: 'refusal', reason: 'invitationWithdrawn' };
export const PROPOSAL_NOT_FOUND: Refusal = { kind: 'refusal', reason: 'proposalNotFound' };
export const PROPOSAL_LIMIT: Refusal = { kind: 'refusal', reason: 'proposalLimit' };
export const CANCELLED: Refusal = { kind: 'refusal', reason: 'cancelled' };
export const CONFIRMATION_USED: Refusal = { kind: 'refusal', reason: 'confirmationUsed' };
export const DELIVERY_NOT_FOUND: Refusal = { kind: 'refusal', reason: 'deliveryNotFound' };

/** Truncates both texts: they may repeat long input, such as a column name of a million characters. */
export function invalidRequest(field: string, message: string): Refusal {
  return { kind: 'refusal', reason: 'invalidRequest', field: truncateText(field), message: truncateText(message) };
}

/** Refuses an undefined member of an API object. `names`: the defined members. */
export function createUnknownFieldRefusal(path: string, name: string, names: Iterable<string>): Refusal {
  const field = truncateText(`${path}.${name}`);
  return { kind: 'refusal', reason: 'unknownField', field, message: describeUnknownField(name, names) };
}

export function describeUnknownField(name: string, names: Iterable<string>): string {
  const meant = findClosestName(name, names);
  return meant === null ? 'unknown field' : `unknown field; did you mean ${meant}?`;
}

/** Truncates a text that a refusal repeats. */
export function truncateText(text: string): string {
  return text.length <= MAX_REFUSAL_LENGTH ? text : `${text.slice(0, MAX_REFUSAL_LENGTH - 1)}…`;
}

/** Refuses a write because cells in these ranges have changed; `areByCaller` if the caller's own writes did it. */
export function createCellsChangedRefusal(conflicts: readonly string[], areByCaller: boolean): Refusal {
  return { kind: 'refusal', reason: 'cellsChanged', conflicts, areByCaller };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'refusal';
}

interface HttpAnswer {
  readonly status: number;
  /** Null: the body is `{ success: false, access: false }`. */
  readonly message: string | null;
}

/** The HTTP status and message of each reason. */
const ANSWERS: Readonly<Record<Exclude<RefusalReason, FieldRefusal['reason']>, HttpAnswer>> = {
  unauthenticated: { status: 401, message: 'Unauthenticated' },
  accountDamaged: { status: 401, message: 'The token or its account is damaged in the database' },
  rateLimited: { status: 429, message: 'Too many requests' },
  passwordChangeRequired: { status: 403, message: 'Change the one-time password first' },
  scopeMissing: { status: 403, message: null },
  outsideToken: { status: 403, message: null },
  documentNotFound: { status: 404, message: 'Document not found' },
  noAccess: { status: 403, message: null },
  planForbids: { status: 403, message: null },
  roleForbids: { status: 403, message: 'Insufficient permissions' },
  keyReused: { status: 422, message: 'Idempotency-Key was used with a different request' },
  notTable: { status: 422, message: 'Document is not a table' },
  legacyFormat: { status: 422, message: 'Value writes require a collaborative table' },
  invalidRange: { status: 422, message: 'Invalid range' },
  sheetFull: { status: 422, message: 'Invalid range' },
  sheetNotFound: { status: 404, message: 'Sheet not found' },
  nameNotFound: { status: 404, message: 'Name not found' },
  tableNotFound: { status: 404, message: 'Table not found' },
  sheetProtected: { status: 403, message: 'Sheet is protected' },
  valuesHidden: { status: 403, message: 'Sheet values are hidden' },
  sheetNameTaken: { status: 422, message: 'Sheet name already taken' },
  lastSheet: { status: 422, message: 'A document needs at least one visible sheet' },
  calculationLimit: { status: 422, message: 'Calculation limit exceeded' },
  preconditionFailed: { status: 412, message: 'Precondition failed' },
  cellsGone: { status: 409, message: 'These cells were deleted or moved apart by someone else' },
  cellsChanged: { status: 409, message: 'Someone else changed these cells' },
  rearranged: { status: 503, message: 'Service busy' },
  busy: { status: 503, message: 'Service busy' },
  responseTooLarge: { status: 422, message: 'Response too large' },
  revisionNotFound: { status: 404, message: 'Revision not found' },
  proposalNotFound: { status: 404, message: 'Proposal not found' },
  proposalLimit: { status: 422, message: 'Proposal limit reached' },
  cancelled: { status: 503, message: 'Cancelled' },
  confirmationUsed: { status: 422, message: 'The confirmation was used already' },
  consentNeeded: { status: 403, message: 'Writes of this token need consent' },
  proposalNotOpen: { status: 412, message: 'Proposal is not open' },
  webhookNotFound: { status: 404, message: 'Webhook not found' },
  webhookLimit: { status: 422, message: 'Webhook limit reached' },
  deliveryNotFound: { status: 404, message: 'Delivery not found' },
  foreignOrigin: {
    status: 403,
    message: 'Only pages of this service may send this request: Origin is missing or differs',
  },
  foreignHost: { status: 403, message: 'This name is not allowed: set CELLWIRE_PUBLIC_URL or allowedHosts' },
  wrongPassword: { status: 401, message: 'E-mail address or password is wrong' },
  sessionNotFound: { status: 404, message: 'Session not found' },
  userNotFound: { status: 404, message: 'User not found' },
  tokenNotFound: { status: 404, message: 'Token not found' },
  invitationNotFound: { status: 404, message: 'This invitation is not valid any more' },
  invitationUsed: { status: 404, message: 'This invitation has been used already' },
  invitationExpired: { status: 404, message: 'This invitation has expired' },
  invitationDamaged: { status: 404, message: 'This invitation is damaged in the database; ask for another one' },
  invitationWithdrawn: { status: 404, message: 'This invitation was withdrawn' },
};

export function toHttpAnswer(refusal: Refusal): HttpAnswer {
  return isFieldRefusal(refusal) ? { status: 422, message: refusal.message } : ANSWERS[refusal.reason];
}

/** The refusal as a sentence for operators. */
export function describeRefusal(refusal: Refusal): string {
  if (refusal.reason === 'unknownField') return `${refusal.field}: ${refusal.message}`;
  return toHttpAnswer(refusal).message ?? OPERATOR_TEXTS[refusal.reason] ?? refusal.reason;
}

const OPERATOR_TEXTS: Partial<Record<RefusalReason, string>> = {
  scopeMissing: 'The token lacks the scope',
  outsideToken: 'The token is limited to other documents',
  noAccess: 'The user has no access to the document',
  planForbids: 'The plan does not include this',
};

/** Statuses in the order in which a request with several refusals is refused: invalid, missing, forbidden. */
const SEVERITY = [422, 404, 403];

/** The most severe refusal; the first of equals. Null for an empty list. Statuses must be in `SEVERITY`. */
export function findMostSevere(refusals: readonly Refusal[]): Refusal | null {
  const rank = (refusal: Refusal): number => SEVERITY.indexOf(toHttpAnswer(refusal).status);
  return refusals.toSorted((a, b) => rank(a) - rank(b))[0] ?? null;
}
