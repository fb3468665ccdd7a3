import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ANSWER_SLICE_MS } from '../limits/http.ts';
import { isRefusal } from '../service/refusal.ts';
import type { Api } from './api.ts';
import { accessOf, callerOf } from './api.ts';
import { renewAccess } from './renew-access.ts';

/** Pieces of text are joined up to about so many characters before they are sent. */
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Sends a long text as it is made, as fast as the receiver takes it, a slice in a turn: pieces, empty ones where much was
 * gone through for nothing, until a chunk is full or the slice's time is over. Before each the caller's rights are looked
 * at: a slow receiver could otherwise read on for as long as it likes after they have ended. Then it is broken off.
 */
export function streamOf(api: Api, request: FastifyRequest, reply: FastifyReply, pieces: Iterable<string>): Readable {
  const { longAnswers } = request.server;
  const { userId } = callerOf(request);
  const before = accessOf(request);
  const turn = async (): Promise<void> => {
    await longAnswers.slice(userId);
    const now = await renewAccess(api, request);
    const mayRead = !isRefusal(now) && now.hiddenSheets.isSubsetOf(before.hiddenSheets);
    if (!mayRead) reply.raw.destroy();
  };
  return Readable.from(chunks(pieces, turn), { objectMode: false });
}

async function* chunks(pieces: Iterable<string>, turn: () => Promise<void>): AsyncGenerator<Buffer> {
  let text = '';
  await turn();
  let end = performance.now() + ANSWER_SLICE_MS;
  for (const piece of pieces) {
    text += piece;
    const isFull = text.length >= CHUNK_CHARACTERS;
    if (isFull) {
      yield Buffer.from(text);
      text = '';
    }
    if (!isFull && performance.now() < end) continue;
    await turn();
    end = performance.now() + ANSWER_SLICE_MS;
  }
  if (text !== '') yield Buffer.from(text);
}
