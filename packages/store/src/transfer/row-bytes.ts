import { type SqlValue, StoreError } from '../database/database.ts';
import type { ColumnShape, TransferRow, ValueKind } from './table-shape.ts';

/**
 * Binary form of a row. For each value: a byte for its kind, then a number (8 bytes, IEEE 754, little-endian), or the
 * length (4 bytes, little-endian) and the bytes of a text (UTF-8) or byte array. Equal rows have equal bytes.
 */

const NULL = 0;
const NUMBER = 1;
const TEXT = 2;
const BYTES = 3;
const NUMBER_BYTES = 8;
const LENGTH_BYTES = 4;
const TAGS: Readonly<Record<ValueKind, number>> = { number: NUMBER, text: TEXT, bytes: BYTES };

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function encodeRow(row: TransferRow): Buffer {
  const out = Buffer.allocUnsafe(measureRow(row));
  let at = 0;
  for (const value of row) at = writeValue(out, at, value);
  return out;
}

/** Size of a row, in bytes. */
export function measureRow(row: TransferRow): number {
  return row.reduce<number>((size, value) => size + measureValue(value), 0);
}

/** The bytes that a value takes in an archive. */
function measureValue(value: SqlValue): number {
  if (value === null) return 1;
  if (typeof value === 'number') return 1 + NUMBER_BYTES;
  return 1 + LENGTH_BYTES + (typeof value === 'string' ? Buffer.byteLength(value) : value.length);
}

/** Writes a value into a buffer and returns the offset after it. */
function writeValue(out: Buffer, offset: number, value: SqlValue): number {
  if (value === null) return out.writeUInt8(NULL, offset);
  if (typeof value === 'number') return out.writeDoubleLE(value, out.writeUInt8(NUMBER, offset));
  const start = out.writeUInt8(typeof value === 'string' ? TEXT : BYTES, offset) + LENGTH_BYTES;
  if (typeof value === 'string') {
    const length = out.write(value, start);
    out.writeUInt32LE(length, start - LENGTH_BYTES);
    return start + length;
  }
  out.set(value, start);
  out.writeUInt32LE(value.length, start - LENGTH_BYTES);
  return start + value.length;
}

/** Decodes a row of a table with these columns. Throws `StoreError` (`DAMAGED`) if the bytes are invalid. */
export function decodeRow(bytes: Buffer, columns: readonly ColumnShape[]): TransferRow {
  const reader = { bytes, at: 0 };
  try {
    const row = columns.map(({ kind }) => readValue(reader, kind));
    if (reader.at === bytes.length) return row;
  } catch (error) {
    // Reading beyond a buffer and invalid UTF-8 throw these errors.
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
  }
  throw createDamagedArchiveError('a row does not match its table');
}

/** Reads a value and moves the reader behind it. Throws a `RangeError` for another kind and for damaged bytes. */
function readValue(reader: { readonly bytes: Buffer; at: number }, kind: ValueKind): SqlValue {
  const { bytes } = reader;
  const tag = bytes.readUInt8(reader.at++);
  if (tag === NULL) return null;
  if (tag !== TAGS[kind]) throw new RangeError('a value of another kind');
  if (tag === NUMBER) {
    const number = bytes.readDoubleLE(reader.at);
    reader.at += NUMBER_BYTES;
    if (!Number.isSafeInteger(number)) throw new RangeError('no whole number');
    return number;
  }
  const start = reader.at + LENGTH_BYTES;
  const end = start + bytes.readUInt32LE(reader.at);
  if (end > bytes.length) throw new RangeError('beyond the row');
  reader.at = end;
  // The bytes are copied, because the buffer of the row is reused.
  return tag === TEXT ? UTF8.decode(bytes.subarray(start, end)) : new Uint8Array(bytes.subarray(start, end));
}

export function createDamagedArchiveError(what: string): StoreError {
  return new StoreError(`The file is damaged or not a Cellwire file: ${what}`, 'DAMAGED');
}
