import { Cells } from '../sheet/cells.ts';
import { CHUNK_ROWS, Chunk, storedTexts } from '../sheet/chunk.ts';
import { GENERAL } from '../sheet/formats.ts';
import { Texts } from '../sheet/texts.ts';
import { ByteReader, ByteWriter } from './bytes.ts';

const UNIFORM = 0;
const BY_ROW = 1;

/**
 * Written in place of the revision that last changed the chunk: nobody asks a stored one for it, and processes know
 * different ones where a batch wrote what was there already.
 */
const REVISION = 0;

/**
 * A chunk in its stored form: kinds, raw numbers, formats, texts. Restoring it is little more than copying. The same
 * cells have the same bytes, whoever writes them. `formatNumber` gives a format's number in the stored document.
 */
export function encodeChunk(chunk: Chunk, formatNumber: (id: number) => number): Uint8Array {
  const uniform = chunk.uniformFormat();
  const rows = uniform === null ? formattedRows(chunk) : chunk.filledRows();
  const out = new ByteWriter();
  out.varint(REVISION + 1);
  out.varint(rows);
  out.bytes(chunk.kinds.subarray(0, rows));
  const numbers = chunk.numbers.slice(0, rows);
  const texts = storedTexts(chunk, numbers, rows);
  out.bytes(new Uint8Array(numbers.buffer));
  if (uniform !== null) {
    out.byte(UNIFORM);
    out.varint(formatNumber(uniform));
  } else {
    out.byte(BY_ROW);
    for (let row = 0; row < rows; row++) out.varint(formatNumber(chunk.format(row)));
  }
  encodeTexts(texts, out);
  return out.finish();
}

function encodeTexts(texts: Texts, out: ByteWriter): void {
  const { units, starts, extra } = texts.parts();
  out.varint(starts.length - 1);
  if (starts.length > 1) {
    out.byte(units.BYTES_PER_ELEMENT);
    out.bytes(bytesOf(starts));
    out.bytes(bytesOf(units));
  }
  out.varint(extra.length);
  for (const text of extra) out.text(text);
}

function bytesOf(array: Uint8Array | Uint16Array | Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function decodeTexts(source: ByteReader): Texts {
  const packed = source.varint();
  let units: Uint8Array | Uint16Array = new Uint8Array(0);
  let starts: Uint32Array = new Uint32Array(1);
  if (packed > 0) {
    const width = source.byte();
    starts = new Uint32Array(source.bytes((packed + 1) * 4).buffer);
    const length = starts[packed] as number;
    units = width === 1 ? source.bytes(length) : new Uint16Array(source.bytes(length * 2).buffer);
  }
  const extra: string[] = new Array(source.varint());
  for (let i = 0; i < extra.length; i++) extra[i] = source.text();
  return packed === 0 && extra.length === 0 ? Texts.NONE : Texts.restored(units, starts, extra);
}

/** One past the last row that holds a value or a format of its own. */
function formattedRows(chunk: Chunk): number {
  const filled = chunk.filledRows();
  let rows = chunk.rows;
  while (rows > filled && chunk.format(rows - 1) === GENERAL) rows--;
  return rows;
}

/** `formatId` turns a stored format id into the restoring document's. */
export function decodeChunk(bytes: Uint8Array, formatId: (stored: number) => number): Chunk {
  const source = new ByteReader(bytes);
  const revision = source.varint() - 1;
  const rows = source.varint();
  if (rows > CHUNK_ROWS) throw new Error(`stored chunk is damaged: ${rows} rows`);
  const kinds = source.bytes(rows);
  const cells = Cells.settled(kinds, new Float64Array(source.bytes(rows * 8).buffer));
  let formats: number | Uint16Array;
  if (source.byte() === UNIFORM) formats = formatId(source.varint());
  else {
    formats = new Uint16Array(rows);
    for (let row = 0; row < rows; row++) formats[row] = formatId(source.varint());
  }
  return new Chunk(revision, cells, decodeTexts(source), formats);
}
