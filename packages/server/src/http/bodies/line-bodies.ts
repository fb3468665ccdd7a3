import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { pause, runInSlices } from '@cellwire/event-loop';
import type { FastifyRequest, RequestPayload } from 'fastify';
import { MAX_LINE_BYTES } from '../../limits/http.ts';
import { type ParsedLines, parseLines } from '../../operations/json/json-lines.ts';
import { JsonError, LongIntegerError, parseInPieces } from '../../operations/json/json-pieces.ts';
import { createLongIntegerRefusal } from '../../operations/json/long-integers.ts';
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
export async function* readLineBatches(
  { payload }: LineBody,
  bounds: BatchBounds,
): AsyncGenerator<LineBatch | Refusal, void> {
  let values: unknown[] = [];
  let bytes = 0;
  let count = 0;
  for await (const block of readLineBlocks(payload)) {
    if (isRefusal(block)) return yield block;
    // Lines are parsed as they arrive. Otherwise the bytes of a whole batch would be kept in addition to its values.
    const parsed: CheckedLines = parseLines(block) ?? (await parseLineByLine(block, count));
    count += parsed.values.length;
    for (let i = 0; i < parsed.values.length; i++) {
      bytes += parsed.lengths[i] as number;
      if (bytes > bounds.bytes) return yield createTooLargeRefusal(bounds.bytes);
      values.push(parsed.values[i]);
      if (values.length < bounds.lines) continue;
      yield { values, bytes };
      values = [];
      bytes = 0;
    }
    if (parsed.refusal !== undefined) return yield parsed.refusal;
    const turn = pause();
    if (turn !== null) await turn;
  }
  if (values.length > 0) yield { values, bytes };
}

/** The values up to the first line that is refused. */
interface CheckedLines extends ParsedLines {
  /** Absent: all lines are valid. */
  readonly refusal?: Refusal;
}

/**
 * Parses the lines of a block one by one, to find the invalid one. `before` is the number of lines before the block,
 * without blank ones.
 */
async function parseLineByLine(block: Buffer, before: number): Promise<CheckedLines> {
  const values: unknown[] = [];
  const lengths: number[] = [];
  for (let from = 0; from < block.length; ) {
    const newline = block.indexOf(NEWLINE, from);
    const end = newline < 0 ? block.length : newline;
    const line = block.subarray(from, end);
    from = end + 1;
    if (isBlank(line)) continue;
    const parsed = await runInSlices(parseLine(line, before + values.length));
    if (isRefusal(parsed)) return { values, lengths, refusal: parsed };
    values.push(parsed.value);
    lengths.push(line.length);
    const turn = pause();
    if (turn !== null) await turn;
  }
  return { values, lengths };
}

function createTooLargeRefusal(bytes: number): Refusal {
  return invalidRequest(
    'batch',
    `Lines of more than ${bytes} bytes cannot be one commit: send batch, or a smaller one`,
  );
}

const NEWLINE = 0x0a;
const BLANK = /^\s*$/;

/** The complete lines of a body: the line that began in an earlier piece, then the other lines of a piece. */
async function* readLineBlocks(payload: Readable): AsyncGenerator<Buffer | Refusal> {
  let parts: Buffer[] = [];
  // The length is counted incrementally, because a line may arrive in as many pieces as it has bytes.
  let length = 0;
  for await (const piece of payload as AsyncIterable<Buffer>) {
    const first = piece.indexOf(NEWLINE);
    const last = piece.lastIndexOf(NEWLINE);
    if (first >= 0) {
      yield Buffer.concat([...parts, piece.subarray(0, first)]);
      parts = [];
      length = 0;
    }
    if (last > first) yield piece.subarray(first + 1, last);
    if (last + 1 < piece.length) parts.push(piece.subarray(last + 1));
    length += piece.length - last - 1;
    if (length > MAX_LINE_BYTES)
      return yield invalidRequest('records', `A line may have ${MAX_LINE_BYTES} bytes at most`);
  }
  yield Buffer.concat(parts);
}

function isBlank(line: Buffer): boolean {
  return line.length === 0 || (line.length < 16 && BLANK.test(line.toString('latin1')));
}

/** Yields regularly. `precedingLines`: their number. */
function* parseLine(line: Buffer, precedingLines: number): Generator<void, { readonly value: unknown } | Refusal> {
  if (!isUtf8(line)) return createNotJsonRefusal(precedingLines);
  try {
    return { value: yield* parseInPieces(line) };
  } catch (error) {
    if (error instanceof LongIntegerError)
      return createLongIntegerRefusal(['records', String(precedingLines), ...error.path], error.integer);
    if (error instanceof JsonError) return createNotJsonRefusal(precedingLines);
    throw error;
  }
}

function createNotJsonRefusal(line: number): Refusal {
  return invalidRequest(`records.${line}`, `records.${line} (line ${line + 1}) is not valid JSON in UTF-8`);
}
