import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from './api.ts';
import { LINES_TYPE } from './content-types.ts';
import { streamOf } from './stream.ts';

/** Whether a caller asks for lines in the place of one JSON value. */
export function wantsLines({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').split(',').some((type) => type.split(';')[0]?.trim().toLowerCase() === LINES_TYPE);
}

/** Sends lines as they are made, as fast as the reader takes them. */
export function sendLines(request: FastifyRequest, reply: FastifyReply, lines: Iterable<string>): FastifyReply {
  const { longAnswers, answers } = request.server;
  const { userId } = callerOf(request);
  answers.settle(reply.raw);
  return reply.type(`${LINES_TYPE}; charset=utf-8`).send(streamOf(lines, () => longAnswers.slice(userId)));
}
