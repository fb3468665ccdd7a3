import { isUtf8 } from 'node:buffer';
import { runSynchronously } from '@cellwire/event-loop';
import { JsonError, parseInPieces } from '../../operations/json/json-pieces.ts';
import type { HttpRequest } from '../http-exchange.ts';
import { JSON_TYPE } from '../response-headers.ts';

/** True if the body is JSON, complete and at most `maxBytes` long, and the headers contain no options. */
export function hasSmallBody({ headers, complete }: HttpRequest, maxBytes: number): boolean {
  // Comparisons with `NaN` are false, so the header must be present.
  const length = Number(headers['content-length']);
  return (
    complete &&
    isJsonType(headers['content-type']) &&
    // Reading an empty body would end the stream before the framework listens to it.
    length > 0 &&
    length <= maxBytes &&
    headers['idempotency-key'] === undefined &&
    headers['if-match'] === undefined &&
    headers.origin === undefined &&
    headers['content-encoding'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined
  );
}

/** Comparing texts is faster than looking up a new text in a set. */
function isJsonType(type: string | undefined): boolean {
  return type === 'application/json' || type === JSON_TYPE;
}

/** A parsed body. */
export interface SmallBody {
  readonly value: object;
  readonly bytes: number;
}

/**
 * Reads the body of a request. Null: `fits` is false for it. The framework then has to report the error, so the body is
 * put back.
 */
export function takeSmallBody(request: HttpRequest, fits: (body: object) => boolean): SmallBody | null {
  const bytes = request.read();
  if (bytes === null) return null;
  const value = isUtf8(bytes) ? parseJson(bytes) : null;
  if (typeof value === 'object' && value !== null && fits(value)) return { value, bytes: bytes.length };
  request.unshift(bytes);
  return null;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return runSynchronously(parseInPieces(bytes));
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}
