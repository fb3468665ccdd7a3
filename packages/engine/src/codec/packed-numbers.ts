import type { ByteReader, ByteWriter } from './bytes.ts';

/**
 * Numbers without anything between them: whole numbers of 4 bytes and their scale if all numbers have few decimals, or
 * else 8 bytes for each. A block of 1,000 × 26 amounts took 21 bytes per number in the log (new and previous value), and
 * takes 8.
 */

/** The first byte: index in `SCALES`, or `FULL`. */
const SCALES: readonly number[] = [1, 10, 100, 1_000, 10_000];
const FULL = 255;
const SCALED_BYTES = 4;

/** Writes `numbers` from index `from` to before `end`. */
export function writePackedNumbers(out: ByteWriter, numbers: Float64Array, from: number, end: number): void {
  const place = commonScale(numbers, from, end);
  const scale = SCALES[place];
  out.byte(scale === undefined ? FULL : place);
  if (scale === undefined) {
    const { buffer, byteOffset, BYTES_PER_ELEMENT: size } = numbers.subarray(from, end);
    out.bytes(new Uint8Array(buffer, byteOffset, (end - from) * size));
    return;
  }
  out.fill((end - from) * SCALED_BYTES, (_, view, start) => {
    for (let i = from; i < end; i++) view.setInt32(start + (i - from) * SCALED_BYTES, scaled(numbers[i]!, scale), true);
    return start + (end - from) * SCALED_BYTES;
  });
}

/** Reads `count` numbers one by one, because the source may be hostile. */
export function readPackedNumbers(source: ByteReader, count: number, take: (number: number, i: number) => void): void {
  const place = source.byte();
  const scale = place === FULL ? null : scaleAt(place);
  for (let i = 0; i < count; i++) take(scale === null ? source.float() : source.int32() / scale, i);
}

export function skipPackedNumbers(source: ByteReader, count: number): void {
  source.skip(count * numberBytes(source.byte()));
}

export function copyPackedNumbers(source: ByteReader, out: ByteWriter, count: number): void {
  const place = source.byte();
  out.byte(place);
  out.bytes(source.bytes(count * numberBytes(place)));
}

function numberBytes(place: number): number {
  if (place === FULL) return Float64Array.BYTES_PER_ELEMENT;
  scaleAt(place);
  return SCALED_BYTES;
}

function scaleAt(place: number): number {
  const scale = SCALES[place];
  if (scale === undefined) throw new RangeError('stored numbers of an unknown form');
  return scale;
}

/** The index of the smallest scale that fits all numbers; the length of `SCALES` if none does. */
function commonScale(numbers: Float64Array, from: number, end: number): number {
  let place = 0;
  let decidedAt = from;
  for (let i = from; i < end; i++) {
    for (; place < SCALES.length && !fits(numbers[i]!, SCALES[place]!); place++) decidedAt = i;
  }
  // An earlier number may be too large for the scale that a later one needs.
  for (let i = from; i < decidedAt && place < SCALES.length; i++) {
    if (!fits(numbers[i]!, SCALES[place]!)) return SCALES.length;
  }
  return place;
}

function scaled(number: number, scale: number): number {
  return Math.round(number * scale);
}

/** True if the number is restored exactly. */
function fits(number: number, scale: number): boolean {
  const whole = scaled(number, scale);
  return whole === (whole | 0) && whole / scale === number;
}
