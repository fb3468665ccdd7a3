import { SOURCES_CHANGED } from '@cellwire/event-loop';
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
import { answerFor, isFieldRefusal, type Refusal, truncateText } from '../service/refusal.ts';
import { MalformedBody, RefusedBody } from './bodies/json-body.ts';
import { UNKNOWN_FIELD } from './bodies/unknown-input.ts';
import { countNotice } from './monitoring/repeated-notices.ts';
import type { Fields } from './response-headers.ts';

/** What says nothing more than that access is closed (decisions §7). */
const CLOSED = { success: false, access: false } as const;

/** What is answered in place of what was asked for, before anything of it is sent. */
export interface PlainAnswer {
  readonly status: number;
  /** Beside those of every answer, and those that tell of the body. */
  readonly fields: Fields;
  /** Sent as JSON. */
  readonly body: object;
}

/** What an answer to a refusal tells of its request. */
interface Refused {
  /** That the route needs. */
  readonly scope: string | null;
  /** Nothing more comes of it. */
  readonly hasCome: boolean;
}

/** The one place where a refusal becomes HTTP. */
export function refusalAnswer(refusal: Refusal, { scope, hasCome }: Refused): PlainAnswer {
  const { status, message } = answerFor(refusal);
  if (refusal.reason === 'rateLimited') {
    const { retryAfter } = refusal;
    return { status, fields: ['retry-after', String(retryAfter)], body: { message, retryAfter } };
  }
  if (refusal.reason === 'preconditionFailed') {
    const { revisionId, conflicts, differences } = refusal;
    // What is undefined has no place in JSON.
    return { status, fields: NONE, body: { message, revisionId, conflicts, differences } };
  }
  if (refusal.reason === 'proposalNotOpen') {
    const { state, decidedBy, decidedAt } = refusal;
    return { status, fields: NONE, body: { message, state, decidedBy, decidedAt } };
  }
  if (isFieldRefusal(refusal)) {
    return { status, fields: NONE, body: { message, errors: { [refusal.field]: [refusal.message] } } };
  }
  const body = message === null ? CLOSED : { message };
  if (status === 503) return { status, fields: shedFields(hasCome), body };
  if (status === 401) return { status, fields: ['www-authenticate', 'Bearer'], body };
  if (refusal.reason !== 'scopeMissing') return { status, fields: NONE, body };
  // RFC 6750 §3.1: which scope the route needs.
  return { status, fields: ['www-authenticate', `Bearer error="insufficient_scope", scope="${scope ?? ''}"`], body };
}

const NONE: Fields = [];

/**
 * Says when to come again, and gives the connection back: the system takes so short an answer whether anybody reads it or
 * not, so of connections that ask for more than there is room for, and take nothing, each would stay for its idle time.
 * One whose body still comes stays: closing it would reset it, and its sender would not see the answer.
 */
function shedFields(hasCome: boolean): Fields {
  const retry = ['retry-after', String(BUSY_RETRY_SECONDS)];
  return hasCome ? [...retry, 'connection', 'close'] : retry;
}

export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { routeOptions, raw } = reply.request;
  return send(
    reply,
    refusalAnswer(refusal, { scope: routeOptions.config.needs?.scope ?? null, hasCome: raw.complete }),
  );
}

function send(reply: FastifyReply, { status, fields, body }: PlainAnswer): FastifyReply {
  return setFields(reply, fields).code(status).send(body);
}

/** Sets the fields of an answer for which there is no room. */
export function shed(reply: FastifyReply): FastifyReply {
  return setFields(reply, shedFields(reply.request.raw.complete));
}

function setFields(reply: FastifyReply, fields: Fields): FastifyReply {
  for (let i = 0; i < fields.length; i += 2) reply.header(fields[i] as string, fields[i + 1]);
  return reply;
}

export function sendNotFound(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.code(404).send({ message: 'Not found' });
}

interface Problem {
  readonly status: number;
  readonly message: string;
  /** Texts by the fields that they are about. */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

/** PostgreSQL's code for a full disk. */
const PG_DISK_FULL = '53100';

/** Errors of the framework and the database by their codes; what is in no table is a bug of ours. */
const KNOWN: Readonly<Record<string, Problem>> = {
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { status: 422, message: 'The body is not as long as its Content-Length' },
  FST_ERR_CTP_BODY_TOO_LARGE: { status: 413, message: 'The body is too large' },
  /** No room on the disk, for a file that comes or goes or for what is to be written; the log says so. */
  ENOSPC: { status: 503, message: 'Service busy' },
  EDQUOT: { status: 503, message: 'Service busy' },
  SQLITE_FULL: { status: 503, message: 'Service busy' },
  /** No file can be opened: the process has as many as it may. */
  EMFILE: { status: 503, message: 'Service busy' },
  ENFILE: { status: 503, message: 'Service busy' },
  [PG_DISK_FULL]: { status: 503, message: 'Service busy' },
  /** The database's: another process holds it for longer than a write waits. Nothing was written. */
  SQLITE_BUSY: { status: 503, message: 'Service busy' },
  /** … too many transactions wait. */
  OVERLOADED: { status: 503, message: 'Service busy' },
  /** … it cannot be reached. What the caller wanted was not done, or (a commit whose answer was lost) nobody knows. */
  UNAVAILABLE: { status: 503, message: 'Service busy' },
  /** … and it crashed in the middle of a commit. The same again with its `Idempotency-Key` tells. */
  UNKNOWN_OUTCOME: { status: 503, message: 'Service busy' },
  /** A piece of the document is not what was written; the log names it and what helps. */
  DAMAGED_DOCUMENT: { status: 503, message: 'Document is damaged' },
  /** The document was stored by a later version, as in the middle of an upgrade: other nodes can read it; the log says so. */
  LATER_FORM: { status: 503, message: 'Service busy' },
  /** A thread that the request needs would run another version: restart; the log says so. */
  [SOURCES_CHANGED]: { status: 503, message: 'Service busy' },
  FST_ERR_BAD_URL: { status: 404, message: 'Not found' },
  FST_ERR_MAX_PARAM_LENGTH: { status: 404, message: 'Not found' },
  // What the framework says of a QUERY request before it looks for its route; there is none.
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: { status: 404, message: 'Not found' },
};

const NO_ROOM = 'no room on the disk';
const NO_DESCRIPTOR = 'no file descriptor is left';
/** What operators have to know of, beside what callers are answered. */
const LOGGED: Readonly<Record<string, string>> = {
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
  SQLITE_FULL: NO_ROOM,
  EMFILE: NO_DESCRIPTOR,
  ENFILE: NO_DESCRIPTOR,
  [PG_DISK_FULL]: NO_ROOM,
  [SOURCES_CHANGED]: 'no thread can be started',
  LATER_FORM: 'a document of a later version',
  DAMAGED_DOCUMENT: 'a document is damaged',
};

/** Nobody reads this answer; it is what logs and figures show. */
const BROKEN_OFF: Problem = { status: 400, message: 'The request broke off' };

/** The sender went away in the middle of its body. */
function brokeOff({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

export function sendError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof RefusedBody) return sendRefusal(reply, error.refusal);
  const problem = knownProblem(error) ?? (brokeOff(request) ? BROKEN_OFF : problemOf(error, request));
  const answer = failureAnswer(error, request, problem);
  if (answer.status === 413) letFinish(request, reply);
  return send(reply, answer);
}

type Failure = Error & { readonly code?: string };

/** Whose request failed, and who is told of what its sender need not know. */
interface Failed {
  readonly id: string;
  readonly log: FastifyBaseLogger;
}

/** What is answered to a failure, which the log is told of where operators have to know. */
export function failureAnswer(error: Failure, { id, log }: Failed, problem = knownProblem(error)): PlainAnswer {
  if (problem === null) {
    log.error({ requestId: id, err: error }, 'server error');
    return { status: 500, fields: NONE, body: { message: 'Server error', requestId: id } };
  }
  const logged = LOGGED[error.code ?? ''];
  if (logged !== undefined) logNotice(log, id, error, logged);
  const { status, message, errors } = problem;
  const fields = status === 503 ? ['retry-after', String(BUSY_RETRY_SECONDS)] : NONE;
  return { status, fields, body: errors === undefined ? { message } : { message, errors } };
}

/** One line a minute, without a stack: the operator's remedy is elsewhere than in the code. */
function logNotice(log: FastifyBaseLogger, requestId: string, { code, message }: Failure, text: string): void {
  const repeated = countNotice(`${text}\n${message}`);
  if (repeated === null) return;
  log.error({ requestId, code, reason: message, ...(repeated > 0 ? { repeated } : {}) }, text);
}

function knownProblem({ code = '' }: { readonly code?: string }): Problem | null {
  return KNOWN[code] ?? null;
}

/**
 * Closing the connection while a body still comes in resets it, and the sender sees a broken pipe in place of the
 * answer. So a body of a known, bearable length is read to its end and dropped.
 */
function letFinish(request: FastifyRequest, reply: FastifyReply): void {
  if (Number(request.headers['content-length']) <= MAX_DRAINED_BODY_BYTES) reply.removeHeader('connection');
}

/** Content types of bodies beside JSON, which some routes take. */
const OTHER_TYPES: readonly string[] = [LINES_TYPE, CSV_TYPE, XLSX_TYPE, ANY_TYPE];

/** The content type is none that the route takes. */
function foreignType({ server }: FastifyRequest): Problem {
  const types = ['application/json', ...OTHER_TYPES.filter((type) => server.hasContentTypeParser(type))];
  return { status: 422, message: `The content type must be ${types.join(' or ')}` };
}

function problemOf(error: FastifyError, request: FastifyRequest): Problem | null {
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return foreignType(request);
  if (error.validation !== undefined) return invalid(error);
  if (error instanceof MalformedBody) return { status: 422, message: error.message };
  return knownProblem(error);
}

function invalid({ validation = [], validationContext }: FastifyError): Problem {
  const [first] = validation;
  if (first?.keyword === UNKNOWN_FIELD) return unknown(validation);
  const path = (first?.instancePath ?? '').split('/').slice(1);
  const missing = first?.params['missingProperty'];
  if (typeof missing === 'string') path.push(missing);
  const field = path.length === 0 ? (validationContext ?? 'body') : path.join('.');
  const text = typeof missing === 'string' ? 'is required' : (first?.message ?? 'is not valid');
  const message = `${field} ${inWords(text, first?.params)}`;
  return { status: 422, message, errors: { [field]: [message] } };
}

function unknown(validation: readonly FastifySchemaValidationError[]): Problem {
  const texts = validation.map(
    ({ params, message = '' }) => [truncateText(String(params['field'])), [message]] as const,
  );
  return { status: 422, message: texts[0]?.[1][0] ?? '', errors: Object.fromEntries(texts) };
}

/** The checker's sentence, better where it lists what would do or counts items. */
function inWords(text: string, params: Record<string, unknown> | undefined): string {
  const { allowedValues, type, limit } = params ?? {};
  if (Array.isArray(allowedValues)) return `must be one of ${allowedValues.join(', ')}`;
  if (Array.isArray(type)) return `must be ${type.join(' or ')}`;
  if (text === 'must NOT have fewer than 1 items') return 'must not be empty';
  return typeof limit === 'number' ? text.replace('must NOT', 'must not') : text;
}
