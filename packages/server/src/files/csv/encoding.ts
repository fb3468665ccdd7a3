import { isAscii } from 'node:buffer';
import { open } from 'node:fs/promises';
import { CSV_CHUNK_BYTES } from '../limits.ts';
import { type FileRefusal, refuse } from '../refusal.ts';

export type CsvEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1251' | 'windows-1252';

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
    if (scan.marked) return scan.marked;
    if (scan.binary) return refuse('The file is not a text file. Export it as CSV in UTF-8.');
    onBytes(chunk.length);
  }
  return scan.encoding();
}

const NUL = 0;
/** Of UTF-8's byte order mark. */
const MARK_BYTES = 3;

class Scan {
  /** The encoding that a byte order mark names, or that the zero bytes of unmarked UTF-16 give away. */
  marked: CsvEncoding | null = null;
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
    if (this.utf8 === null || !isPlain) this.countLetters(chunk);
    this.isOpen = !isPlain;
  }

  encoding(): CsvEncoding {
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

function byMark(head: Buffer): CsvEncoding | null {
  const [a, b, c] = head;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  return a === 0xfe && b === 0xff ? 'utf-16be' : null;
}

/** Bytes at the start that are looked at for the zeros of UTF-16. */
const ZERO_SAMPLE = 4096;

/** UTF-16 without a mark: in ASCII text every other byte is zero. */
function byZeros(head: Buffer): CsvEncoding | null {
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

/** The contents of a file in UTF-8, without a mark of it, up to a byte of the file. Each piece is to be used before the next. */
export async function* inUtf8(
  path: string,
  encoding: string,
  end: number,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding);
  const isUtf8 = decoder.encoding === 'utf-8';
  let isFirst = true;
  for await (const piece of pieces(path, end)) {
    if (!isUtf8) yield Buffer.from(decoder.decode(piece, { stream: true }));
    else yield isFirst && byMark(piece) === 'utf-8' ? piece.subarray(MARK_BYTES) : piece;
    isFirst = false;
    onBytes(piece.length);
  }
  if (!isUtf8) yield Buffer.from(decoder.decode());
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
