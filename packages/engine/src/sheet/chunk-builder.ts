import { isError, type Scalar } from '../value/scalar.ts';
import { BOOLEAN, EMPTY, ERROR, NUMBER, TEXT } from './cell-kind.ts';
import { Cells } from './cells.ts';
import { Chunk } from './chunk.ts';
import { computeCapacity } from './chunk-arrays.ts';
import { CHUNK_ROWS } from './chunk-rows.ts';
import { packTextsWith } from './chunk-texts.ts';
import type { NumberArena } from './number-arena.ts';
import { TextBuffer } from './text-buffer.ts';
import { Texts } from './texts.ts';

/** Revision of a chunk that no draft owns. */
const REVISION = 0;

/** Builds a chunk from values of up to 256 rows in any order. The finished chunk is read-only. */
export class ChunkBuilder {
  private kinds: Uint8Array;
  private numbers: Float64Array;
  private formats: number | Uint16Array;
  private texts: TextBuffer | null = null;
  private readonly format: number;
  private readonly arena: NumberArena;

  /** `rows`: initial capacity. `format`: format of rows without a value. */
  constructor(rows: number, format: number, arena: NumberArena) {
    const capacity = computeCapacity(rows);
    this.kinds = new Uint8Array(capacity);
    this.numbers = arena.allocateNumbers(capacity);
    this.formats = format;
    this.format = format;
    this.arena = arena;
  }

  putValue(row: number, value: Scalar, format: number): void {
    // Converts -0 to 0; see `Chunk`.
    if (typeof value === 'number') this.setCell(row, NUMBER, value + 0, format);
    else if (typeof value === 'string') this.setCell(row, TEXT, this.ensureTextBuffer().add(value), format);
    else if (typeof value === 'boolean') this.setCell(row, BOOLEAN, value ? 1 : 0, format);
    else if (isError(value)) this.setCell(row, ERROR, value.index, format);
    else this.setCell(row, EMPTY, 0, format);
  }

  putNumber(row: number, number: number, format: number): void {
    this.setCell(row, NUMBER, number + 0, format);
  }

  /** Puts numbers in consecutive rows. */
  putNumbers(row: number, numbers: Float64Array, format: number): void {
    const end = row + numbers.length;
    if (end > this.kinds.length) this.grow(end);
    this.kinds.fill(NUMBER, row, end);
    for (let i = 0; i < numbers.length; i++) this.numbers[row + i] = numbers[i]! + 0;
    if (this.formats !== format) for (let at = row; at < end; at++) this.setFormat(at, format);
  }

  /** Puts a text in well-formed UTF-8. Returns false if it is too long; the caller must then put it as a string. */
  putUtf8(row: number, bytes: Uint8Array, start: number, end: number, format: number): boolean {
    const place = this.ensureTextBuffer().addUtf8(bytes, start, end);
    if (place === null) return false;
    this.setCell(row, TEXT, place, format);
    return true;
  }

  /**
   * Returns the finished chunk, which can no longer be changed. Call `startNextChunk` before using the builder again.
   */
  finish(): Chunk {
    const { kinds, numbers, texts } = this;
    const packed =
      texts === null || texts.isEmpty
        ? Texts.NONE
        : packTextsWith((packer, place) => texts.addTo(packer, place), kinds, numbers, numbers.length);
    return new Chunk(REVISION, Cells.fromSettled(kinds, numbers), packed, this.formats);
  }

  /** Begins the next chunk of 256 rows. `isFree`: no code uses the last chunk any more, so its memory can be reused. */
  startNextChunk(isFree: boolean): void {
    const isWhole = isFree && this.kinds.length === CHUNK_ROWS;
    if (isWhole) {
      this.kinds.fill(EMPTY);
      this.numbers.fill(0);
    } else {
      this.kinds = new Uint8Array(CHUNK_ROWS);
      this.numbers = this.arena.allocateNumbers(CHUNK_ROWS);
    }
    this.formats = this.format;
    this.texts?.clear();
  }

  private setCell(row: number, kind: number, number: number, format: number): void {
    if (row >= this.kinds.length) this.grow(row + 1);
    this.kinds[row] = kind;
    this.numbers[row] = number;
    if (this.formats !== format) this.setFormat(row, format);
  }

  private setFormat(row: number, format: number): void {
    if (typeof this.formats === 'number') this.formats = new Uint16Array(this.kinds.length).fill(this.formats);
    this.formats[row] = format;
  }

  private grow(rows: number): void {
    const capacity = computeCapacity(rows);
    const { kinds, numbers, formats } = this;
    this.kinds = new Uint8Array(capacity);
    this.kinds.set(kinds);
    this.numbers = this.arena.allocateNumbers(capacity);
    this.numbers.set(numbers);
    if (typeof formats === 'number') return;
    this.formats = new Uint16Array(capacity).fill(this.format);
    this.formats.set(formats);
  }

  private ensureTextBuffer(): TextBuffer {
    this.texts ??= new TextBuffer();
    return this.texts;
  }
}
