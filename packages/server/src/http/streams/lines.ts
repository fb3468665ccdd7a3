import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LINES_TYPE } from '../../operations/schemas/content-types.ts';
import type { Api } from '../api.ts';
import { streamOf } from './stream.ts';

/** Whether a caller asks for lines in the place of one JSON value, and does not say that it would rather have that. */
export function wantsLines({ accept: accepted }: IncomingHttpHeaders): boolean {
  if (accepted === undefined || accepted === '*/*') return false;
  const lines = qualityOf(accepted, LINES_TYPE) ?? 0;
  return lines > 0 && lines >= (qualityOf(accepted, 'application/json') ?? 0);
}

/** The weight of a type that an `Accept` names, from 0 to 1 (RFC 9110 §12.4.2); null where it does not name it. */
function qualityOf(accepted: string, wanted: string): number | null {
  for (const one of accepted.toLowerCase().split(',')) {
    const [type, ...parameters] = one.split(';').map((part) => part.trim());
    if (type !== wanted) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    return /^[01](\.\d{0,3})?$/.test(weight) ? Number(weight) : 1;
  }
  return null;
}

/** Lines of one state of a document. */
interface RevisionLines {
  readonly lines: Iterable<string>;
  readonly revision: number;
}

/** Sends lines as they are made, as fast as the reader takes them. The header says where a broken stream goes on. */
export function sendLines(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  { lines, revision }: RevisionLines,
): FastifyReply {
  request.server.answers.settle(reply.raw);
  reply.header('x-revision', revision);
  return reply.type(`${LINES_TYPE}; charset=utf-8`).send(streamOf(api, request, reply, lines));
}
