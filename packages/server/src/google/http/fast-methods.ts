import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../access/callers.ts';
import {
  answerMethod,
  findLoadedMethods,
  type GoogleParts,
  JSON_TYPE,
  joinIntoChunks,
  type PreparedAnswer,
} from './answer-request.ts';
import { parseRequestAddress, type SentRequest } from './sent-request.ts';

/** A complete request, received without the framework. */
type DirectRequest = Pick<SentRequest, 'raw' | 'body' | 'id' | 'clientAddress' | 'toFailureStatus'>;

interface DirectAnswer {
  readonly status: number;
  readonly fields: readonly string[];
  readonly body: string | Buffer | AsyncIterable<Buffer>;
  readonly caller: Caller | null;
}

const PREFIX = '/google';

/** The small methods of the Sheets API for the fast path, which bypasses the framework. */
export class FastMethods {
  readonly prefix = `${PREFIX}/v4/spreadsheets/`;
  readonly route = `${PREFIX}/*`;
  private readonly parts: GoogleParts;

  constructor(parts: GoogleParts) {
    this.parts = parts;
  }

  /** A function that answers a request; null: the framework has to answer it. */
  findMethod(raw: IncomingMessage): ((request: DirectRequest) => Promise<DirectAnswer>) | null {
    const methods = findLoadedMethods();
    if (methods === null || !this.knowsOrigin(raw)) return null;
    const { method = '', url = '' } = raw;
    const end = url.search(/[?#]/);
    const address = parseRequestAddress(url, url.slice(PREFIX.length, end < 0 ? undefined : end));
    const routed = address.path && methods.findRoute(method, address.path);
    if (routed === null || !methods.isSmallMethod(routed.method)) return null;
    return async (request) => {
      let known: Caller | null = null;
      const sent: SentRequest = {
        ...request,
        address,
        host: raw.headers.host ?? '',
        origin: `http://${raw.headers.host}`,
        recordCaller: (caller) => {
          known = caller;
        },
        createGoneSignal: throwUnavailableResource,
        createTemporaryFile: throwUnavailableResource,
      };
      const answer = await answerMethod(this.parts, sent, routed, methods);
      return { ...toDirectAnswer(raw, answer), caller: known };
    };
  }

  /** False if a proxy describes the origin of the service's addresses. The framework knows which proxies to trust. */
  private knowsOrigin({ headers }: IncomingMessage): boolean {
    const isForwarded = headers['x-forwarded-host'] !== undefined || headers['x-forwarded-proto'] !== undefined;
    return !isForwarded || this.parts.context.config.publicUrl !== null;
  }
}

/** Stands for the temporary file and abort signal of a call, which small methods never use. */
function throwUnavailableResource(): never {
  throw new Error('A small method has no file and no signal');
}

interface AnswerSource {
  readonly raw: IncomingMessage;
  readonly mayRead: PreparedAnswer['mayRead'];
}

/** The answer as one text if it is short, else as a stream of chunks. */
function toDirectAnswer(
  raw: IncomingMessage,
  { status, fields, content, mayRead }: PreparedAnswer,
): Omit<DirectAnswer, 'caller'> {
  const typed = [...fields, 'content-type', JSON_TYPE];
  if (content.kind === 'text') return { status, fields: typed, body: toSendableText(content.text) };
  if (content.kind !== 'pieces') throw new Error(`A small method answers with ${content.kind}`);
  const pieces = content.pieces[Symbol.iterator]();
  let text = '';
  while (text.length < MAX_JOINED) {
    const next = pieces.next();
    if (next.done) return { status, fields: typed, body: text };
    text += next.value;
  }
  return { status, fields: typed, body: sendWhileReadable(text, pieces, { raw, mayRead }) };
}

/** A short text as a string, which is sent together with the headers. Converting a long one takes longer than that saves. */
function toSendableText(text: string | Buffer): string | Buffer {
  return text.length <= MAX_JOINED ? text.toString() : text;
}

/** Characters of an answer that are sent as one piece. */
const MAX_JOINED = 16 * 1024;

/** Yields the pieces of a long answer. Closes the connection when the reader's rights end. */
async function* sendWhileReadable(
  first: string,
  rest: Iterator<string>,
  { raw, mayRead }: AnswerSource,
): AsyncGenerator<Buffer> {
  yield Buffer.from(first);
  for await (const piece of joinIntoChunks({ [Symbol.iterator]: () => rest })) {
    // Closes the connection if the reader's rights end, so that the client does not take the answer for complete.
    // `raw.destroy()` does nothing here, because the request has been read to its end.
    if (!(await mayRead())) return void raw.socket.destroy();
    yield piece;
  }
}
