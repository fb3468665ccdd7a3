import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LINES_TYPE } from '../../operations/schemas/content-types.ts';
import type { Api } from '../api.ts';
import { streamPieces } from './stream.ts';

/** Whether a caller prefers NDJSON to one JSON value. */
export function acceptsLines({ accept: accepted }: IncomingHttpHeaders): boolean {
  if (accepted === undefined || accepted === '*/*') return false;
  const lines = parseQuality(accepted, LINES_TYPE) ?? 0;
  return lines > 0 && lines >= (parseQuality(accepted, 'application/json') ?? 0);
}

/**
 * The weight of a media type in an `Accept` header, from 0 to 1 (RFC 9110 §12.4.2); null if the header does not name
 * it.
 */
function parseQuality(accepted: string, mediaType: string): number | null {
  for (const one of accepted.toLowerCase().split(',')) {
    const [type, ...parameters] = one.split(';').map((part) => part.trim());
    if (type !== mediaType) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    return /^[01](\.\d{0,3})?$/.test(weight) ? Number(weight) : 1;
  }
  return null;
}

/** NDJSON lines of one state of a document. */
interface RevisionLines {
  readonly lines: Iterable<string>;
  readonly revision: number;
}

/** Sends lines as they are produced, at the reader's speed. A header tells where to continue a broken stream. */
export function sendLines(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  { lines, revision }: RevisionLines,
): FastifyReply {
  request.server.answers.releaseReservation(reply.raw);
  reply.header('x-revision', revision);
  return reply.type(`${LINES_TYPE}; charset=utf-8`).send(streamPieces(api, request, reply, lines));
}
