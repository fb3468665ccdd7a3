import { request as httpRequest } from 'node:http';
import type { TestContext } from 'node:test';
import type { Api, Json } from '../http/support.ts';

/** One event of a stream. */
export interface Event {
  readonly id: string;
  readonly event: string;
  readonly data: Json;
}

export interface Stream {
  readonly status: number;
  next(): Promise<Event | null>;
  /** Every byte so far. */
  text(): string;
  readonly ended: Promise<void>;
  /** Takes nothing more of what is sent. */
  pause(): void;
  /** Takes it again. */
  resume(): void;
  abort(): void;
}

/** Follows a document as server-sent events. */
export async function follow(
  t: TestContext,
  book: Api,
  headers: Record<string, string> = {},
  query = '',
): Promise<Stream> {
  const { promise, resolve } = Promise.withResolvers<Stream>();
  const request = httpRequest(`${book.base}/api/v1/documents/${book.document}/events${query}`, {
    headers: { authorization: `Bearer ${book.token}`, ...headers },
    agent: false,
  });
  request.on('error', () => {});
  request.on('response', (response) => {
    let text = '';
    let read = 0;
    let wake = () => {};
    const ended = new Promise<void>((done) => response.on('close', done));
    response.setEncoding('utf8').on('error', () => {});
    response.on('data', (part: string) => {
      text += part;
      wake();
    });
    response.on('close', () => wake());
    const next = async (): Promise<Event | null> => {
      for (;;) {
        const end = text.indexOf('\n\n', read);
        if (end < 0 && response.closed) return null;
        if (end < 0) {
          await new Promise<void>((done) => {
            wake = done;
          });
          continue;
        }
        const block = text.slice(read, end);
        read = end + 2;
        if (block.startsWith('id:')) return eventOf(block);
      }
    };
    resolve({
      status: response.statusCode ?? 0,
      next,
      text: () => text,
      ended,
      pause: () => response.pause(),
      resume: () => response.resume(),
      abort: () => request.destroy(),
    });
  });
  request.end();
  t.after(() => request.destroy());
  return promise;
}

function eventOf(block: string): Event {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    }),
  );
  const data = JSON.parse(fields.get('data') ?? 'null') as Json;
  return { id: fields.get('id') ?? '', event: fields.get('event') ?? '', data };
}
