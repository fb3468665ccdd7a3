import { runInSlices } from '@cellwire/event-loop';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { DocumentAccess } from '../access/access.ts';
import type { Caller } from '../access/callers.ts';
import type { AccessRefusal } from '../access/refusal.ts';
import { MAX_OWN_REVISION_RANGES } from '../limits/history.ts';
import type { CallConditions } from '../operations/conditions.ts';
import type { AccessAction } from '../service/access-retry.ts';
import {
  findKeptBody,
  findKeptReply,
  hashBody,
  isValidKey,
  type KeyedRequest,
  type KeyScope,
  waitForSameKey,
} from '../service/idempotency.ts';
import { NO_PRECONDITIONS, parsePreconditions } from '../service/preconditions.ts';
import type { RequestBase, RevisionRanges } from '../service/rebase/write-rebased.ts';
import { invalidRequest, isRefusal, type Refusal } from '../service/refusal.ts';
import type { WriteReply } from '../service/reply.ts';
import type { ProposeRequest, WriteRequest } from '../service/write-request.ts';
import { packBody } from './answer-body.ts';
import { type Api, readPathParameter, requireAdmission, requireCaller, requireDocumentAccess } from './api.ts';
import { LineBody } from './bodies/line-bodies.ts';
import { ReceivedFile } from './bodies/uploads.ts';
import { sendParts, sendToUser } from './envelope.ts';
import { sendRefusal } from './errors.ts';
import { readmitRequest, renewAccess } from './renew-access.ts';

const INVALID_KEY = invalidRequest('Idempotency-Key', 'Idempotency-Key must have 1 to 255 printable ASCII characters');

/** Path parameters that identify the target of a request within a document, the most specific first. */
const TARGET_PARAMETERS = ['range', 'sheet', 'revision', 'delivery', 'webhook'] as const;

/** The scope in which a request's key is unique; null without a valid key. */
export function toKeyScope(request: FastifyRequest, userId: number): KeyScope | null {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || !isValidKey(key)) return null;
  const { url, config } = request.routeOptions;
  const document = readPathParameter(request, 'document').toLowerCase();
  const { method } = request;
  if (config.needs?.createsDocument || config.ends)
    return { userId, documentId: null, method, path: `${url} ${document}`, key };
  const place = TARGET_PARAMETERS.map((name) => readPathParameter(request, name)).find((text) => text !== '') ?? '';
  return { userId, documentId: document, method, path: `${url} ${place}`, key };
}

/** Answers a repeated request before its body is validated: what was accepted once is accepted again. */
export function createIdempotencyHook(api: Api) {
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    if (request.headers['idempotency-key'] === undefined) return done();
    // The framework runs no further hooks after a reply was sent.
    readKey(api, request, reply).then(() => done(), done);
  };
}

async function readKey(api: Api, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const scope = toKeyScope(request, requireAdmission(request).caller.userId);
  if (scope === null) return sendRefusal(reply, INVALID_KEY);
  // Dry runs are neither stored nor answered from a stored reply.
  if (isDryRun(request)) return;
  // For an NDJSON body, each batch is stored and compared separately.
  if (request.body instanceof LineBody) {
    request.keyed = { scope, bodyHash: '' };
    return;
  }
  const hash = await runInSlices(hashBody(selectComparedContent(request)));
  const keyed = { scope, bodyHash: hash };
  await waitForSameKey(api.context, keyed);
  const refusal = await readmitRequest(api, request);
  if (refusal !== null)
    return answerRefused(api, request, reply, { caller: requireAdmission(request).caller, refusal });
  const keptReply = await findKeptReply(api.context, keyed);
  if (keptReply !== null) return sendReply(api, request, reply, keptReply);
  request.keyed = keyed;
}

/**
 * Answers a request that the gate refuses. If the request deletes a document that no longer exists, and the same key
 * deleted it, this is a repeated request and gets the stored reply.
 */
export async function answerRefused(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  { caller, refusal }: { readonly caller: Caller | null; readonly refusal: AccessRefusal },
): Promise<FastifyReply> {
  const mayBeDone = request.routeOptions.config.ends && refusal.reason === 'documentNotFound';
  if (!mayBeDone || caller === null) return sendRefusal(reply, refusal);
  const scope = toKeyScope(request, caller.userId);
  const keptBody = scope === null ? null : await findKeptBody(api.context, scope);
  if (keptBody === null) return sendRefusal(reply, refusal);
  return sendToUser(caller.userId, request, reply.header('idempotency-replayed', 'true'), packBody([keptBody]));
}

/** What distinguishes requests with the same key. For a file: its bytes and parameters. */
function selectComparedContent({ body, query }: FastifyRequest): unknown {
  if (body instanceof ReceivedFile) return { file: body.hash, query };
  const { propose, title, note } = toOptionMembers(query);
  const isPlain = propose === undefined && title === undefined && note === undefined;
  return isPlain ? body : { body, propose, title, note };
}

/** The revision to which the addresses of a request refer. Sent by the console, not by callers of the API. */
const BASE_REVISION = 'cellwire-base-revision';
/** `true`: the write is refused if another user wrote its cells since. `keep`: it leaves these cells as they are. */
const UNLESS_CHANGED = 'cellwire-unless-changed';
/** The sender has seen the changes up to this revision. Absent: up to the base revision. */
const SEEN_REVISION = 'cellwire-seen-revision';
/**
 * The revisions that the sending page wrote after the base revision: `12,15-18`, ascending. At most
 * `MAX_OWN_REVISION_RANGES` ranges are read; the others count as writes of another user.
 */
const OWN_REVISIONS = 'cellwire-own-revisions';
const REVISION = /^\d{1,15}$/;
const REVISION_RANGE = /^(\d{1,15})(?:-(\d{1,15}))?$/;

/** The revision to which the addresses refer. Null: they refer to the state at the time of the write. */
export function parseRequestBase(request: FastifyRequest): RequestBase | null {
  const { headers } = request;
  const { [BASE_REVISION]: revision, [UNLESS_CHANGED]: unlessChanged, [SEEN_REVISION]: seen } = headers;
  if (typeof revision !== 'string' || !REVISION.test(revision)) return null;
  if (requireCaller(request).principal.kind !== 'session') return null;
  const changedCells = unlessChanged === 'keep' ? 'keep' : unlessChanged === 'true' ? 'refuse' : 'overwrite';
  const seenRevision = typeof seen === 'string' && REVISION.test(seen) ? Number(seen) : Number(revision);
  const ownRevisions = parseRevisionRanges(headers[OWN_REVISIONS]);
  return { revision: Number(revision), changedCells, seenRevision, ownRevisions };
}

function parseRevisionRanges(text: unknown): RevisionRanges {
  if (typeof text !== 'string') return [];
  const parts = text.split(',', MAX_OWN_REVISION_RANGES);
  return parts.flatMap((part) => {
    const [, first, last = first] = REVISION_RANGE.exec(part.trim()) ?? [];
    return first === undefined ? [] : [[Number(first), Number(last)] as const];
  });
}

/** A request's conditions on the state to which it is applied. Call it after the hooks have read them. */
export function toCallConditions(request: FastifyRequest): CallConditions {
  const { preconditions, keyed } = request;
  return {
    ...(preconditions ?? NO_PRECONDITIONS),
    keyed,
    dryRun: isDryRun(request),
    base: parseRequestBase(request),
    propose: toProposeRequest(request),
  };
}

/** The title of a proposal, if the request asks for one or all writes of its token become proposals. */
function toProposeRequest(request: FastifyRequest): ProposeRequest | null {
  const { operation } = request.routeOptions.config;
  const { propose, title, note } = toOptionMembers(request.query);
  if (operation?.effect !== 'write' || (propose !== 'true' && !requireCaller(request).proposes)) return null;
  return {
    title: typeof title === 'string' ? title : null,
    note: typeof note === 'string' ? note : null,
    operation: { id: operation.id, input: collectInput(request) },
    rebased: null,
  };
}

/** The input of an operation: members of path, query and JSON body in one object. */
export function collectInput({ params, query, body }: FastifyRequest): object {
  const isJson = typeof body === 'object' && !(body instanceof LineBody || body instanceof ReceivedFile);
  return { ...(params as object), ...(query as object), ...(isJson ? body : {}) };
}

/** Creates a write request from the properties of an HTTP request. */
export function createWriteRequest(api: Api, request: FastifyRequest): WriteRequest {
  const { bodyBytes } = request;
  const reauthorize = () => renewAccess(api, request);
  return { ...toCallConditions(request), access: requireDocumentAccess(request), bodyBytes, reauthorize };
}

/** Describes the access decision and the `Idempotency-Key` of a request that changes a document. */
export function createDocumentAction(api: Api, request: FastifyRequest): AccessAction<DocumentAccess> {
  return { by: requireDocumentAccess(request), keyed: request.keyed, reauthorize: () => renewAccess(api, request) };
}

/** Whether the query or the body requests a dry run. Different values in the two are refused before any write. */
function isDryRun({ query, body }: FastifyRequest): boolean {
  return toOptionMembers(query)['dryRun'] === 'true' || toOptionMembers(body)['dryRun'] === true;
}

/** Reads a write's conditions from its headers, its body and its query. */
export function readPreconditions(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  const { config } = request.routeOptions;
  if (config.needs?.scope === 'sheets.read') return done();
  const { 'if-match': ifMatch } = request.headers;
  if (ifMatch !== undefined && config.operation?.effect !== 'write') return void sendRefusal(reply, NO_IF_MATCH);
  if (!config.keyed) return done();
  const members = toOptionMembers(request.body);
  const query = toOptionMembers(request.query);
  const differing = refuseDifferingOption(members, query);
  if (differing !== null) return void sendRefusal(reply, differing);
  const unused = refuseUnusedTexts(request, query);
  if (unused !== null) return void sendRefusal(reply, unused);
  const preconditions = parsePreconditions(ifMatch, members['ifRevision'] ?? query['ifRevision'], members['expect']);
  if (isRefusal(preconditions)) return void sendRefusal(reply, preconditions);
  request.preconditions = preconditions;
  done();
}

const NO_IF_MATCH = invalidRequest('If-Match', 'If-Match is for writes of values, records, sheets and structure');

/** Refuses an option with different values in the body and the query. */
function refuseDifferingOption(members: OptionMembers, query: OptionMembers): Refusal | null {
  const name = ['ifRevision', 'dryRun'].find((option) => {
    const [inBody, inQuery] = [members[option], query[option]];
    return inBody !== undefined && inQuery !== undefined && String(inBody) !== String(inQuery);
  });
  return name === undefined ? null : invalidRequest(name, `${name} differs between the query and the body`);
}

/** Refuses the texts of a proposal if the request makes none. */
function refuseUnusedTexts(request: FastifyRequest, query: OptionMembers): Refusal | null {
  if (request.routeOptions.config.operation?.effect !== 'write') return null;
  if (query['propose'] === 'true' || requireCaller(request).proposes) return null;
  const name = ['title', 'note'].find((text) => query[text] !== undefined);
  return name === undefined ? null : invalidRequest(name, `${name} is a text of a proposal; add propose=true`);
}

type OptionMembers = Readonly<Record<string, unknown>>;

function toOptionMembers(value: unknown): OptionMembers {
  return typeof value === 'object' && value !== null ? (value as OptionMembers) : {};
}

/** Answers a write. The console, which offers undo, also gets the revision. */
export function sendReply(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: WriteReply | Refusal,
): FastifyReply | Promise<FastifyReply> {
  if (isRefusal(outcome)) {
    return request.keyed ? sendRefused(api, request, reply, request.keyed, outcome) : sendRefusal(reply, outcome);
  }
  const { revision } = outcome;
  if (outcome.isProposal) reply.code(202).header('cellwire-proposed', 'true');
  if (revision !== null && requireCaller(request).principal.kind === 'session') reply.header('x-revision', revision);
  if (!outcome.replayed) return sendParts(request, reply, [outcome.body]);
  reply.header('idempotency-replayed', 'true');
  return api.gate.refundRequest(requireAdmission(request)).then(() => sendParts(request, reply, [outcome.body]));
}

/** Another process may have completed the same request meanwhile, which can be the reason for this refusal. */
async function sendRefused(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  keyed: KeyedRequest,
  refusal: Refusal,
): Promise<FastifyReply> {
  const closed = await readmitRequest(api, request);
  if (closed !== null) return sendRefusal(reply, closed);
  const keptReply = await findKeptReply(api.context, keyed);
  return keptReply === null || isRefusal(keptReply)
    ? sendRefusal(reply, refusal)
    : sendReply(api, request, reply, keptReply);
}
