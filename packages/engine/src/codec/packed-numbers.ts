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
  const scaleIndex = findCommonScale(numbers, from, end);
  const scale = SCALES[scaleIndex];
  out.writeByte(scale === undefined ? FULL : scaleIndex);
  if (scale === undefined) {
    const { buffer, byteOffset, BYTES_PER_ELEMENT: size } = numbers.subarray(from, end);
    out.writeBytes(new Uint8Array(buffer, byteOffset, (end - from) * size));
    return;
  }
  out.writeWith((end - from) * SCALED_BYTES, (_, view, start) => {
    let position = start;
    for (let i = from; i < end; i++, position += SCALED_BYTES) {
      view.setInt32(position, scaleNumber(numbers[i]!, scale), true);
    }
    return position;
  });
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

/** The index of the smallest scale that restores all numbers exactly; the length of `SCALES` if none does. */
function findCommonScale(numbers: Float64Array, from: number, end: number): number {
  let scaleIndex = 0;
  let chosenAt = from;
  for (let i = from; i < end; i++) {
    while (scaleIndex < SCALES.length && !isRestoredExactly(numbers[i]!, SCALES[scaleIndex]!)) {
      scaleIndex++;
      chosenAt = i;
    }
  }
  // The scale that a later number needs may be too large for an earlier number.
  for (let i = from; i < chosenAt && scaleIndex < SCALES.length; i++) {
    if (!isRestoredExactly(numbers[i]!, SCALES[scaleIndex]!)) return SCALES.length;
  }
  return scaleIndex;
}

function scaleNumber(number: number, scale: number): number {
  return Math.round(number * scale);
}

/** True if a number is the same after it was written and read. Cells contain no negative zero. */
function isRestoredExactly(number: number, scale: number): boolean {
  const whole = scaleNumber(number, scale);
  return whole === (whole | 0) && whole / scale === number;
}
