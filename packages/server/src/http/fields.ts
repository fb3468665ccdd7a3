import type { RateState } from '../access/rate-limit.ts';

/** Header fields, name after value, as `node:http` takes them where none is set one by one. */
export type Fields = readonly string[];

/** Of every answer. */
export const NO_SNIFFING = ['x-content-type-options', 'nosniff'] as const;
/** Of every answer of a service whose public address is https (RFC 6797): browsers do not go back to plain HTTP for a year. */
export const STRICT_TRANSPORT = ['strict-transport-security', 'max-age=31536000'] as const;
export const JSON_TYPE = 'application/json; charset=utf-8';
/** Of an answer with an `ETag`: it may be kept by whoever asked, and asked for again with that. */
export const ASK_AGAIN = 'private, no-cache';

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
