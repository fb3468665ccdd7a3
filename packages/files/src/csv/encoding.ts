import { isAscii } from 'node:buffer';
import { closeSync, openSync, readSync } from 'node:fs';
import { CSV_CHUNK_BYTES } from '../limits/limits.ts';
import { type FileRefusal, refuseFile } from '../outcome/refusal.ts';
import type { EncodingCandidate } from './guess-encoding.ts';
import { createTextDecoder, findEncodingName, type PieceDecoder } from './text-decoder.ts';

type MarkedEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

export interface CsvEncoding {
  /** A label that `createTextDecoder` accepts. */
  readonly label: string;
  /** True if the whole file is well-formed UTF-8 without a byte order mark. */
  readonly isPlainUtf8: boolean;
  /** True if the caller specified the encoding. */
  readonly isSpecified: boolean;
}

/**
 * Detects the encoding of a text file. If its first bytes identify the encoding, it is that one; else UTF-8 if the
 * whole file is valid; else the most likely encoding of its non-ASCII lines (`guessEncoding`). Refused if that is
 * uncertain. Reads the whole file. `locale`: the document's locale.
 */
export async function detectEncoding(
  path: string,
  locale: string,
  onBytes: (bytes: number) => void,
): Promise<CsvEncoding | FileRefusal> {
  const scan = new EncodingScan();
  for (const chunk of readChunks(path, Number.POSITIVE_INFINITY)) {
    scan.addChunk(chunk);
    if (scan.marked) return toDetectedEncoding(scan.marked);
    onBytes(chunk.length);
  }
  if (scan.isUtf8()) return { label: 'utf-8', isPlainUtf8: true, isSpecified: false };
  // The bytes are not text in any encoding: this is a binary file.
  if (scan.hasNul) return refuseFile('The file is not a text file. Export it as CSV in UTF-8.');
  const sample = scan.collectSample();
  if (isMostlyUtf8(sample)) {
    return refuseFile(
      'Most of the file is in UTF-8, but some bytes are invalid. Save it again as CSV in UTF-8.',
      'encoding',
    );
  }
  // Few files need the tables of languages, so they are loaded only here.
  const { guessEncoding } = await import('./guess-encoding.ts');
  const guess = guessEncoding(sample, locale);
  return 'encoding' in guess
    ? toDetectedEncoding(guess.encoding)
    : refuseFile(createUncertainMessage(guess.candidates), 'encoding');
}

/** An encoding that was detected in the file, not given by the caller. */
function toDetectedEncoding(label: string): CsvEncoding {
  return { label, isPlainUtf8: false, isSpecified: false };
}

/** The message of the refusal, with the possible encodings and a word in each of them. */
function createUncertainMessage(candidates: readonly EncodingCandidate[]): string {
  const list = candidates.map(({ encoding, example }) => (example === '' ? encoding : `${encoding} (${example})`));
  return list.length === 0
    ? 'The file is not in UTF-8, and its encoding is unknown. Specify it (encoding), or save the file again as UTF-8.'
    : `The file is not in UTF-8, and its encoding is uncertain. Specify it (encoding): ${list.join(', ')}.`;
}

const NUL = 0;
const LINE_FEED = 0x0a;
/** Maximum size of the lines from which the encoding is guessed, in bytes. */
const MAX_GUESS_BYTES = 64 * 1024;
/** Escape sequence that switches to Japanese in ISO-2022-JP, which consists of ASCII bytes. */
const JAPANESE_ESCAPE = Buffer.from('\x1b$');

class EncodingScan {
  /** The encoding that a byte order mark specifies, or UTF-16 if the zero bytes show it. */
  marked: string | null = null;
  hasNul = false;
  private first = true;
  private utf8: TextDecoder | null = new TextDecoder('utf-8', { fatal: true });
  /** True if a character may have started in the previous chunk. */
  private isOpen = false;
  private readonly lines: Buffer[] = [];
  private lineBytes = 0;

  addChunk(chunk: Buffer): void {
    const isFirst = this.first;
    if (isFirst) this.addHead(chunk);
    this.first = false;
    if (this.marked !== null) return;
    this.hasNul ||= chunk.includes(NUL);
    const isPlain = isAscii(chunk);
    if (!isPlain || this.isOpen) this.tryUtf8(chunk);
    if (!isPlain) this.keepLines(chunk, isFirst ? 0 : chunk.indexOf(LINE_FEED) + 1);
    this.isOpen = !isPlain;
  }

  isUtf8(): boolean {
    this.tryUtf8(null);
    return this.utf8 !== null;
  }

  /** Returns lines with non-ASCII bytes. */
  collectSample(): Buffer {
    return Buffer.concat(this.lines);
  }

  /** Detects the encoding by the first bytes of the file, if they show it. */
  private addHead(chunk: Buffer): void {
    const isJapanese = isAscii(chunk) && chunk.includes(JAPANESE_ESCAPE);
    this.marked = detectByMark(chunk) ?? detectByZeros(chunk) ?? (isJapanese ? 'iso-2022-jp' : null);
  }

  /** Decodes a chunk as UTF-8; null ends the text. From the first invalid byte on, the text does not count as UTF-8. */
  private tryUtf8(chunk: Buffer | null): void {
    try {
      if (chunk) this.utf8?.decode(chunk, { stream: true });
      else this.utf8?.decode();
    } catch {
      this.utf8 = null;
    }
  }

  /**
   * Collects the complete lines of a chunk, because a multi-byte character never crosses a line end. `from`: start of
   * the first line.
   */
  private keepLines(chunk: Buffer, from: number): void {
    for (let start = from; start < chunk.length && this.lineBytes < MAX_GUESS_BYTES; ) {
      const next = chunk.indexOf(LINE_FEED, start);
      const end = next < 0 ? chunk.length : next + 1;
      const line = chunk.subarray(start, end);
      const isWhole = next >= 0 || chunk.length < CSV_CHUNK_BYTES;
      if (isWhole && !isAscii(line)) {
        // The chunk's memory is reused for the next one.
        this.lines.push(Buffer.from(line));
        this.lineBytes += line.length;
      }
      start = end;
    }
  }
}

/** Maximum share of broken non-ASCII characters in a text that still counts as UTF-8. */
const MAX_BROKEN_SHARE = 0.1;

/** True if few characters beyond ASCII are broken when the sample is read as UTF-8. */
function isMostlyUtf8(sample: Buffer): boolean {
  const text = new TextDecoder('utf-8').decode(sample);
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  const all = text.match(/[^\0-\x7f]/gu)?.length ?? 0;
  return all > 0 && broken / all <= MAX_BROKEN_SHARE;
}

/** The encoding that a byte order mark shows; null without one. */
function detectByMark(head: Buffer): MarkedEncoding | null {
  const [a, b, c] = head;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  return a === 0xfe && b === 0xff ? 'utf-16be' : null;
}

/** Number of bytes at the start that are checked for the zeros of UTF-16. */
const ZERO_SAMPLE = 4096;

/** The bytes of a line end in UTF-8. In UTF-16 they would be a Gurmukhi character that is not assigned. */
const LINE_END = Buffer.from('\r\n');

/** Detects UTF-16 without a byte order mark: in ASCII text every other byte is zero. */
function detectByZeros(head: Buffer): MarkedEncoding | null {
  const sample = head.subarray(0, ZERO_SAMPLE);
  const isOdd = sample.length < ZERO_SAMPLE && sample.length % 2 === 1;
  if (isOdd || sample.includes(LINE_END)) return null;
  let even = 0;
  let odd = 0;
  for (const [i, byte] of sample.entries()) {
    if (byte === NUL && i % 2 === 0) even++;
    else if (byte === NUL) odd++;
  }
  const enough = sample.length / 5;
  if (odd > enough && even < odd / 10) return 'utf-16le';
  return even > enough && odd < even / 10 ? 'utf-16be' : null;
}

/**
 * Yields the content of a file as well-formed UTF-8, up to byte `end` of the file. Each chunk must be used before the
 * next one is requested. Yields a refusal at the first byte that is invalid in the encoding, because text would be
 * lost. `onLoneSurrogates`: receives the number of lone UTF-16 surrogates that were replaced by U+FFFD.
 */
export function* readAsUtf8(
  path: string,
  encoding: CsvEncoding,
  end: number,
  onBytes: (bytes: number) => void,
  onLoneSurrogates: (count: number) => void = () => undefined,
): Generator<Buffer | FileRefusal> {
  const { label, isPlainUtf8 } = encoding;
  const decoder = new Utf8Converter(label, onLoneSurrogates);
  for (const piece of readChunks(path, end)) {
    yield isPlainUtf8 ? piece : (decoder.decodeChunk(piece) ?? refuseInvalidBytes(encoding));
    onBytes(piece.length);
  }
  if (!isPlainUtf8) yield decoder.decodeChunk(null) ?? refuseInvalidBytes(encoding);
}

const IS_UTF16 = /^utf-16/;

/** Converts chunks to UTF-8. */
class Utf8Converter {
  private readonly decoder: PieceDecoder;
  private readonly isUtf16: boolean;
  private readonly onLoneSurrogates: (count: number) => void;

  constructor(label: string, onLoneSurrogates: (count: number) => void) {
    this.isUtf16 = IS_UTF16.test(findEncodingName(label));
    this.decoder = createTextDecoder(label, !this.isUtf16);
    this.onLoneSurrogates = onLoneSurrogates;
  }

  /** Converts a chunk; null ends the text. Returns null if the bytes are invalid in the encoding. */
  decodeChunk(piece: Buffer | null): Buffer | null {
    try {
      const text = piece === null ? this.decoder.decode() : this.decoder.decode(piece, { stream: true });
      const halves = this.isUtf16 ? text.split('\ufffd').length - 1 : 0;
      if (halves > 0) this.onLoneSurrogates(halves);
      return Buffer.from(text);
    } catch {
      return null;
    }
  }
}

/** Refuses a file with bytes that its encoding does not have. */
function refuseInvalidBytes({ label, isSpecified }: CsvEncoding): FileRefusal {
  return isSpecified
    ? refuseFile(
        `The file is not in ${label}: it contains invalid bytes. Omit the encoding to have it detected.`,
        'encoding',
      )
    : refuseFile(`The file begins as ${label}, but contains invalid bytes. Specify its encoding, or save it again.`);
}

/**
 * Yields chunks of a file up to byte `end`. All chunks use the same memory; a stream would allocate new memory for each.
 * Reads synchronously: passing each read to another thread would take longer than the read. Its callers are threads and
 * commands that serve no requests.
 */
function* readChunks(path: string, end: number): Generator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(CSV_CHUNK_BYTES);
  const file = openSync(path, 'r');
  try {
    for (let at = 0; at < end; ) {
      const length = readSync(file, buffer, 0, Math.min(buffer.length, end - at), at);
      if (length === 0) return;
      yield buffer.subarray(0, length);
      at += length;
    }
  } finally {
    closeSync(file);
  }
}
