import type { ByteReader, ByteWriter } from './bytes.ts';

/**
 * Encodes a sequence of numbers. If all numbers have few decimals: a scale, and whole numbers of 4 bytes; otherwise 8
 * bytes for each. A block of 1,000 × 26 amounts took 21 bytes per number in the log (new and previous value) without
 * this form, and takes 8.
 */

/**
 * Maximum changed rows of a chunk that are read cell by cell. For so few rows, chunks need not merge their patches into
 * arrays. Only more rows have packed numbers.
 */
export const MAX_SINGLE_ROWS = 16;

/** The factors that turn numbers with few decimals into whole numbers. Stored forms contain their indexes. */
export const SCALES: readonly number[] = [1, 10, 100, 1_000, 10_000];
/** The first byte is an index in `SCALES`, or this number for numbers of 8 bytes. */
const FULL = 255;
const SCALED_BYTES = 4;

/** Writes `numbers` from index `from` to before `end`. */
export function writePackedNumbers(out: ByteWriter, numbers: Float64Array, from: number, end: number): void {
  let isScaled = false;
  out.writeWith(1 + (end - from) * SCALED_BYTES, (to, view, start) => {
    const scaleIndex = writeScaledNumbers(view, start + 1, numbers, from, end);
    isScaled = scaleIndex < SCALES.length;
    to[start] = isScaled ? scaleIndex : FULL;
    return start + 1 + (isScaled ? (end - from) * SCALED_BYTES : 0);
  });
  if (isScaled) return;
  const { buffer, byteOffset, BYTES_PER_ELEMENT: size } = numbers.subarray(from, end);
  out.writeBytes(new Uint8Array(buffer, byteOffset, (end - from) * size));
}

/**
 * Writes the numbers as whole numbers with the smallest scale that restores all of them exactly. Returns the index of
 * the scale. Returns the length of `SCALES` if there is no such scale; the written bytes then have no meaning.
 */
function writeScaledNumbers(view: DataView, start: number, numbers: Float64Array, from: number, end: number): number {
  let scaleIndex = 0;
  for (let i = from; i < end; ) {
    const number = numbers[i]!;
    const scale = SCALES[scaleIndex]!;
    const whole = Math.round(number * scale);
    if (isRestoredExactly(number, whole, scale)) {
      view.setInt32(start + (i - from) * SCALED_BYTES, whole, true);
      i++;
      continue;
    }
    scaleIndex = findScale(number, scaleIndex + 1);
    if (scaleIndex === SCALES.length) return scaleIndex;
    // All numbers are written again. The larger scale may be too large for an earlier number.
    i = from;
  }
  return scaleIndex;
}

/** The index of the smallest scale from `scaleIndex` on that restores a number; the length of `SCALES` if none does. */
function findScale(number: number, scaleIndex: number): number {
  for (let index = scaleIndex; index < SCALES.length; index++) {
    const scale = SCALES[index]!;
    if (isRestoredExactly(number, Math.round(number * scale), scale)) return index;
  }
  return SCALES.length;
}

/** True if a number is the same after it was written as a whole number and read. Cells contain no negative zero. */
function isRestoredExactly(number: number, whole: number, scale: number): boolean {
  return whole === (whole | 0) && whole / scale === number;
}

/** Reads `count` numbers one by one, because the source may be hostile. */
export function readPackedNumbers(source: ByteReader, count: number, take: (number: number, i: number) => void): void {
  const scaleIndex = source.readByte();
  const scale = scaleIndex === FULL ? null : getScale(scaleIndex);
  for (let i = 0; i < count; i++) take(scale === null ? source.readFloat() : source.readInt32() / scale, i);
}

export function skipPackedNumbers(source: ByteReader, count: number): void {
  source.skipBytes(count * getBytesPerNumber(source.readByte()));
}

export function copyPackedNumbers(source: ByteReader, out: ByteWriter, count: number): void {
  const scaleIndex = source.readByte();
  out.writeByte(scaleIndex);
  out.writeBytes(source.readBytes(count * getBytesPerNumber(scaleIndex)));
}

function getBytesPerNumber(scaleIndex: number): number {
  if (scaleIndex === FULL) return Float64Array.BYTES_PER_ELEMENT;
  getScale(scaleIndex);
  return SCALED_BYTES;
}

function getScale(scaleIndex: number): number {
  const scale = SCALES[scaleIndex];
  if (scale === undefined) throw new RangeError('stored numbers of an unknown form');
  return scale;
}
