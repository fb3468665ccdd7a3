import { Readable } from 'node:stream';
import { ANSWER_SLICE_MS } from '../limits/http.ts';

/** Pieces of text are joined up to about so many characters before they are sent. */
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Sends a long text as it is made, as fast as the receiver takes it. `turn` comes before each slice: pieces, empty ones
 * where much was gone through for nothing, until a chunk is full or the slice's time is over.
 */
export function streamOf(pieces: Iterable<string>, turn: () => Promise<void>): Readable {
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
