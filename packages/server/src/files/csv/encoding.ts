import { isAscii } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { CHUNK_BYTES } from '../limits.ts';
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
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    scan.add(chunk);
    if (scan.marked) return scan.marked;
    if (scan.binary) return refuse('The file is not a text file. Export it as CSV in UTF-8.');
    onBytes(chunk.length);
  }
  return scan.encoding();
}

const NUL = 0;

class Scan {
  /** The encoding that a byte order mark names, or that the zero bytes of unmarked UTF-16 give away. */
  marked: CsvEncoding | null = null;
  binary = false;
  private first = true;
  private utf8: TextDecoder | null = new TextDecoder('utf-8', { fatal: true });
  private previous = NUL;
  /** Bytes that are letters in both one-byte encodings, and those of them that follow another one. */
  private letters = 0;
  private joined = 0;

  add(chunk: Buffer): void {
    if (this.first) this.marked = byMark(chunk) ?? byZeros(chunk);
    this.first = false;
    if (this.marked) return;
    this.binary = chunk.includes(NUL);
    this.tryUtf8(chunk);
    if (this.utf8 === null || !isAscii(chunk)) this.countLetters(chunk);
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
