import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ANSWER_SLICE_MS } from '../../limits/http.ts';
import { isRefusal } from '../../service/refusal.ts';
import { type Api, accessOf, callerOf } from '../api.ts';
import { renewAccess } from '../renew-access.ts';

/** Text is joined to chunks of about this many characters. */
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Sends a long text as it is produced, at the reader's speed, one slice in each turn. `pieces` yields empty text after
 * much work without output. A chunk is sent when it is full or the slice's time is over. The answer is aborted before
 * the next chunk if the caller's rights have ended.
 */
export function streamOf(api: Api, request: FastifyRequest, reply: FastifyReply, pieces: Iterable<string>): Readable {
  const { longAnswers } = request.server;
  const { userId } = callerOf(request);
  const look = lookAgain(api, request, reply);
  const turn = async (): Promise<void> => {
    await longAnswers.slice(userId);
    await look();
  };
  return Readable.from(chunks(pieces, turn), { objectMode: false });
}

/** Sends a file at the reader's speed. Aborted like a long text if the caller's rights end. */
export function streamOfFile(api: Api, request: FastifyRequest, reply: FastifyReply, path: string): Readable {
  return Readable.from(withCheck(createReadStream(path), lookAgain(api, request, reply)), { objectMode: false });
}

/**
 * Returns a check that aborts an answer if the reader has lost rights since this call. Otherwise a slow reader could
 * continue to read without limit.
 */
function lookAgain(api: Api, request: FastifyRequest, reply: FastifyReply): () => Promise<void> {
  const before = accessOf(request);
  return async () => {
    const now = await renewAccess(api, request);
    const mayRead = !isRefusal(now) && now.hiddenSheets.isSubsetOf(before.hiddenSheets);
    if (!mayRead) reply.raw.destroy();
  };
}

async function* withCheck(pieces: AsyncIterable<Buffer>, check: () => Promise<void>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    await check();
    yield piece;
  }
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
