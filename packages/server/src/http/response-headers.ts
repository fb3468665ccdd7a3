import type { FastifyReply } from 'fastify';
import type { RateState } from '../access/rate-limit.ts';
import { formatHeaderFields, type HeaderFields } from './header-text.ts';

/** Header of every answer. */
const NO_SNIFFING = ['x-content-type-options', 'nosniff'] as const;
/**
 * Header of every answer of a service whose public address is https (RFC 6797): browsers do not return to plain HTTP
 * for a year.
 */
const STRICT_TRANSPORT = ['strict-transport-security', 'max-age=31536000'] as const;
export const JSON_TYPE = 'application/json; charset=utf-8';
/** Header of answers with an `ETag`: the client may cache them, and must revalidate before use. */
export const REVALIDATE = 'private, no-cache';
/** Header of every answer without an `ETag`: the client must not cache it. */
const NO_STORE = 'no-store';

/** An answer that is written without the framework. */
export interface DirectAnswer {
  readonly requestId: string;
  /** The remaining rate of the caller; see `formatRateHeaders`. */
  readonly rate?: HeaderFields;
  /** Absent: the client must not cache the answer. */
  readonly etag?: string;
  /** Headers in addition to the headers of every answer. */
  readonly extraHeaders?: HeaderFields;
  /** Size of the answer's JSON, in bytes. */
  readonly bytes: number;
}

/** Headers of every answer, with and without the framework. */
export class ResponseHeaders {
  private readonly isSecure: boolean;
  private readonly everywhere: HeaderFields;
  private readonly everywhereText: string;

  /** `vary`: request headers on which answers of the API depend; null: none. */
  constructor({ isSecure, vary }: { readonly isSecure: boolean; readonly vary: string | null }) {
    this.isSecure = isSecure;
    this.everywhere = [...NO_SNIFFING, ...(isSecure ? STRICT_TRANSPORT : []), ...(vary === null ? [] : ['vary', vary])];
    this.everywhereText = formatHeaderFields(this.everywhere);
  }

  /** Sets the common headers on a reply of the framework. */
  setCommonHeaders(reply: FastifyReply): void {
    reply.header('x-request-id', reply.request.id);
    reply.header(...NO_SNIFFING);
    if (this.isSecure) reply.header(...STRICT_TRANSPORT);
    reply.header('cache-control', NO_STORE);
  }

  /** The headers of an adapter's answer that is written without the framework. `fields`: the adapter's own headers. */
  listAdapterHeaders(requestId: string, fields: HeaderFields): string[] {
    const cache = fields.includes('cache-control') ? NONE : CACHE_NOTHING;
    return [
      'x-request-id',
      requestId,
      ...NO_SNIFFING,
      ...(this.isSecure ? STRICT_TRANSPORT : NONE),
      ...cache,
      ...fields,
    ];
  }

  /** All headers of an answer that is written without the framework. */
  listAnswerHeaders({ requestId, rate = NONE, etag, extraHeaders = NONE, bytes }: DirectAnswer): string[] {
    return [
      'x-request-id',
      requestId,
      ...this.everywhere,
      ...rate,
      ...(etag === undefined ? CACHE_NOTHING : ['cache-control', REVALIDATE, 'etag', etag]),
      ...extraHeaders,
      'content-type',
      JSON_TYPE,
      'content-length',
      String(bytes),
    ];
  }

  /** The text of `listAnswerHeaders` without extra headers. The id and the ETag must not contain line breaks. */
  formatAnswerHeaders({ requestId, rate = NONE, etag, bytes }: DirectAnswer): string {
    const before = `x-request-id: ${requestId}\r\n${this.everywhereText}`;
    const cache = etag === undefined ? CACHE_NOTHING_TEXT : `${REVALIDATE_TEXT}${etag}\r\n`;
    return `${before}${formatHeaderFields(rate)}${cache}${CONTENT_TEXT}${bytes}\r\n`;
  }
}

/**
 * The headers of draft-ietf-httpapi-ratelimit-headers: policy `requests` with its quota and window, and what remains of
 * it.
 */
export function formatRateHeaders(rate: RateState | null): HeaderFields {
  if (rate === null || rate.limit === null) return NONE;
  return [
    'ratelimit-policy',
    `"requests";q=${rate.limit};w=1`,
    'ratelimit',
    `"requests";r=${rate.remaining};t=${rate.resetSeconds}`,
  ];
}

const NONE: HeaderFields = [];
const CACHE_NOTHING: HeaderFields = ['cache-control', NO_STORE];
const CACHE_NOTHING_TEXT = formatHeaderFields(CACHE_NOTHING);
const REVALIDATE_TEXT = `cache-control: ${REVALIDATE}\r\netag: `;
const CONTENT_TEXT = `content-type: ${JSON_TYPE}\r\ncontent-length: `;
