import { EMPTY } from '../sheet/cell-kind.ts';
import { Cells } from '../sheet/cells.ts';
import { CHUNK_ROWS, Chunk } from '../sheet/chunk.ts';
import { findUniformKind, MIXED } from '../sheet/chunk-arrays.ts';
import { toStoredTexts } from '../sheet/chunk-texts.ts';
import { GENERAL } from '../sheet/formats.ts';
import { NumberArena } from '../sheet/number-arena.ts';
import { Texts } from '../sheet/texts.ts';
import { type AllocateBytes, allocateOwn, ByteReader, ByteWriter } from './bytes.ts';
import { SCALES } from './packed-numbers.ts';

const UNIFORM = 0;
const BY_ROW = 1;

/**
 * First byte of the current form. The old form, which can still be read, begins with one plus the revision that last
 * changed the chunk. It has eight bytes per number and four bytes per text.
 */
const COMPACT = 0;

/**
 * Widths of stored numbers in bytes. `AS_ROWS`: each number equals its row and is not stored. Numbers of four bytes are
 * signed.
 */
const AS_ROWS = 0;
const ONE_BYTE = 1;
const TWO_BYTES = 2;
const FOUR_BYTES = 4;
const EIGHT_BYTES = 8;
type NumberWidth = typeof AS_ROWS | typeof ONE_BYTE | typeof TWO_BYTES | typeof FOUR_BYTES | typeof EIGHT_BYTES;

/**
 * Decimals are stored as whole numbers of one, two or four bytes that are divided by a scale: their width, plus the
 * index of the scale times this number.
 */
const SCALE_STEP = 16;

/**
 * Encodes a chunk: kinds, numbers, formats, texts. The encoding resembles the arrays of a chunk, so that restoring it
 * is fast. Equal cells give equal bytes in every process. `formatNumber` returns a format's number in the stored
 * document.
 */
export function encodeChunk(
  chunk: Chunk,
  formatNumber: (id: number) => number,
  allocate: AllocateBytes = allocateOwn,
): Uint8Array {
  const uniform = chunk.uniformFormat();
  const rows = uniform === null ? countFormattedRows(chunk) : chunk.filledRows();
  const out = new ByteWriter();
  out.writeByte(COMPACT);
  out.writeVarint(rows);
  encodeKinds(chunk.kinds.subarray(0, rows), out);
  // Packing texts changes their indexes.
  const numbers = chunk.texts === Texts.NONE ? chunk.numbers.subarray(0, rows) : chunk.numbers.slice(0, rows);
  const texts = toStoredTexts(chunk, numbers, rows);
  encodeNumbers(numbers, out);
  if (uniform !== null) {
    out.writeByte(UNIFORM);
    out.writeVarint(formatNumber(uniform));
  } else {
    out.writeByte(BY_ROW);
    for (let row = 0; row < rows; row++) out.writeVarint(formatNumber(chunk.format(row)));
  }
  encodeTexts(texts, out);
  return out.finish(allocate);
}

function encodeKinds(kinds: Uint8Array, out: ByteWriter): void {
  const kind = kinds.length === 0 ? EMPTY : findUniformKind(kinds);
  out.writeByte(kind === MIXED ? BY_ROW : UNIFORM);
  if (kind === MIXED) out.writeBytes(kinds);
  else out.writeByte(kind);
}

function decodeKinds(source: ByteReader, rows: number): Uint8Array {
  if (source.readByte() !== UNIFORM) return source.readBytes(rows);
  const kind = source.readByte();
  if (rows < CHUNK_ROWS) return new Uint8Array(rows).fill(kind);
  UNIFORM_KINDS[kind] ??= new Uint8Array(CHUNK_ROWS).fill(kind);
  return UNIFORM_KINDS[kind];
}

/** Arrays of equal kinds, by kind. Restored chunks never change their arrays, so all of them can share these. */
const UNIFORM_KINDS: Uint8Array[] = [];

function encodeNumbers(numbers: Float64Array, out: ByteWriter): void {
  const width = chooseWidth(numbers);
  if (width === EIGHT_BYTES) return encodeDecimals(numbers, out);
  out.writeByte(width);
  writeWholeNumbers(numbers, width, out);
}

function encodeDecimals(numbers: Float64Array, out: ByteWriter): void {
  const scaleIndex = scaleDecimals(numbers);
  if (scaleIndex === 0) {
    out.writeByte(EIGHT_BYTES);
    return out.writeBytes(toBytes(numbers));
  }
  const scaled = SCALED.subarray(0, numbers.length);
  const width = chooseWidth(scaled) || ONE_BYTE;
  out.writeByte(width + scaleIndex * SCALE_STEP);
  writeWholeNumbers(scaled, width, out);
}

/** The whole numbers that `scaleDecimals` computed. A chunk is encoded without a pause, so one array is enough. */
const SCALED = new Int32Array(CHUNK_ROWS);

/**
 * Writes the numbers, multiplied by the smallest scale that preserves all of them, to `SCALED`. Returns the index of the
 * scale; 0 if there is none.
 */
function scaleDecimals(numbers: Float64Array): number {
  for (let index = 1; index < SCALES.length; index++) if (scaleAll(numbers, SCALES[index]!)) return index;
  return 0;
}

/**
 * Writes the numbers, multiplied by `scale`, as integers to `SCALED`. Returns false if a number would change. The
 * division is the same as that of `decodeNumbers`.
 */
function scaleAll(numbers: Float64Array, scale: number): boolean {
  for (let row = 0; row < numbers.length; row++) {
    const number = numbers[row]!;
    const whole = (number * scale + (number < 0 ? -0.5 : 0.5)) | 0;
    if (whole / scale !== number || (whole === 0 && isNegativeZero(number))) return false;
    SCALED[row] = whole;
  }
  return true;
}

function writeWholeNumbers(numbers: Float64Array | Int32Array, width: NumberWidth, out: ByteWriter): void {
  switch (width) {
    case AS_ROWS:
      return;
    case ONE_BYTE:
      return out.writeBytes(new Uint8Array(numbers));
    case TWO_BYTES:
      return out.writeBytes(toBytes(new Uint16Array(numbers)));
    default:
      return out.writeBytes(toBytes(numbers instanceof Int32Array ? numbers : new Int32Array(numbers)));
  }
}

/** The smallest width that preserves each number. */
function chooseWidth(numbers: Float64Array | Int32Array): NumberWidth {
  let areRows = true;
  let bits = 0;
  for (let row = 0; row < numbers.length; row++) {
    const number = numbers[row]!;
    const whole = number | 0;
    if (whole !== number || (whole === 0 && isNegativeZero(number))) return EIGHT_BYTES;
    if (whole !== row) areRows = false;
    bits |= whole;
  }
  if (areRows) return AS_ROWS;
  if (bits >>> 8 === 0) return ONE_BYTE;
  return bits >>> 16 === 0 ? TWO_BYTES : FOUR_BYTES;
}

function isNegativeZero(number: number): boolean {
  return Object.is(number, -0);
}

/** Fills `numbers`, one for each row. */
function decodeNumbers(source: ByteReader, numbers: Float64Array): void {
  const width = source.readByte();
  if (width === AS_ROWS) {
    for (let row = 0; row < numbers.length; row++) numbers[row] = row;
    return;
  }
  if (width === EIGHT_BYTES) return source.copyBytes(toBytes(numbers));
  const scale = SCALES[Math.floor(width / SCALE_STEP)];
  if (scale === undefined) throw createWidthError(width);
  const whole = readWholeNumbers(source, numbers.length, width % SCALE_STEP);
  if (scale === 1) for (let row = 0; row < numbers.length; row++) numbers[row] = whole[row]!;
  else for (let row = 0; row < numbers.length; row++) numbers[row] = whole[row]! / scale;
}

/** Reads numbers into memory that the next call uses again. */
function readWholeNumbers(source: ByteReader, rows: number, width: number): Uint8Array | Uint16Array | Int32Array {
  const numbers = WHOLE_NUMBERS.get(width);
  if (numbers === undefined) throw createWidthError(width);
  source.copyBytes(new Uint8Array(numbers.buffer, 0, rows * width));
  return numbers;
}

const WHOLE_NUMBERS: ReadonlyMap<number, Uint8Array | Uint16Array | Int32Array> = new Map<
  number,
  Uint8Array | Uint16Array | Int32Array
>([
  [ONE_BYTE, new Uint8Array(CHUNK_ROWS)],
  [TWO_BYTES, new Uint16Array(CHUNK_ROWS)],
  [FOUR_BYTES, new Int32Array(CHUNK_ROWS)],
]);

/** The error for a stored number width that does not exist. */
function createWidthError(width: number): Error {
  return new Error(`${DAMAGED}: numbers of ${width} bytes`);
}

function encodeTexts(texts: Texts, out: ByteWriter): void {
  const { units, starts, extra } = texts.parts();
  const packed = starts.length - 1;
  out.writeVarint(packed);
  if (packed > 0) {
    out.writeByte(units.BYTES_PER_ELEMENT);
    for (let text = 0; text < packed; text++) out.writeVarint(starts[text + 1]! - starts[text]!);
    out.writeBytes(toBytes(units));
  }
  out.writeVarint(extra.length);
  for (const text of extra) out.writeText(text);
}

function toBytes(array: Uint8Array | Uint16Array | Int32Array | Float64Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** Reads texts. `areLengths`: true for the current form; the old form has four bytes for the start of each text. */
function decodeTexts(source: ByteReader, areLengths: boolean): Texts {
  const packed = readTextCount(source);
  let units: Uint8Array | Uint16Array = new Uint8Array(0);
  let starts: Uint32Array = new Uint32Array(1);
  if (packed > 0) {
    const width = source.readByte();
    starts = areLengths ? readTextStarts(source, packed) : new Uint32Array(source.readBytes((packed + 1) * 4).buffer);
    const length = starts[packed]!;
    units = width === 1 ? source.readBytes(length) : new Uint16Array(source.readBytes(length * 2).buffer);
  }
  const extra: string[] = new Array(readTextCount(source));
  for (let i = 0; i < extra.length; i++) extra[i] = source.readText();
  return packed === 0 && extra.length === 0 ? Texts.NONE : Texts.restore(units, starts, extra);
}

/** Reads the number of texts. Throws if it exceeds the number of rows, because a row has at most one text. */
function readTextCount(source: ByteReader): number {
  const count = source.readVarint();
  if (count > CHUNK_ROWS) throw new Error(`${DAMAGED}: ${count} texts`);
  return count;
}

function readTextStarts(source: ByteReader, texts: number): Uint32Array {
  const starts = new Uint32Array(texts + 1);
  for (let text = 0; text < texts; text++) starts[text + 1] = starts[text]! + source.readVarint();
  return starts;
}

/** One past the last row that has a value or a format other than General. */
function countFormattedRows(chunk: Chunk): number {
  const filled = chunk.filledRows();
  let rows = chunk.rows;
  while (rows > filled && chunk.format(rows - 1) === GENERAL) rows--;
  return rows;
}

/**
 * Restores a chunk. `formatId` maps a stored format id to the id in the restored document. `arena`: memory for the
 * numbers, which many chunks share.
 */
export function decodeChunk(
  bytes: Uint8Array,
  formatId: (stored: number) => number,
  arena: NumberArena = new NumberArena(),
): Chunk {
  const source = new ByteReader(bytes);
  const head = source.readVarint();
  const isCompact = head === COMPACT;
  const rows = source.readVarint();
  if (rows > CHUNK_ROWS) throw new Error(`${DAMAGED}: ${rows} rows`);
  const kinds = isCompact ? decodeKinds(source, rows) : source.readBytes(rows);
  const numbers = arena.allocateNumbers(rows);
  if (isCompact) decodeNumbers(source, numbers);
  else source.copyBytes(toBytes(numbers));
  let formats: number | Uint16Array;
  if (source.readByte() === UNIFORM) formats = formatId(source.readVarint());
  else {
    formats = new Uint16Array(rows);
    for (let row = 0; row < rows; row++) formats[row] = formatId(source.readVarint());
  }
  const texts = decodeTexts(source, isCompact);
  return new Chunk(isCompact ? REVISION : head - 1, Cells.fromSettled(kinds, numbers), texts, formats);
}

/** Revision of restored chunks: the compact form does not store their revision. */
const REVISION = 0;
const DAMAGED = 'stored chunk is damaged';
