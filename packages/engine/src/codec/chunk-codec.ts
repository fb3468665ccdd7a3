import { CHUNK_ROWS, Chunk, TEXT, TYPE_MASK } from '../sheet/chunk.ts';
import { Texts } from '../sheet/texts.ts';
import { ByteReader, ByteWriter } from './bytes.ts';

const UNIFORM = 0;
const BY_ROW = 1;

/** A chunk in its stored form: kinds, raw numbers, formats, texts. Restoring it is little more than copying. */
export function encodeChunk(chunk: Chunk): Uint8Array {
  const rows = storedRows(chunk);
  const out = new ByteWriter();
  out.varint(chunk.revision + 1);
  out.varint(rows);
  out.bytes(chunk.kinds.subarray(0, rows));
  const { texts, numbers } = compactTexts(chunk, rows);
  out.bytes(new Uint8Array(numbers.buffer));
  if (typeof chunk.formats === 'number') {
    out.byte(UNIFORM);
    out.varint(chunk.formats);
  } else {
    out.byte(BY_ROW);
    for (let row = 0; row < rows; row++) out.varint(chunk.formats[row] as number);
  }
  out.varint(texts.length);
  for (const text of texts) out.text(text);
  return out.finish();
}

/** Rows that hold a value or a format of their own. */
function storedRows(chunk: Chunk): number {
  const filled = chunk.filledRows();
  if (typeof chunk.formats === 'number') return filled;
  let rows = chunk.formats.length;
  while (rows > filled && chunk.formats[rows - 1] === 0) rows--;
  return rows;
}

/** The texts that cells still use, and the numbers with indexes into them. */
function compactTexts(chunk: Chunk, rows: number): { texts: string[]; numbers: Float64Array } {
  const numbers = chunk.numbers.slice(0, rows);
  const indexes = new Map<number, number>();
  const texts: string[] = [];
  for (let row = 0; row < rows; row++) {
    if (((chunk.kinds[row] as number) & TYPE_MASK) !== TEXT) continue;
    const old = numbers[row] as number;
    let index = indexes.get(old);
    if (index === undefined) {
      index = texts.push(chunk.texts.get(old)) - 1;
      indexes.set(old, index);
    }
    numbers[row] = index;
  }
  return { texts, numbers };
}

/** `formatId` turns a stored format id into the restoring document's. */
export function decodeChunk(bytes: Uint8Array, formatId: (stored: number) => number): Chunk {
  const source = new ByteReader(bytes);
  const revision = source.varint() - 1;
  const rows = source.varint();
  if (rows > CHUNK_ROWS) throw new Error(`stored chunk is damaged: ${rows} rows`);
  const kinds = source.bytes(rows);
  const numbers = new Float64Array(source.bytes(rows * 8).buffer);
  let formats: number | Uint16Array;
  if (source.byte() === UNIFORM) formats = formatId(source.varint());
  else {
    formats = new Uint16Array(rows);
    for (let row = 0; row < rows; row++) formats[row] = formatId(source.varint());
  }
  const count = source.varint();
  const texts: string[] = new Array(count);
  for (let i = 0; i < count; i++) texts[i] = source.text();
  const chunk = new Chunk(revision, kinds, numbers, count === 0 ? Texts.NONE : Texts.of(texts), formats);
  chunk.settle();
  return chunk;
}
