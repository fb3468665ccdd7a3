import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { pause, runInSlices } from '@cellwire/event-loop';
import type { FastifyRequest, RequestPayload } from 'fastify';
import { MAX_LINE_BYTES } from '../../limits/http.ts';
import { JsonError, LongIntegerError, parseInPieces } from '../../operations/json/json-pieces.ts';
import { longIntegerRefusal } from '../../operations/json/long-integers.ts';
import { LINES_TYPE } from '../../operations/schemas/content-types.ts';
import { invalidRequest, isRefusal, type Refusal } from '../../service/refusal.ts';
import type { App } from '../api.ts';
import { checkEncoding } from './json-body.ts';

/** An NDJSON body that is read while it arrives. */
export class LineBody {
  readonly payload: Readable;

  constructor(payload: Readable) {
    this.payload = payload;
  }
}

/** Lets a scope's routes accept NDJSON: `request.body` is then a `LineBody`. */
export function acceptLines(scope: App): void {
  scope.addContentTypeParser(LINES_TYPE, async (request: FastifyRequest, payload: RequestPayload) => {
    checkEncoding(request);
    return new LineBody(payload as Readable);
  });
}

/** Upper bounds of one batch of lines. */
interface BatchBounds {
  readonly lines: number;
  readonly bytes: number;
}

/** Values of consecutive lines. */
interface LineBatch {
  readonly values: readonly unknown[];
  readonly bytes: number;
}

/**
 * The values of an NDJSON body's lines in batches. Only one batch and one piece of the body are in memory. An invalid
 * line ends the iteration with a refusal. Blank lines do not count.
 */
export async function* lineBatches(
  { payload }: LineBody,
  bounds: BatchBounds,
): AsyncGenerator<LineBatch | Refusal, void> {
  let values: unknown[] = [];
  let bytes = 0;
  let count = 0;
  for await (const lines of linesOf(payload)) {
    if (isRefusal(lines)) return yield lines;
    for (const line of lines) {
      bytes += line.length;
      if (bytes > bounds.bytes) return yield tooLarge(bounds.bytes);
      // Lines are parsed as they arrive. Otherwise the bytes of a whole batch would be kept in addition to its values.
      const parsing = runInSlices(parsedLine(line, count++));
      const parsed = parsing instanceof Promise ? await parsing : parsing;
      if (isRefusal(parsed)) return yield parsed;
      values.push(parsed.value);
      const turn = pause();
      if (turn !== null) await turn;
      if (values.length < bounds.lines) continue;
      yield { values, bytes };
      values = [];
      bytes = 0;
    }
  }
  if (values.length > 0) yield { values, bytes };
}

function tooLarge(bytes: number): Refusal {
  return invalidRequest(
    'batch',
    `Lines of more than ${bytes} bytes cannot be one commit: send batch, or a smaller one`,
  );
}

const NEWLINE = 0x0a;
const BLANK = /^\s*$/;

/** The complete lines in each piece of a body, without blank ones. */
async function* linesOf(payload: Readable): AsyncGenerator<readonly Buffer[] | Refusal> {
  let parts: Buffer[] = [];
  // The length is counted incrementally, because a line may arrive in as many pieces as it has bytes.
  let length = 0;
  for await (const piece of payload as AsyncIterable<Buffer>) {
    const lines: Buffer[] = [];
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
      const last = piece.subarray(from, end);
      const line = parts.length === 0 ? last : Buffer.concat([...parts, last]);
      parts = [];
      length = 0;
      from = end + 1;
      if (!isBlank(line)) lines.push(line);
    }
    if (from < piece.length) parts.push(piece.subarray(from));
    length += piece.length - from;
    yield lines;
    if (length > MAX_LINE_BYTES)
      return yield invalidRequest('records', `A line may have ${MAX_LINE_BYTES} bytes at most`);
  }
  const rest = Buffer.concat(parts);
  if (!isBlank(rest)) yield [rest];
}

function isBlank(line: Buffer): boolean {
  return line.length === 0 || (line.length < 16 && BLANK.test(line.toString('latin1')));
}

/** Yields regularly. `place`: the number of preceding lines. */
function* parsedLine(line: Buffer, place: number): Generator<void, { readonly value: unknown } | Refusal> {
  if (!isUtf8(line)) return notJson(place);
  try {
    return { value: yield* parseInPieces(line) };
  } catch (error) {
    if (error instanceof LongIntegerError)
      return longIntegerRefusal(['records', String(place), ...error.path], error.integer);
    if (error instanceof JsonError) return notJson(place);
    throw error;
  }
}

function notJson(line: number): Refusal {
  return invalidRequest(`records.${line}`, `records.${line} (line ${line + 1}) is not valid JSON in UTF-8`);
}
