import { request as httpRequest } from 'node:http';
import type { TestContext } from 'node:test';
import type { Api, Json } from '../http/support.ts';

/** One event of a stream. */
export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Json;
}

export interface EventStreamReader {
  readonly status: number;
  next(): Promise<StreamEvent | null>;
  /** All text received so far. */
  text(): string;
  readonly streamClosed: Promise<void>;
  /** Stops reading from the connection. */
  pause(): void;
  /** Continues reading from the connection. */
  resume(): void;
  abort(): void;
}

/** Reads the event stream of a document. */
export async function openEventStream(
  t: TestContext,
  book: Api,
  headers: Record<string, string> = {},
  query = '',
): Promise<EventStreamReader> {
  const { promise, resolve } = Promise.withResolvers<EventStreamReader>();
  const request = httpRequest(`${book.base}/api/v1/documents/${book.document}/events${query}`, {
    headers: { authorization: `Bearer ${book.token}`, ...headers },
    agent: false,
  });
  request.on('error', () => {});
  request.on('response', (response) => {
    let text = '';
    let read = 0;
    let notify = () => {};
    const streamClosed = new Promise<void>((done) => response.on('close', done));
    response.setEncoding('utf8').on('error', () => {});
    response.on('data', (part: string) => {
      text += part;
      notify();
    });
    response.on('close', () => notify());
    const next = async (): Promise<StreamEvent | null> => {
      for (;;) {
        const end = text.indexOf('\n\n', read);
        if (end < 0 && response.closed) return null;
        if (end < 0) {
          await new Promise<void>((done) => {
            notify = done;
          });
          continue;
        }
        const block = text.slice(read, end);
        read = end + 2;
        if (block.startsWith('id:')) return parseEvent(block);
      }
    };
    resolve({
      status: response.statusCode ?? 0,
      next,
      text: () => text,
      streamClosed,
      pause: () => response.pause(),
      resume: () => response.resume(),
      abort: () => request.destroy(),
    });
  });
  request.end();
  t.after(() => request.destroy());
  return promise;
}

function parseEvent(block: string): StreamEvent {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    }),
  );
  const data = JSON.parse(fields.get('data') ?? 'null') as Json;
  return { id: fields.get('id') ?? '', event: fields.get('event') ?? '', data };
}
