import { runInSlices } from '@cellwire/event-loop';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { DocumentAccess } from '../access/access.ts';
import type { Caller } from '../access/callers.ts';
import type { AccessRefusal } from '../access/refusal.ts';
import type { CallConditions } from '../operations/conditions.ts';
import type { AccessAction } from '../service/access-retry.ts';
import {
  bodyHash,
  findKeptBody,
  findKeptReply,
  isValidKey,
  type KeyedRequest,
  type KeyScope,
  waitForSameKey,
} from '../service/idempotency.ts';
import { NO_PRECONDITIONS, parsePreconditions } from '../service/preconditions.ts';
import type { RequestBase } from '../service/rebase/write-rebased.ts';
import { invalidRequest, isRefusal, type Refusal } from '../service/refusal.ts';
import type { WriteReply } from '../service/reply.ts';
import type { ProposeRequest, WriteRequest } from '../service/write-request.ts';
import { type Api, accessOf, admittedOf, callerOf, pathText } from './api.ts';
import { LineBody } from './bodies/line-bodies.ts';
import { Upload } from './bodies/uploads.ts';
import { sendParts } from './envelope.ts';
import { sendRefusal } from './errors.ts';
import { readmit, renewAccess } from './renew-access.ts';

const INVALID_KEY = invalidRequest('Idempotency-Key', 'Idempotency-Key must have 1 to 255 printable ASCII characters');

/** The parts of a path that say what a request is about, within a document; the most exact first. */
const PLACES = ['range', 'sheet', 'revision', 'delivery', 'webhook'] as const;

/** What a request's key is valid for; null without a (valid) key. */
export function keyScope(request: FastifyRequest, userId: number): KeyScope | null {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || !isValidKey(key)) return null;
  const { url, config } = request.routeOptions;
  const document = pathText(request, 'document').toLowerCase();
  const { method } = request;
  if (config.needs?.createsDocument || config.ends)
    return { userId, documentId: null, method, path: `${url} ${document}`, key };
  const place = PLACES.map((name) => pathText(request, name)).find((text) => text !== '') ?? '';
  return { userId, documentId: document, method, path: `${url} ${place}`, key };
}

/** Answers a repetition before its body is judged: what was accepted once is accepted again. */
export function idempotencyHook(api: Api) {
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    if (request.headers['idempotency-key'] === undefined) return done();
    // The framework goes no further with what is answered.
    readKey(api, request, reply).then(() => done(), done);
  };
}

async function readKey(api: Api, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const scope = keyScope(request, admittedOf(request).caller.userId);
  if (scope === null) return sendRefusal(reply, INVALID_KEY);
  // Nothing of it is kept, and nothing that was kept answers it.
  if (isDryRun(request)) return;
  // Of a body that comes batch by batch each is kept and compared by itself.
  if (request.body instanceof LineBody) {
    request.keyed = { scope, bodyHash: '' };
    return;
  }
  const hash = await runInSlices(bodyHash(comparedOf(request)));
  const keyed = { scope, bodyHash: hash };
  await waitForSameKey(api.context, keyed);
  const refusal = await readmit(api, request);
  if (refusal !== null) return answerRefused(api, request, reply, { caller: admittedOf(request).caller, refusal });
  const kept = await findKeptReply(api.context, keyed);
  if (kept !== null) return sendReply(api, request, reply, kept);
  request.keyed = keyed;
}

/**
 * Answers a request that the gate refuses. Where the request deletes a document that is not there any more, and has done
 * so under its key, that is a repetition.
 */
export async function answerRefused(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  { caller, refusal }: { readonly caller: Caller | null; readonly refusal: AccessRefusal },
): Promise<FastifyReply> {
  const mayBeDone = request.routeOptions.config.ends && refusal.reason === 'documentNotFound' && caller !== null;
  const scope = mayBeDone ? keyScope(request, caller.userId) : null;
  const kept = scope === null ? null : await findKeptBody(api.context, scope);
  if (kept === null) return sendRefusal(reply, refusal);
  return sendParts(request, reply.header('idempotency-replayed', 'true'), [kept]);
}

/** What tells a request from another with the same key. Of a file its bytes, and what is said of it. */
function comparedOf({ body, query }: FastifyRequest): unknown {
  if (body instanceof Upload) return { file: body.hash, query };
  const { propose, title, note } = membersOf(query);
  const isPlain = propose === undefined && title === undefined && note === undefined;
  return isPlain ? body : { body, propose, title, note };
}

/** The revision that the addresses of a request are of. The console sends it; the API's callers do not. */
const BASE_REVISION = 'cellwire-base-revision';
/** `true`: the write is refused if someone else wrote its cells since. */
const UNLESS_CHANGED = 'cellwire-unless-changed';
const REVISION = /^\d{1,15}$/;

/** Null: the addresses of the request mean what they mean when it comes to be written. */
export function baseOf(request: FastifyRequest): RequestBase | null {
  const { [BASE_REVISION]: revision, [UNLESS_CHANGED]: unlessChanged } = request.headers;
  if (typeof revision !== 'string' || !REVISION.test(revision)) return null;
  if (callerOf(request).principal.kind !== 'session') return null;
  return { revision: Number(revision), unlessChanged: unlessChanged === 'true' };
}

/** What a request asks of the state that it is applied to, once the hooks have read it. */
export function conditionsOf(request: FastifyRequest): CallConditions {
  const { asked, keyed } = request;
  return {
    ...(asked ?? NO_PRECONDITIONS),
    keyed,
    dryRun: isDryRun(request),
    base: baseOf(request),
    propose: proposeOf(request),
  };
}

/** What a proposal is to be called, if the request asks for one or its token's writes all become one. */
function proposeOf(request: FastifyRequest): ProposeRequest | null {
  const { operation } = request.routeOptions.config;
  const { propose, title, note } = membersOf(request.query);
  if (operation?.effect !== 'write' || (propose !== 'true' && !callerOf(request).proposes)) return null;
  return {
    title: typeof title === 'string' ? title : null,
    note: typeof note === 'string' ? note : null,
    operation: { id: operation.id, input: inputOf(request) },
    rebased: null,
  };
}

/** What an operation takes: the members of path, query and JSON body in one object. */
export function inputOf({ params, query, body }: FastifyRequest): object {
  const isJson = typeof body === 'object' && !(body instanceof LineBody || body instanceof Upload);
  return { ...(params as object), ...(query as object), ...(isJson ? body : {}) };
}

/** What a write needs of its request. */
export function writeOf(api: Api, request: FastifyRequest): WriteRequest {
  const { bodyBytes } = request;
  const reauthorize = () => renewAccess(api, request);
  return { ...conditionsOf(request), access: accessOf(request), bodyBytes, reauthorize };
}

/** What a keyed change of a document needs of its request. */
export function actionOf(api: Api, request: FastifyRequest): AccessAction<DocumentAccess> {
  return { by: accessOf(request), keyed: request.keyed, reauthorize: () => renewAccess(api, request) };
}

/** Whether the query or the body asks for it. Those that differ are refused before anything is written. */
function isDryRun({ query, body }: FastifyRequest): boolean {
  return membersOf(query)['dryRun'] === 'true' || membersOf(body)['dryRun'] === true;
}

/** Reads what a write asks of the state that it is applied to, in its header, its body and its query. */
export function preconditionsHook(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  const { config } = request.routeOptions;
  if (config.needs?.scope === 'sheets.read') return done();
  const { 'if-match': ifMatch } = request.headers;
  if (ifMatch !== undefined && config.operation?.effect !== 'write') return void sendRefusal(reply, NO_IF_MATCH);
  if (!config.keyed) return done();
  const members = membersOf(request.body);
  const query = membersOf(request.query);
  const differing = differingOption(members, query);
  if (differing !== null) return void sendRefusal(reply, differing);
  const asked = parsePreconditions(ifMatch, members['ifRevision'] ?? query['ifRevision'], members['expect']);
  if (isRefusal(asked)) return void sendRefusal(reply, asked);
  request.asked = asked;
  done();
}

const NO_IF_MATCH = invalidRequest('If-Match', 'If-Match is for writes of values, records, sheets and structure');

/** Refuses an option that the body and the query give two values. */
function differingOption(members: Members, query: Members): Refusal | null {
  const name = ['ifRevision', 'dryRun'].find((option) => {
    const [inBody, inQuery] = [members[option], query[option]];
    return inBody !== undefined && inQuery !== undefined && String(inBody) !== String(inQuery);
  });
  return name === undefined ? null : invalidRequest(name, `${name} differs between the query and the body`);
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(sent: unknown): Members {
  return typeof sent === 'object' && sent !== null ? (sent as Members) : {};
}

/** Answers a write. The console, which lets people take back what they did, is told which revision it became. */
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
  if (revision !== null && callerOf(request).principal.kind === 'session') reply.header('x-revision', revision);
  if (!outcome.replayed) return sendParts(request, reply, [outcome.body]);
  reply.header('idempotency-replayed', 'true');
  return api.gate.refund(admittedOf(request)).then(() => sendParts(request, reply, [outcome.body]));
}

/** Another process may have done the very request meanwhile, and thereby what this one was refused for. */
async function sendRefused(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  keyed: KeyedRequest,
  refusal: Refusal,
): Promise<FastifyReply> {
  const closed = await readmit(api, request);
  if (closed !== null) return sendRefusal(reply, closed);
  const kept = await findKeptReply(api.context, keyed);
  return kept === null || isRefusal(kept) ? sendRefusal(reply, refusal) : sendReply(api, request, reply, kept);
}
