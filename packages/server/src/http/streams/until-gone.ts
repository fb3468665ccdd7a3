import type { FastifyReply } from 'fastify';

/** Aborted when nobody waits for an answer any more. */
export function untilGone({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
