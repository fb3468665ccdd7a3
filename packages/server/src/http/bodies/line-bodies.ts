import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { pause, runInSlices } from '@cellwire/event-loop';
import type { FastifyRequest, RequestPayload } from 'fastify';
import { LINES_RESERVE_BYTES, MAX_LINE_BYTES } from '../../limits/http.ts';
import { JsonError, LongIntegerError, parseInPieces } from '../../operations/json/json-pieces.ts';
import { createLongIntegerRefusal } from '../../operations/json/long-integers.ts';
import { RecordScanner } from '../../operations/json/record-scanner.ts';
import { LINES_TYPE } from '../../operations/schemas/content-types.ts';
import { isRecordMembers } from '../../service/records/parse-filter.ts';
import { SentRecords } from '../../service/records/sent-records.ts';
import { BUSY, invalidRequest, isRefusal, type Refusal } from '../../service/refusal.ts';
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

/** Records of consecutive lines. */
interface LineBatch {
  /** The next batch uses the same memory. */
  readonly records: SentRecords;
  readonly bytes: number;
}

/**
 * The records of an NDJSON body's lines in batches. Only one batch and one piece of the body are in memory. An invalid
 * line ends the iteration with a refusal. Blank lines do not count. `reserveLargeBatch` returns false if there is no
 * memory for a batch of more than `LINES_RESERVE_BYTES`.
 */
export async function* readLineBatches(
  { payload }: LineBody,
  bounds: BatchBounds,
  reserveLargeBatch: () => boolean,
): AsyncGenerator<LineBatch | Refusal, void> {
  const scanner = new RecordScanner();
  const records = new SentRecords();
  let bytes = 0;
  let isReserved = false;
  /** Number of records in earlier batches. */
  let before = 0;
  for await (const block of readLineBlocks(payload)) {
    if (isRefusal(block)) return yield block;
    const isValid = isUtf8(block);
    // Lines are parsed as they arrive. Otherwise the bytes of a whole batch would be kept in addition to its values.
    let offset = records.appendBytes(block);
    for (let at = 0; at < block.length; ) {
      const scanned = isValid ? scanner.scanLine(records, offset + at) : -1;
      const start = at;
      at = scanned < 0 ? block.indexOf(NEWLINE, start) + 1 : scanned - offset;
      if (scanned < 0) {
        const line = block.subarray(start, at - 1);
        if (isBlank(line)) continue;
        const parsed = await runInSlices(parseLine(line, before + records.count));
        if (isRefusal(parsed)) return yield parsed;
        records.addRecord(parsed.value, scanner.learnNames(listNames(parsed.value)));
        const turn = pause();
        if (turn !== null) await turn;
      }
      bytes += at - 1 - start;
      if (bytes > bounds.bytes) return yield createTooLargeRefusal(bounds.bytes);
      if (bytes > LINES_RESERVE_BYTES && !isReserved) {
        isReserved = reserveLargeBatch();
        if (!isReserved) return yield BUSY;
      }
      if (records.count < bounds.lines) continue;
      yield { records, bytes };
      before += records.count;
      bytes = 0;
      records.clear();
      offset = records.appendBytes(block.subarray(at)) - at;
    }
    const turn = pause();
    if (turn !== null) await turn;
  }
  if (records.count > 0) yield { records, bytes };
}

function listNames(value: unknown): readonly string[] {
  return isRecordMembers(value) ? Object.keys(value) : [];
}

function createTooLargeRefusal(bytes: number): Refusal {
  return invalidRequest(
    'batch',
    `Lines of more than ${bytes} bytes cannot be one commit: send batch, or a smaller one`,
  );
}

const NEWLINE = 0x0a;
const BLANK = /^\s*$/;

/**
 * The complete lines of a body with their line ends: the line that began in an earlier piece, then the other lines of a
 * piece. The last line gets a line end.
 */
async function* readLineBlocks(payload: Readable): AsyncGenerator<Buffer | Refusal> {
  let parts: Buffer[] = [];
  // The length is counted incrementally, because a line may arrive in as many pieces as it has bytes.
  let length = 0;
  for await (const piece of payload as AsyncIterable<Buffer>) {
    const first = piece.indexOf(NEWLINE);
    const last = piece.lastIndexOf(NEWLINE);
    if (first >= 0) {
      yield Buffer.concat([...parts, piece.subarray(0, first + 1)]);
      parts = [];
      length = 0;
    }
    if (last > first) yield piece.subarray(first + 1, last + 1);
    if (last + 1 < piece.length) parts.push(piece.subarray(last + 1));
    length += piece.length - last - 1;
    if (length > MAX_LINE_BYTES)
      return yield invalidRequest('records', `A line may have ${MAX_LINE_BYTES} bytes at most`);
  }
  if (length > 0) yield Buffer.concat([...parts, Buffer.of(NEWLINE)]);
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
