import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JsonPart } from '../operations/answer.ts';
import { BUSY } from '../service/refusal.ts';
import { admitBody, measurePackedBody, type PackedBody, packBody, writeBody } from './answer-body.ts';
import { requireCaller } from './api.ts';
import { sendRefusal } from './errors.ts';
import { JSON_TYPE } from './response-headers.ts';

/** Sends a body in parts directly to the raw response, because all headers are known. */
export function sendParts(request: FastifyRequest, reply: FastifyReply, parts: readonly JsonPart[]): FastifyReply {
  return sendPackedBody(request, reply, packBody(parts));
}

export function sendPackedBody(request: FastifyRequest, reply: FastifyReply, body: PackedBody): FastifyReply {
  return sendBodyToUser(requireCaller(request).userId, request, reply, body);
}

/** Sends a body to a user whose request the gate may have refused. */
export function sendBodyToUser(
  userId: number,
  request: FastifyRequest,
  reply: FastifyReply,
  body: PackedBody,
): FastifyReply {
  const { answers } = request.server;
  const { raw } = reply;
  answers.releaseReservation(raw);
  if (!admitBody(answers, userId, body, raw)) return sendRefusal(reply, BUSY);
  reply.header('content-type', JSON_TYPE).header('content-length', measurePackedBody(body));
  reply.hijack();
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  writeBody(raw, body);
  return reply;
}
