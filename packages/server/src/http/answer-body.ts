import { ANSWER_PIECE_BYTES } from '../limits/http.ts';
import type { JsonPart } from '../operations/answer.ts';
import type { MemoryBudget } from './bodies/memory-budget.ts';
import type { HttpResponse } from './http-exchange.ts';

/**
 * A body that is ready to be sent. A short one is a text in which each character is one byte: Node sends headers and
 * such a text in one write.
 */
export type PackedBody = string | readonly Uint8Array[];

/** Bodies up to this size are sent as text. In bytes. */
const TEXT_BYTES = 12 * 1024;
/** A UTF-16 code unit is at most three bytes. */
const scratch = Buffer.allocUnsafe(3 * TEXT_BYTES);
/** Parts are joined up to this size, in bytes, because copying costs less than sending parts. */
const JOINED_BYTES = 16 * 1024;

const ASCII = /^[^\u0080-\uffff]*$/;
/** Up to this length, testing whether a text is ASCII takes less time than copying it. Characters. */
const MAX_TESTED_LENGTH = 1_024;

/**
 * Packs a body. Long parts are not copied, which would cost more than the rest of a read. `isAscii`: the body is one text
 * of ASCII characters.
 */
export function packBody(parts: readonly JsonPart[], isAscii = false): PackedBody {
  const [first] = parts;
  if (typeof first === 'string' && parts.length === 1) {
    if (isAscii && first.length <= TEXT_BYTES) return first;
    if (first.length <= MAX_TESTED_LENGTH && ASCII.test(first)) return first;
  }
  return measureParts(parts) <= TEXT_BYTES ? joinAsLatin1(parts) : joinShortParts(parts.map(toBytes));
}

/** Size of a packed body in bytes. */
export function measurePackedBody(body: PackedBody): number {
  return typeof body === 'string' ? body.length : measureParts(body);
}

/** Reserves memory for a body until it is sent. False if the budget is exhausted. */
export function admitBody(answers: MemoryBudget, user: number, body: PackedBody, response: HttpResponse): boolean {
  if (typeof body === 'string') return answers.admitBytes(user, { body }, body.length, response);
  // Parts of one buffer keep the whole buffer in memory, and answers share it.
  return body.every(({ buffer }) => answers.admitBytes(user, buffer, buffer.byteLength, response));
}

/** Sends a body after the headers were written. `onEnd`: called when it was handed over, or with an error. */
export function writeBody(response: HttpResponse, body: PackedBody, onEnd?: (error?: Error | null) => void): void {
  if (typeof body === 'string') response.end(body, 'latin1', onEnd);
  else if (measureParts(body) > ANSWER_PIECE_BYTES) void writePieces(response, body, onEnd);
  else {
    response.cork();
    for (const part of body) response.write(part);
    response.end('', 'latin1', onEnd);
  }
}

/** The size of parts in bytes; a text counts its UTF-16 code units. */
function measureParts(parts: readonly JsonPart[]): number {
  let length = 0;
  for (const part of parts) length += part.length;
  return length;
}

/** A part of a JSON text as UTF-8 bytes. */
function toBytes(part: JsonPart): Uint8Array {
  return typeof part === 'string' ? Buffer.from(part) : part;
}

/** The UTF-8 form of the parts, each byte as one character. */
function joinAsLatin1(parts: readonly JsonPart[]): string {
  let bytes = 0;
  for (const part of parts) {
    if (typeof part === 'string') bytes += scratch.write(part, bytes);
    else {
      scratch.set(part, bytes);
      bytes += part.length;
    }
  }
  return scratch.toString('latin1', 0, bytes);
}

/** Joins neighbouring short parts. */
function joinShortParts(parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const joined: Uint8Array[] = [];
  let short: Uint8Array[] = [];
  let bytes = 0;
  const flush = (): void => {
    if (short.length > 0) joined.push(short.length === 1 ? (short[0] as Uint8Array) : Buffer.concat(short));
    short = [];
    bytes = 0;
  };
  for (const part of parts) {
    if (bytes + part.length > JOINED_BYTES) flush();
    if (part.length > JOINED_BYTES) joined.push(part);
    else {
      short.push(part);
      bytes += part.length;
    }
  }
  flush();
  return joined;
}

/** Sends the parts in pieces, and waits while the reader is behind, so that its progress can be observed. */
async function writePieces(
  response: HttpResponse,
  parts: readonly Uint8Array[],
  onEnd?: (error?: Error | null) => void,
): Promise<void> {
  for (const part of parts) {
    for (let from = 0; from < part.length; from += ANSWER_PIECE_BYTES) {
      if (response.destroyed) return;
      if (response.write(part.subarray(from, from + ANSWER_PIECE_BYTES))) continue;
      const { promise, resolve } = Promise.withResolvers<void>();
      response.once('drain', resolve).once('close', resolve);
      await promise;
      response.off('drain', resolve).off('close', resolve);
    }
  }
  response.end('', 'latin1', onEnd);
}
