import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyReply,
  FastifyRequest,
  FastifySchemaValidationError,
} from 'fastify';
import { BUSY_RETRY_SECONDS } from '../limits/documents.ts';
import { MAX_DRAINED_BODY_BYTES } from '../limits/http.ts';
import { ANY_TYPE, CSV_TYPE, LINES_TYPE, XLSX_TYPE } from '../operations/schemas/content-types.ts';
import {
  isFieldRefusal,
  isRefusal,
  type Refusal,
  SHEET_FULL_PROBLEM,
  toHttpAnswer,
  truncateText,
} from '../service/refusal.ts';
import { MalformedBody, RefusedBody } from './bodies/json-body.ts';
import { UNKNOWN_FIELD } from './bodies/unknown-input.ts';
import type { HeaderFields } from './header-text.ts';
import { isOperatorCondition, logCondition } from './monitoring/operator-conditions.ts';

/** Says only that access is denied. */
const CLOSED = { success: false, access: false } as const;

/** A complete answer that replaces the requested one before any of it is sent. */
export interface PlainAnswer {
  readonly status: number;
  /** Headers in addition to the headers of every answer and of the body. */
  readonly fields: HeaderFields;
  /** Body of the answer, sent as JSON. */
  readonly body: object;
}

/** Properties of the request that the answer to a refusal needs. */
interface RefusedRequest {
  /** The scope that the route requires. */
  readonly scope: string | null;
  /** True if the request was received completely. */
  readonly isReceived: boolean;
}

/** The one place where a refusal becomes HTTP. */
export function toRefusalAnswer(refusal: Refusal, { scope, isReceived }: RefusedRequest): PlainAnswer {
  const { status, message } = toHttpAnswer(refusal);
  if (refusal.reason === 'rateLimited') {
    const { retryAfter } = refusal;
    return { status, fields: ['retry-after', String(retryAfter)], body: { message, retryAfter } };
  }
  if (refusal.reason === 'preconditionFailed') {
    const { revisionId, conflicts, differences } = refusal;
    // Undefined members are omitted from JSON.
    return { status, fields: NONE, body: { message, revisionId, conflicts, differences } };
  }
  if (refusal.reason === 'cellsChanged') {
    const { conflicts, areByCaller } = refusal;
    return { status, fields: NONE, body: { message, conflicts, ...(areByCaller ? { byCaller: true } : {}) } };
  }
  if (refusal.reason === 'proposalNotOpen') {
    const { state, decidedBy, decidedAt } = refusal;
    return { status, fields: NONE, body: { message, state, decidedBy, decidedAt } };
  }
  if (isFieldRefusal(refusal)) {
    return { status, fields: NONE, body: { message, errors: { [refusal.field]: [refusal.message] } } };
  }
  if (refusal.reason === 'sheetFull') {
    return { status, fields: NONE, body: { message, errors: { range: [SHEET_FULL_PROBLEM] } } };
  }
  const body = message === null ? CLOSED : { message };
  if (status === 503) return { status, fields: buildBusyHeaders(isReceived), body };
  if (status === 401) return { status, fields: ['www-authenticate', 'Bearer'], body };
  if (refusal.reason !== 'scopeMissing') return { status, fields: NONE, body };
  // RFC 6750 §3.1: the scope that the route requires.
  return { status, fields: ['www-authenticate', `Bearer error="insufficient_scope", scope="${scope ?? ''}"`], body };
}

const NONE: HeaderFields = [];

/**
 * Tells the client when to retry, and closes the connection. The system buffers so short an answer even if the client
 * reads nothing. Without the close, connections of clients that exceed the budget and never read would stay open for
 * their idle time. A connection whose body is still arriving stays open: closing it would reset it, and the client
 * would not see the answer.
 */
function buildBusyHeaders(isReceived: boolean): HeaderFields {
  const retry = ['retry-after', String(BUSY_RETRY_SECONDS)];
  return isReceived ? [...retry, 'connection', 'close'] : retry;
}

export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { routeOptions, raw } = reply.request;
  return sendAnswer(
    reply,
    toRefusalAnswer(refusal, { scope: routeOptions.config.needs?.scope ?? null, isReceived: raw.complete }),
  );
}

/** Sends the result of a use case, or its refusal. `name`: the member of the body that has the result; null: no member. */
export function sendOutcome<T>(reply: FastifyReply, outcome: T | Refusal, name: string | null = null): FastifyReply {
  if (isRefusal(outcome)) return sendRefusal(reply, outcome);
  return reply.send(name === null ? outcome : { [name]: outcome });
}

function sendAnswer(reply: FastifyReply, { status, fields, body }: PlainAnswer): FastifyReply {
  return setHeaders(reply, fields).code(status).send(body);
}

/** Sets the headers of an answer to a request that exceeds the budget. */
export function addShedHeaders(reply: FastifyReply): FastifyReply {
  return setHeaders(reply, buildBusyHeaders(reply.request.raw.complete));
}

/** Sets headers from a list of alternating names and values. */
function setHeaders(reply: FastifyReply, fields: HeaderFields): FastifyReply {
  for (let i = 0; i < fields.length; i += 2) reply.header(fields[i] as string, fields[i + 1]);
  return reply;
}

export function sendNotFound(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.code(404).send({ message: 'Not found' });
}

interface ErrorAnswer {
  readonly status: number;
  readonly message: string;
  /** Error messages by field. */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

const BUSY: ErrorAnswer = { status: 503, message: 'Service busy' };

/**
 * Answers to errors of the framework and the database, by code. A condition that only the operator can end is 503 (see
 * `operator-conditions`). Any other code is a bug of ours.
 */
const KNOWN: Readonly<Record<string, ErrorAnswer>> = {
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { status: 422, message: 'The body is not as long as its Content-Length' },
  FST_ERR_CTP_BODY_TOO_LARGE: { status: 413, message: 'The body is too large' },
  /** Database: another process held the lock for longer than a write waits. Nothing was written. */
  SQLITE_BUSY: BUSY,
  /** Database: too many transactions wait. */
  OVERLOADED: BUSY,
  /** Database: it crashed during a commit. Repeating the request with its `Idempotency-Key` returns the outcome. */
  UNKNOWN_OUTCOME: BUSY,
  /** Part of the document is corrupt. The log names the part and the remedy. */
  DAMAGED_DOCUMENT: { status: 503, message: 'Document is damaged' },
  /** A row of a proposal or an account is corrupt. The log names the row and the remedy. */
  DAMAGED_ROW: { status: 503, message: 'Stored data is damaged' },
  FST_ERR_BAD_URL: { status: 404, message: 'Not found' },
  FST_ERR_MAX_PARAM_LENGTH: { status: 404, message: 'Not found' },
  // The framework reports this for a QUERY request before it looks for a route; there is none.
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: { status: 404, message: 'Not found' },
};

/** No client reads this answer; it appears in logs and metrics. */
const DISCONNECTED: ErrorAnswer = { status: 400, message: 'The request broke off' };

/** True if the client disconnected while it was sending its body. */
function hasDisconnected({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

export function sendError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof RefusedBody) return sendRefusal(reply, error.refusal);
  const problem = findKnownProblem(error) ?? (hasDisconnected(request) ? DISCONNECTED : toErrorAnswer(error, request));
  const answer = toFailureAnswer(error, request, problem);
  if (answer.status === 413) drainBody(request, reply);
  return sendAnswer(reply, answer);
}

type RequestFailure = Error & { readonly code?: string };

/** The failed request, and the log for details that the client does not need. */
interface FailedRequest {
  readonly id: string;
  readonly log: FastifyBaseLogger;
}

/** The answer to a failure. Logs it if the operator must know. */
export function toFailureAnswer(
  error: RequestFailure,
  { id, log }: FailedRequest,
  problem = findKnownProblem(error),
): PlainAnswer {
  if (problem === null) {
    log.error({ requestId: id, err: error }, 'server error');
    return { status: 500, fields: NONE, body: { message: 'Server error', requestId: id } };
  }
  logCondition(log, error, { requestId: id });
  const { status, message, errors } = problem;
  const fields = status === 503 ? ['retry-after', String(BUSY_RETRY_SECONDS)] : NONE;
  return { status, fields, body: errors === undefined ? { message } : { message, errors } };
}

/** The message of an answer to a failure, for adapters that answer in another form. Logs like `toFailureAnswer`. */
export function describeFailure(error: RequestFailure, request: FailedRequest): string {
  return (toFailureAnswer(error, request).body as { readonly message: string }).message;
}

/** The answer to an error that the framework or the operator causes, by its code; null for all others. */
function findKnownProblem({ code = '' }: { readonly code?: string }): ErrorAnswer | null {
  return KNOWN[code] ?? (isOperatorCondition(code) ? BUSY : null);
}

/**
 * Closing a connection while a body is still arriving resets it, and the client sees a broken pipe instead of the
 * answer. So a body of a known, acceptable length is read to its end and dropped.
 */
function drainBody(request: FastifyRequest, reply: FastifyReply): void {
  if (Number(request.headers['content-length']) <= MAX_DRAINED_BODY_BYTES) reply.removeHeader('connection');
}

/** Content types of bodies other than JSON, which some routes accept. */
const OTHER_TYPES: readonly string[] = [LINES_TYPE, CSV_TYPE, XLSX_TYPE, ANY_TYPE];

/** The 422 answer that names the content types which the service accepts. */
function describeUnsupportedType({ server }: FastifyRequest): ErrorAnswer {
  const types = ['application/json', ...OTHER_TYPES.filter((type) => server.hasContentTypeParser(type))];
  return { status: 422, message: `The content type must be ${types.join(' or ')}` };
}

/** The answer to an error that the client caused or can wait out; null for a defect of the service. */
function toErrorAnswer(error: FastifyError, request: FastifyRequest): ErrorAnswer | null {
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return describeUnsupportedType(request);
  if (error.validation !== undefined) return toValidationAnswer(error);
  if (error instanceof MalformedBody) return { status: 422, message: error.message };
  return findKnownProblem(error);
}

/** A 422 that names the first invalid field. */
function toValidationAnswer({ validation = [], validationContext }: FastifyError): ErrorAnswer {
  const [first] = validation;
  if (first?.keyword === UNKNOWN_FIELD) return toUnknownFieldAnswer(validation);
  const path = (first?.instancePath ?? '').split('/').slice(1);
  const missing = first?.params['missingProperty'];
  if (typeof missing === 'string') path.push(missing);
  const field = path.length === 0 ? (validationContext ?? 'body') : path.join('.');
  const text = typeof missing === 'string' ? 'is required' : (first?.message ?? 'is not valid');
  const message = `${field} ${describeViolation(text, first?.params)}`;
  return { status: 422, message, errors: { [field]: [message] } };
}

/** A 422 that lists the fields that the schema does not define. */
function toUnknownFieldAnswer(validation: readonly FastifySchemaValidationError[]): ErrorAnswer {
  const texts = validation.map(
    ({ params, message = '' }) => [truncateText(String(params['field'])), [message]] as const,
  );
  return { status: 422, message: texts[0]?.[1][0] ?? '', errors: Object.fromEntries(texts) };
}

/** The validator's message, improved where it lists allowed values or counts items. */
function describeViolation(text: string, params: Record<string, unknown> | undefined): string {
  const { allowedValues, type, limit } = params ?? {};
  if (Array.isArray(allowedValues)) return `must be one of ${allowedValues.join(', ')}`;
  if (Array.isArray(type)) return `must be ${type.join(' or ')}`;
  if (text === 'must NOT have fewer than 1 items') return 'must not be empty';
  return typeof limit === 'number' ? text.replace('must NOT', 'must not') : text;
}
