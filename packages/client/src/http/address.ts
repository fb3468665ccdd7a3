import { CellwireError } from '../errors/errors.ts';
import { formatJson } from '../values/dates.ts';
import type { QueryParameters } from './options.ts';

/** Returns the address of the API, which ends in `/api/v1`. `url` may end in `/api/v1` or not. */
export function toApiAddress(url: string): string {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw new CellwireError('The address of the service must begin with http:// or https://');
  }
  if (address.username !== '' || address.password !== '') {
    throw new CellwireError('The address of the service must not contain a user name or a password');
  }
  return `${address.origin}${address.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1`;
}

/** Returns the path of a resource with encoded segments: `path('documents', id, 'values', 'A1:B2')`. */
export function joinPath(...segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${encodeSegment(String(segment))}`).join('');
}

function encodeSegment(segment: string): string {
  // URL parsers remove such a segment, and the request would reach another resource.
  if (/^\.{0,2}$/.test(segment)) throw new CellwireError(`"${segment}" cannot be part of an address`);
  return encodeURIComponent(segment);
}

/** Returns a query with `?`, or an empty text. Arrays are repeated as `name[]=…`, objects are JSON. */
export function formatQuery(query: QueryParameters = {}): string {
  const parts = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value.map((item) => formatQueryPair(`${name}[]`, item));
    return [formatQueryPair(name, value)];
  });
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function formatQueryPair(name: string, value: unknown): string {
  const text = typeof value === 'object' ? formatJson(value).replace(/^"(.*)"$/, '$1') : String(value);
  return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
}
