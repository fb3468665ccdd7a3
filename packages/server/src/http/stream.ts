import { Readable } from 'node:stream';

/** Pieces of text are joined up to about so many characters before they are sent. */
const CHUNK_CHARACTERS = 64 * 1024;

/** Sends a long text as it is made, as fast as the receiver takes it; others get a turn between two chunks. */
export function streamOf(pieces: Iterable<string>): Readable {
  return Readable.from(chunks(pieces), { objectMode: false });
}

async function* chunks(pieces: Iterable<string>): AsyncGenerator<Buffer> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
    await new Promise(setImmediate);
  }
  if (text !== '') yield Buffer.from(text);
}
