import type { FastifyReply, FastifyRequest } from 'fastify';
import { findKeptReply, type KeyedRequest } from '../service/idempotency.ts';
import { isRefusal, type Refusal } from '../service/refusal.ts';
import type { WriteReply } from '../service/reply.ts';
import { type Api, requireAdmission, requireCaller } from './api.ts';
import { sendParts } from './envelope.ts';
import { sendRefusal } from './errors.ts';
import { readmitRequest } from './renew-access.ts';

/** Answers a write. The console, which offers undo, also gets the revision. */
export function sendReply(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: WriteReply | Refusal,
): FastifyReply | Promise<FastifyReply> {
  if (isRefusal(outcome)) {
    return request.keyed ? sendRefusedWrite(api, request, reply, request.keyed, outcome) : sendRefusal(reply, outcome);
  }
  const { revision } = outcome;
  if (outcome.isProposal) reply.code(202).header('cellwire-proposed', 'true');
  if (revision !== null && requireCaller(request).principal.kind === 'session') reply.header('x-revision', revision);
  if (!outcome.replayed) return sendParts(request, reply, [outcome.body]);
  reply.header('idempotency-replayed', 'true');
  return api.gate.refundRequest(requireAdmission(request)).then(() => sendParts(request, reply, [outcome.body]));
}

/** Sends a refusal, or the stored reply if another process has completed the same request meanwhile. */
async function sendRefusedWrite(
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
