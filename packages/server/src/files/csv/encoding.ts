import { isAscii } from 'node:buffer';
import { open } from 'node:fs/promises';
import { CSV_CHUNK_BYTES } from '../limits.ts';
import { type FileRefusal, refuse } from '../refusal.ts';

type Known = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1251' | 'windows-1252';

export interface CsvEncoding {
  /** Of the Encoding Standard. */
  readonly label: string;
  /** All of the file was seen to be well-formed UTF-8 without a mark of it. */
  readonly isPlainUtf8: boolean;
  /** It was told, not found out. */
  readonly isTold: boolean;
}

/**
 * The encoding of a text file: what its first bytes say; else UTF-8 if all of it is valid UTF-8; else one of the two
 * one-byte encodings that spreadsheets on Windows write. Reads the whole file.
 */
export async function detectEncoding(
  path: string,
  onBytes: (bytes: number) => void,
): Promise<CsvEncoding | FileRefusal> {
  const scan = new Scan();
  for await (const chunk of pieces(path, Number.POSITIVE_INFINITY)) {
    scan.add(chunk);
    if (scan.marked) return { label: scan.marked, isPlainUtf8: false, isTold: false };
    if (scan.binary) return refuse('The file is not a text file. Export it as CSV in UTF-8.');
    onBytes(chunk.length);
  }
  const label = scan.encoding();
  return { label, isPlainUtf8: label === 'utf-8', isTold: false };
}

const NUL = 0;

class Scan {
  /** The encoding that a byte order mark names, or that the zero bytes of unmarked UTF-16 give away. */
  marked: Known | null = null;
  binary = false;
  private first = true;
  private utf8: TextDecoder | null = new TextDecoder('utf-8', { fatal: true });
  /** Whether a character may have begun in the chunk before. */
  private isOpen = false;
  private previous = NUL;
  /** Bytes that are letters in both one-byte encodings, and those of them that follow another one. */
  private letters = 0;
  private joined = 0;

  add(chunk: Buffer): void {
    if (this.first) this.marked = byMark(chunk) ?? byZeros(chunk);
    this.first = false;
    if (this.marked) return;
    this.binary = chunk.includes(NUL);
    const isPlain = isAscii(chunk);
    if (!isPlain || this.isOpen) this.tryUtf8(chunk);
    if (this.utf8 === null) this.countLetters(chunk);
    this.isOpen = !isPlain;
  }

  encoding(): Known {
    this.tryUtf8(null);
    if (this.utf8) return 'utf-8';
    return this.joined * 2 > this.letters ? 'windows-1251' : 'windows-1252';
  }

  private tryUtf8(chunk: Buffer | null): void {
    try {
      if (chunk) this.utf8?.decode(chunk, { stream: true });
      else this.utf8?.decode();
    } catch {
      this.utf8 = null;
    }
  }

  /** Cyrillic words are letters above 0xC0 in a row; western European ones have them one by one among ASCII. */
  private countLetters(chunk: Buffer): void {
    let { previous, letters, joined } = this;
    for (const byte of chunk) {
      if (byte >= 0xc0) {
        letters++;
        if (previous >= 0xc0) joined++;
      }
      previous = byte;
    }
    Object.assign(this, { previous, letters, joined });
  }
}

function byMark(head: Buffer): Known | null {
  const [a, b, c] = head;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  return a === 0xfe && b === 0xff ? 'utf-16be' : null;
}

/** Bytes at the start that are looked at for the zeros of UTF-16. */
const ZERO_SAMPLE = 4096;

/** UTF-16 without a mark: in ASCII text every other byte is zero. */
function byZeros(head: Buffer): Known | null {
  const sample = head.subarray(0, ZERO_SAMPLE);
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
 * The contents of a file in well-formed UTF-8, up to a byte of the file. Each piece is to be used before the next. Refused
 * from the first byte on that is none of the encoding: what stood there would be lost.
 */
export async function* inUtf8(
  path: string,
  encoding: CsvEncoding,
  end: number,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer | FileRefusal> {
  const { label, isPlainUtf8 } = encoding;
  const decoder = new TextDecoder(label, { fatal: true });
  for await (const piece of pieces(path, end)) {
    yield isPlainUtf8 ? piece : (decoded(decoder, piece) ?? notIn(encoding));
    onBytes(piece.length);
  }
  if (!isPlainUtf8) yield decoded(decoder, null) ?? notIn(encoding);
}

/** Null for bytes that are none of the encoding. A piece of null: the end. */
function decoded(decoder: TextDecoder, piece: Buffer | null): Buffer | null {
  try {
    return Buffer.from(piece === null ? decoder.decode() : decoder.decode(piece, { stream: true }));
  } catch {
    return null;
  }
}

function notIn({ label, isTold }: CsvEncoding): FileRefusal {
  return isTold
    ? refuse(
        `The file is not in ${label}: some of its bytes are none. Leave the encoding out to have it found out.`,
        'encoding',
      )
    : refuse(`The file begins as ${label}, and some of its bytes are none. Name its encoding, or save it anew.`);
}

/** A file up to a byte of it, in memory that each piece has after the one before: a stream takes as much again for each. */
async function* pieces(path: string, end: number): AsyncGenerator<Buffer> {
  const held = Buffer.allocUnsafeSlow(CSV_CHUNK_BYTES);
  const file = await open(path);
  try {
    for (let at = 0; at < end; ) {
      const { bytesRead } = await file.read(held, 0, Math.min(held.length, end - at), at);
      if (bytesRead === 0) return;
      yield held.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}
