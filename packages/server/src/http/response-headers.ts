import type { FastifyReply } from 'fastify';
import type { RateState } from '../access/rate-limit.ts';

/** Header fields, name after value, as `node:http` takes them where none is set one by one. */
export type Fields = readonly string[];

/** Of every answer. */
const NO_SNIFFING = ['x-content-type-options', 'nosniff'] as const;
/** Of every answer of a service whose public address is https (RFC 6797): browsers do not go back to plain HTTP for a year. */
const STRICT_TRANSPORT = ['strict-transport-security', 'max-age=31536000'] as const;
export const JSON_TYPE = 'application/json; charset=utf-8';
/** Of an answer with an `ETag`: whoever asked may keep it, and must ask again before using it. */
export const ASK_AGAIN = 'private, no-cache';
/** Of every other answer. */
const KEEP_NOWHERE = 'no-store';

/** An answer that is written without the framework. */
interface DirectAnswer {
  readonly requestId: string;
  /** What is left of the caller's rate, see `rateFields`. */
  readonly rate?: Fields;
  readonly cacheControl?: typeof ASK_AGAIN;
  /** Other fields. */
  readonly own?: Fields;
  /** Bytes of its JSON. */
  readonly bytes: number;
}

/** The header of every answer, whichever way it is sent. */
export class ResponseHeaders {
  private readonly isSecure: boolean;
  private readonly everywhere: Fields;

  /** `vary`: what answers of the API differ by; null: nothing. */
  constructor({ isSecure, vary }: { readonly isSecure: boolean; readonly vary: string | null }) {
    this.isSecure = isSecure;
    this.everywhere = [...NO_SNIFFING, ...(isSecure ? STRICT_TRANSPORT : []), ...(vary === null ? [] : ['vary', vary])];
  }

  /** Sets what every answer has on a reply of the framework. */
  setOn(reply: FastifyReply): void {
    reply.header('x-request-id', reply.request.id);
    reply.header(...NO_SNIFFING);
    if (this.isSecure) reply.header(...STRICT_TRANSPORT);
    reply.header('cache-control', KEEP_NOWHERE);
  }

  /** All fields of an answer that is written without the framework. */
  fieldsOf({ requestId, rate = NONE, cacheControl, own = NONE, bytes }: DirectAnswer): string[] {
    return [
      'x-request-id',
      requestId,
      ...this.everywhere,
      ...rate,
      'cache-control',
      cacheControl ?? KEEP_NOWHERE,
      ...own,
      'content-type',
      JSON_TYPE,
      'content-length',
      String(bytes),
    ];
  }
}

/** The fields of draft-ietf-httpapi-ratelimit-headers: policy `requests`, its quota and window; what is left of it. */
export function rateFields(rate: RateState | null): Fields {
  if (rate === null || rate.limit === null) return NONE;
  return [
    'ratelimit-policy',
    `"requests";q=${rate.limit};w=1`,
    'ratelimit',
    `"requests";r=${rate.remaining};t=${rate.resetSeconds}`,
  ];
}

const NONE: Fields = [];
