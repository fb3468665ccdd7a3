import { runInSlices } from '@cellwire/event-loop';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Caller } from '../access/callers.ts';
import type { AccessRefusal } from '../access/refusal.ts';
import {
  findKeptBody,
  findKeptReply,
  hashBody,
  isValidKey,
  type KeyScope,
  waitForSameKey,
} from '../service/idempotency.ts';
import { invalidRequest } from '../service/refusal.ts';
import { packBody } from './answer-body.ts';
import { type Api, readDocumentId, requireAdmission } from './api.ts';
import { LineBody } from './bodies/line-bodies.ts';
import { ReceivedFile } from './bodies/uploads.ts';
import { isDryRun, toOptionMembers } from './call-conditions.ts';
import { sendBodyToUser } from './envelope.ts';
import { sendRefusal } from './errors.ts';
import { readmitRequest } from './renew-access.ts';
import { sendReply } from './write-reply.ts';

const INVALID_KEY = invalidRequest('Idempotency-Key', 'Idempotency-Key must have 1 to 255 printable ASCII characters');

/** The scope in which a request's key is unique; null without a valid key. */
export function toKeyScope(request: FastifyRequest, userId: number): KeyScope | null {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || !isValidKey(key)) return null;
  const { url, config } = request.routeOptions;
  const document = readDocumentId(request).toLowerCase();
  const { method } = request;
  if (config.needs?.createsDocument || config.ends)
    return { userId, documentId: null, method, path: `${url} ${document}`, key };
  return { userId, documentId: document, method, path: `${url} ${readTarget(request)}`, key };
}

/** The target of a request within a document: the last parameter in its path. Empty: the whole document. */
function readTarget({ params }: FastifyRequest): string {
  const inOrder = Object.entries(params as Readonly<Record<string, string>>);
  return inOrder.findLast(([name]) => name !== 'document')?.[1] ?? '';
}

/** Answers a repeated request before its body is validated: what was accepted once is accepted again. */
export function createIdempotencyHook(api: Api) {
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    if (request.headers['idempotency-key'] === undefined) return done();
    // The framework runs no further hooks after a reply was sent.
    readIdempotencyKey(api, request, reply).then(() => done(), done);
  };
}

/** Answers from the stored reply of the key, or notes the key for the write. Sends a refusal if the key is invalid. */
async function readIdempotencyKey(api: Api, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
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
    return answerRefusedRequest(api, request, reply, { caller: requireAdmission(request).caller, refusal });
  const keptReply = await findKeptReply(api.context, keyed);
  if (keptReply !== null) return sendReply(api, request, reply, keptReply);
  request.keyed = keyed;
}

/**
 * Answers a request that the gate refuses. If the request deletes a document that no longer exists, and the same key
 * deleted it, this is a repeated request and gets the stored reply.
 */
export async function answerRefusedRequest(
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
  return sendBodyToUser(caller.userId, request, reply.header('idempotency-replayed', 'true'), packBody([keptBody]));
}

/** What distinguishes requests with the same key. For a file: its bytes and parameters. */
function selectComparedContent({ body, query }: FastifyRequest): unknown {
  if (body instanceof ReceivedFile) return { file: body.hash, query };
  const { propose, title, note } = toOptionMembers(query);
  const isPlain = propose === undefined && title === undefined && note === undefined;
  return isPlain ? body : { body, propose, title, note };
}
