import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ANSWER_SLICE_MS } from '../../limits/http.ts';
import { isRefusal } from '../../service/refusal.ts';
import { type Api, requireCaller, requireDocumentAccess } from '../api.ts';
import { renewAccess } from '../renew-access.ts';

/** Text is joined to chunks of about this many characters. */
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Sends a long text as it is produced, at the reader's speed, one slice in each turn. `pieces` yields empty text after
 * much work without output. A chunk is sent when it is full or the slice's time is over. The answer is aborted before
 * the next chunk if the caller's rights have ended.
 */
export function streamPieces(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  pieces: Iterable<string>,
): Readable {
  const { longAnswers } = request.server;
  const { userId } = requireCaller(request);
  const look = createAccessCheck(api, request, reply);
  const waitForTurn = async (): Promise<void> => {
    await longAnswers.waitForSlice(userId);
    await look();
  };
  return Readable.from(joinIntoChunks(pieces, waitForTurn), { objectMode: false });
}

/** Sends a file at the reader's speed. Aborted like a long text if the caller's rights end. */
export function createFileStream(api: Api, request: FastifyRequest, reply: FastifyReply, path: string): Readable {
  return Readable.from(checkBetweenPieces(createReadStream(path), createAccessCheck(api, request, reply)), {
    objectMode: false,
  });
}

/**
 * Returns a check that aborts an answer if the reader has lost rights since this call. Otherwise a slow reader could
 * continue to read without limit.
 */
function createAccessCheck(api: Api, request: FastifyRequest, reply: FastifyReply): () => Promise<void> {
  const before = requireDocumentAccess(request);
  return async () => {
    const now = await renewAccess(api, request);
    const mayRead = !isRefusal(now) && now.hiddenSheets.isSubsetOf(before.hiddenSheets);
    if (!mayRead) reply.raw.destroy();
  };
}

/** Yields the pieces, and runs the check before each one. The check may end the response. */
async function* checkBetweenPieces(pieces: AsyncIterable<Buffer>, check: () => Promise<void>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    await check();
    yield piece;
  }
}

/** Joins texts into chunks of at least `CHUNK_CHARACTERS`. Waits for a turn after each chunk and each slice of work. */
async function* joinIntoChunks(pieces: Iterable<string>, waitForTurn: () => Promise<void>): AsyncGenerator<Buffer> {
  let text = '';
  await waitForTurn();
  let end = performance.now() + ANSWER_SLICE_MS;
  for (const piece of pieces) {
    text += piece;
    const isFull = text.length >= CHUNK_CHARACTERS;
    if (isFull) {
      yield Buffer.from(text);
      text = '';
    }
    if (!isFull && performance.now() < end) continue;
    await waitForTurn();
    end = performance.now() + ANSWER_SLICE_MS;
  }
  if (text !== '') yield Buffer.from(text);
}
