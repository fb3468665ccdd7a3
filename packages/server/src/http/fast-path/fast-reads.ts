import { type MaybePromise, mapMaybe } from '@cellwire/event-loop';
import type { DocumentAccess } from '../../access/access.ts';
import { type AdmittedRequest, requireDocument } from '../../access/gate.ts';
import { READ_ROUTE_CACHE } from '../../limits/http.ts';
import { batchGetValues } from '../../operations/values/batch-get-values.ts';
import { getValues } from '../../operations/values/get-values.ts';
import { createViewerKey } from '../../service/cells/read-values.ts';
import { openReading } from '../../service/open-table.ts';
import { isRefusal } from '../../service/refusal.ts';
import { packBody } from '../answer-body.ts';
import { parseQuery } from '../bodies/query.ts';
import type { HeaderFields } from '../header-text.ts';
import type { HttpRequest, HttpResponse } from '../http-exchange.ts';
import { RESERVED_SEGMENTS } from '../reserved-routes.ts';
import { formatRateHeaders } from '../response-headers.ts';
import { acceptsLines } from '../streams/ndjson-stream.ts';
import { hashText } from '../text-hash.ts';
import { type AnswerCache, type CachedAnswer, createAnswerKey } from './answer-cache.ts';
import { type FastOperation, type FastOperationParts, toFastOperation } from './fast-operation.ts';
import { RepeatedTexts } from './repeated-texts.ts';
import { SmallAnswers } from './small-answers.ts';
import { SmallCall } from './small-call.ts';

interface FastReadParts extends FastOperationParts {
  readonly answerCache: AnswerCache;
}

/** A read as identified by its URL. */
interface AddressedRead {
  readonly kind: FastOperation;
  /** As in the path. */
  readonly documentId: string;
  readonly input: object;
  /** The last caller who repeated the read. */
  last: LastRequest | null;
}

/** The path up to the range of a document's values. */
interface ValuesPath {
  readonly text: string;
  readonly documentId: string;
}

/** The last caller, the newest state at that time, and the cache key of the answer. */
interface LastRequest {
  readonly access: DocumentAccess;
  readonly head: string;
  readonly key: string;
}

/** An answer, with the state of the caller's rate limit. */
interface AdmittedAnswer {
  readonly access: DocumentAccess;
  readonly answer: CachedAnswer;
  readonly rate: HeaderFields;
}

const VALUES = '/values/';
/** Length of a document's id. */
const ID_LENGTH = 36;
/** Number of paths of recent documents that are kept, a power of two. */
const RECENT_PATHS = 256;
const ID = /^[\w-]{36}$/;
/** A path segment with only characters that have no special meaning in a URL, encoded or not. */
const PLAIN_SEGMENT = /^[\w!:'$.,()%-]+$/;
/** Comparing texts is faster than looking up a new text in a set. */
const NO_RANGES: readonly string[] = RESERVED_SEGMENTS;
const BATCH_GET = 'batchGet';
const MAX_RANGE_SEGMENT_LENGTH = 512;

/**
 * Fast path for reads of ranges, because the framework costs more than the rest of a small read. The request passes the
 * same gate and runs the same operations as in the framework. A repeated read of an unchanged state gets a cached
 * answer. An answer is cached at the second request for its URL, because most addresses are read once. All other
 * requests, and refused ones, are passed to the framework unchanged.
 */
export class FastReads {
  private readonly parts: FastReadParts;
  private readonly sender: SmallAnswers;
  /** The path of documents. */
  private readonly documents: string;
  private readonly getValues: FastOperation;
  private readonly batchGet: FastOperation;
  /**
   * Paths of recent documents, by the end of the id. Requests share the text of the id, whose hash V8 then computes only
   * once.
   */
  private readonly paths = new Array<ValuesPath | undefined>(RECENT_PATHS).fill(undefined);
  /** Reads by URL. */
  private readonly repeated = new RepeatedTexts<AddressedRead>(READ_ROUTE_CACHE.maxEntries);

  constructor(parts: FastReadParts) {
    this.parts = parts;
    this.sender = new SmallAnswers(parts);
    this.documents = `${parts.prefix}/documents/`;
    this.getValues = toFastOperation(getValues, 'query', parts.prefix);
    this.batchGet = toFastOperation(batchGetValues, 'query', parts.prefix);
  }

  /** Answers a read, or passes it on. */
  handleRead(request: HttpRequest, response: HttpResponse, start: number, next: () => void): void {
    if (!isPlainRead(request)) return next();
    const { url = '' } = request;
    if (url.length > READ_ROUTE_CACHE.maxAddressLength) return next();
    const hash = request.urlHash ?? hashText(url);
    const cached = this.repeated.get(url, hash);
    const read = cached ?? this.parseAddress(url);
    if (read === null) return next();
    const isRepeated = cached !== undefined || this.repeated.recordHash(hash);
    const finish = (admittedAnswer: AdmittedAnswer | null): void => {
      if (admittedAnswer === null || !this.sendAnswer(response, read, admittedAnswer, start)) return next();
      if (cached === undefined && isRepeated) this.repeated.set(url, hash, read);
    };
    const found = this.tryFindAnswer(response, read, isRepeated);
    if (found instanceof Promise) found.then(finish, next);
    else finish(found);
  }

  /** Whether a URL is below the values of a document. */
  matchesPath(url: string): boolean {
    return this.findRecentPath(url) !== null || this.hasPathForm(url);
  }

  private hasPathForm(url: string): boolean {
    const { documents } = this;
    return url.startsWith(documents) && url.startsWith(VALUES, documents.length + ID_LENGTH);
  }

  /** The recent path with which a URL begins. It takes half the time of `hasPathForm`. */
  private findRecentPath(url: string): ValuesPath | null {
    const recent = this.paths[this.computePathSlot(url)];
    return recent !== undefined && url.slice(0, recent.text.length) === recent.text ? recent : null;
  }

  /** The last two digits of an id are as good as a hash. */
  private computePathSlot(url: string): number {
    const end = this.documents.length + ID_LENGTH;
    // A position after the end of the URL gives NaN, which becomes 0.
    return (url.charCodeAt(end - 1) ^ (url.charCodeAt(end - 2) << 4)) & (RECENT_PATHS - 1);
  }

  /** The path of the values of a document; null if the URL has another form. */
  private parsePath(url: string): ValuesPath | null {
    const recent = this.findRecentPath(url);
    if (recent !== null) return recent;
    const { documents } = this;
    const id = url.slice(documents.length, documents.length + ID_LENGTH);
    if (!this.hasPathForm(url) || !ID.test(id)) return null;
    // A part of the URL would keep the text of the whole request in memory.
    const documentId = Buffer.from(id, 'latin1').toString('latin1');
    const path = { text: `${documents}${documentId}${VALUES}`, documentId };
    this.paths[this.computePathSlot(url)] = path;
    return path;
  }

  /** The document, range and parameters of a read; null if the address needs the framework. */
  private parseAddress(url: string): AddressedRead | null {
    const path = this.parsePath(url);
    if (path === null) return null;
    const { documentId } = path;
    const from = path.text.length;
    const mark = url.indexOf('?', from);
    const last = decodeSegment(mark < 0 ? url.slice(from) : url.slice(from, mark));
    if (last === null) return null;
    const parameters = mark < 0 ? null : parseQuery(url.slice(mark + 1));
    // A past revision has no ETag.
    if (parameters !== null && 'revision' in parameters) return null;
    if (last === BATCH_GET) {
      const isValid = parameters !== null && this.batchGet.fits(parameters);
      return isValid ? { kind: this.batchGet, documentId, input: parameters, last: null } : null;
    }
    if (NO_RANGES.includes(last) || (parameters !== null && !this.getValues.fits(parameters))) return null;
    const input = parameters === null ? { range: last } : { ...parameters, range: last };
    return { kind: this.getValues, documentId, input, last: null };
  }

  /** Returns null on an error: the framework then performs the same read and reports the error. */
  private tryFindAnswer(
    response: HttpResponse,
    addressed: AddressedRead,
    isRepeated: boolean,
  ): MaybePromise<AdmittedAnswer | null> {
    try {
      return this.findAnswer(response, addressed, isRepeated);
    } catch {
      return null;
    }
  }

  /** The answer of an admitted read; null if the gate refuses it or the framework must answer. */
  private findAnswer(
    response: HttpResponse,
    addressed: AddressedRead,
    isRepeated: boolean,
  ): MaybePromise<AdmittedAnswer | null> {
    const { authorizations } = this.parts;
    const { req: request } = response;
    return mapMaybe(
      authorizations.askGate(request, addressed.documentId, addressed.kind.operation.requires),
      (decision) => {
        const { rate, outcome } = decision;
        const found = outcome.kind === 'refusal' ? null : this.produceAnswer(outcome, response, addressed, isRepeated);
        return mapMaybe(found, (answer) => {
          if (answer !== null && outcome.kind !== 'refusal')
            return { access: requireDocument(outcome), answer, rate: formatRateHeaders(rate) };
          authorizations.keepDecision(request, decision);
          return null;
        });
      },
    );
  }

  /** Runs the read, or takes the cached answer of a repeated one. Null if the framework must answer. */
  private produceAnswer(
    admitted: AdmittedRequest,
    response: HttpResponse,
    addressed: AddressedRead,
    isRepeated: boolean,
  ): MaybePromise<CachedAnswer | null> {
    const { context, answerCache } = this.parts;
    const access = requireDocument(admitted);
    // A document that is not open has no cached answers, and the operation may read a part of it.
    if (!isRepeated || !context.documents.isOpen(access.documentId))
      return this.runRead(admitted, response, addressed, isRepeated);
    return mapMaybe(openReading(context, access), (reading) => {
      if (isRefusal(reading)) return null;
      const { head } = reading;
      // Building and looking up another string would cost more than everything else here.
      if (addressed.last?.access !== access || addressed.last.head !== head)
        addressed.last = {
          access,
          head,
          key: createAnswerKey(createViewerKey(access, reading), response.req.url ?? ''),
        };
      return answerCache.findAnswer(addressed.last.key) ?? this.runRead(admitted, response, addressed, true);
    });
  }

  /** Performs the read. Null: it is refused. */
  private runRead(
    admitted: AdmittedRequest,
    response: HttpResponse,
    { kind: { operation }, documentId, input }: AddressedRead,
    isKept: boolean,
  ): MaybePromise<CachedAnswer | null> {
    const sent = { response, operation, documentId, admitted, requestId: null, inputBytes: 0 };
    return mapMaybe(operation.run(new SmallCall(this.parts, sent), input), (tagged) => {
      if (tagged.kind !== 'tagged') return null;
      return mapMaybe(tagged.content(), (content) => {
        if (content.kind !== 'parts') return null;
        const etag = typeof tagged.tag === 'string' ? tagged.tag : tagged.tag();
        // A kept answer is tested or copied. Both join its text: until then V8 keeps the parts, which take more memory.
        const answer = { etag, body: packBody(content.parts, content.isAscii && !isKept) };
        if (isKept && tagged.cacheKey !== undefined) {
          this.parts.answerCache.keepAnswer(createAnswerKey(tagged.cacheKey(), response.req.url ?? ''), answer);
        }
        return answer;
      });
    });
  }

  /** False if there is no memory for the answer. */
  private sendAnswer(
    response: HttpResponse,
    addressed: AddressedRead,
    { access, answer: { etag, body }, rate }: AdmittedAnswer,
    start: number,
  ): boolean {
    const { caller, documentId: document } = access;
    const id = this.parts.origins.chooseRequestId(response.req);
    return this.sender.trySendBody({ response, start, id, caller, document, fast: addressed.kind, rate }, body, etag);
  }
}

/** Null: the framework has to decode or refuse the segment. */
function decodeSegment(text: string): string | null {
  if (text.length > MAX_RANGE_SEGMENT_LENGTH || !PLAIN_SEGMENT.test(text)) return null;
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** True for a read whose answer depends only on its URL and its token. */
function isPlainRead({ headers }: HttpRequest): boolean {
  return (
    headers['if-none-match'] === undefined &&
    headers.origin === undefined &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    !acceptsLines(headers)
  );
}
