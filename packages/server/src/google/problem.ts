import { isUnauthenticated } from '../access/refusal.ts';
import { isFieldRefusal, type Refusal, toHttpAnswer } from '../service/refusal.ts';

/** Google's names of error statuses, by HTTP status. */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

interface ErrorDetail {
  readonly '@type': string;
  readonly [member: string]: unknown;
}

/**
 * An error answer in Google's form. Thrown within this folder and caught only in `mount.ts`, because Google's requests
 * are deep trees and every level can find errors.
 */
export class Problem extends Error {
  readonly code: number;
  readonly details: readonly ErrorDetail[];
  /** Seconds until the caller may retry; null: the caller need not wait. */
  readonly retryAfter: number | null;

  constructor(code: number, message: string, details: readonly ErrorDetail[] = [], retryAfter: number | null = null) {
    super(message);
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
  }

  /** Google's name of the status. */
  get status(): string {
    return STATUS_NAMES[this.code] ?? 'UNKNOWN';
  }

  /** The body of the Sheets API's error answers. */
  toBody(): object {
    const { code, message, status, details } = this;
    return { error: { code, message, status, ...(details.length === 0 ? {} : { details }) } };
  }
}

export function createInvalidProblem(message: string): Problem {
  return new Problem(400, message);
}

interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** An error that lists the wrong members of a request. */
export function createInvalidFieldsProblem(message: string, fieldViolations: readonly FieldViolation[]): Problem {
  return new Problem(400, message, [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }]);
}

/** An error whose message is repeated in the details, with its field. */
export function createInvalidFieldProblem(field: string, description: string): Problem {
  return createInvalidFieldsProblem(description, [{ field, description }]);
}

export const NOT_FOUND = 'Requested entity was not found.';
export const FORBIDDEN = 'The caller does not have permission';

const NO_CREDENTIALS =
  'Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid ' +
  'authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.';
const INVALID_CREDENTIALS =
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid ' +
  'authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.';
const SCOPES_INSUFFICIENT = 'Request had insufficient authentication scopes.';

/** Google's 401 error. Its text depends on whether the request contained credentials. */
export function createUnauthenticatedProblem(hasCredentials: boolean): Problem {
  return new Problem(401, hasCredentials ? INVALID_CREDENTIALS : NO_CREDENTIALS);
}

/** Google's error for an unknown API key. `service`: the host name of the API. */
export function createInvalidKeyProblem(service: string): Problem {
  const detail = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'API_KEY_INVALID',
    domain: 'googleapis.com',
    metadata: { service },
  };
  return new Problem(400, 'API key not valid. Please pass a valid API key.', [detail]);
}

/** Google's error for a refusal of the service. */
export function toProblem(refusal: Refusal): Problem {
  const { status, message } = toHttpAnswer(refusal);
  if (isUnauthenticated(refusal)) return createUnauthenticatedProblem(true);
  if (refusal.reason === 'consentNeeded') return new Problem(403, message ?? FORBIDDEN);
  if (refusal.reason === 'scopeMissing') return new Problem(403, SCOPES_INSUFFICIENT);
  if (refusal.reason === 'rateLimited') return new Problem(429, 'Quota exceeded.', [], refusal.retryAfter);
  if (refusal.reason === 'sheetProtected') return new Problem(400, PROTECTED_CELL);
  if (isFieldRefusal(refusal)) return createInvalidProblem(refusal.message);
  if (status === 422) return createInvalidProblem(message ?? 'Invalid request.');
  if (status === 404) return new Problem(404, NOT_FOUND);
  if (status === 403) return new Problem(403, FORBIDDEN);
  if (status === 412) return new Problem(409, 'The document was changed meanwhile.');
  return new Problem(status, 'The service is currently unavailable.', [], 1);
}

export const PROTECTED_CELL =
  'You are trying to edit a protected cell or object. Please contact the spreadsheet owner to remove protection if ' +
  'you need to edit.';
