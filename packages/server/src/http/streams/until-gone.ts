import type { FastifyReply } from 'fastify';

/** Aborted when the connection of an answer closes. */
export function createGoneSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
