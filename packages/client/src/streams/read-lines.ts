import { ConnectionError } from '../errors/errors.ts';
import { AttemptFailed, chooseRetryWaitMs, createConnectionFailure, createFailureFromError } from '../http/failure.ts';
import type { CallOptions } from '../http/options.ts';
import {
  type CallRequest,
  LINES_TYPE,
  type OpenResponse,
  type Transport,
  waitMilliseconds,
} from '../http/transport.ts';
import { parseLine, readLineGroups } from './lines.ts';

/** A request whose answer is NDJSON. */
interface LinesRequest<Page, Item> {
  /** Maximum number of items. If a stream has this number of items, it needs no end line. */
  readonly limit?: number | undefined;
  /** Creates the request for the items after `offset`, at the revision of the first attempt. */
  readonly requestFrom: (offset: number, revision: string | null) => CallRequest;
  /**
   * Returns the items of a response that is a JSON page although the request accepts only NDJSON, and whether more
   * pages follow.
   */
  readonly pageItems: (page: Page) => { readonly items: readonly Item[]; readonly hasMore: boolean };
}

/** The header with the revision of an NDJSON answer. */
const REVISION_HEADER = 'x-revision';

/**
 * Yields the items of an NDJSON response. If the stream breaks, it continues after the last item, at the same revision.
 * Each received item resets the number of attempts.
 */
export async function* readLines<Page, Item>(
  transport: Transport,
  options: CallOptions,
  { limit = Number.POSITIVE_INFINITY, requestFrom, pageItems }: LinesRequest<Page, Item>,
): AsyncGenerator<Item, void> {
  const { attempts = transport.attempts } = options;
  let offset = 0;
  let revision: string | null = null;
  for (let attemptNumber = 1; ; attemptNumber++) {
    const offsetBefore = offset;
    let answer: OpenResponse | null = null;
    try {
      const request = { ...requestFrom(offset, revision), accept: LINES_TYPE };
      answer = await transport.openResponse(
        transport.createUrl(request),
        transport.createAttempt(request, options),
        options,
      );
      if (!isNdjson(answer))
        return yield* readPages(transport, options, { requestFrom, pageItems }, await readPage<Page>(answer));
      revision ??= answer.response.headers.get(REVISION_HEADER);
      for await (const lines of readLineGroups(answer.parts)) {
        for (const line of lines) {
          if (line === '') continue;
          const item = parseLine(line);
          if (isEndLine(item)) return;
          offset++;
          yield item as Item;
          // After an abort, items that have already arrived are not yielded.
          options.signal?.throwIfAborted();
          if (offset >= limit) return;
        }
      }
      throw new AttemptFailed(createConnectionFailure(undefined));
    } catch (error) {
      const failure = createFailureFromError(error);
      // If the revision is not known, the rest of the stream could come from another state of the document.
      const isLost = offset > 0 && (revision === null || failure.error.status === 404 || failure.error.status === 422);
      if (isLost) throw new ConnectionError('The stream broke and cannot be taken up again where it ended');
      if (offset > offsetBefore) attemptNumber = 1;
      const wait = chooseRetryWaitMs(failure, attemptNumber, attempts);
      if (wait === null) throw failure.error;
      await waitMilliseconds(wait, options.signal);
    } finally {
      answer?.close();
    }
  }
}

function isEndLine(line: unknown): boolean {
  return typeof line === 'object' && line !== null && (line as { readonly end?: unknown }).end === true;
}

function isNdjson({ response }: OpenResponse): boolean {
  return !(response.headers.get('content-type') ?? '').startsWith('application/json');
}

/** Reads a body that is one JSON value. */
async function readPage<Page>({ parts }: OpenResponse): Promise<Page> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of parts) text += decoder.decode(part, { stream: true });
  return parseLine(text) as Page;
}

/** Yields the items of the first page and of all following pages. */
async function* readPages<Page, Item>(
  transport: Transport,
  options: CallOptions,
  { requestFrom, pageItems }: LinesRequest<Page, Item>,
  first: Page,
): AsyncGenerator<Item, void> {
  let offset = 0;
  for (let page = first; ; page = await transport.requestJson<Page>(requestFrom(offset, null), options)) {
    const { items, hasMore } = pageItems(page);
    for (const item of items) {
      yield item;
      options.signal?.throwIfAborted();
    }
    offset += items.length;
    if (!hasMore || items.length === 0) return;
  }
}
