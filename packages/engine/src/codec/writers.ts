import { MAX_ROWS } from '../grid/limits.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { encodeJson, readJson, type StoredMeta } from './checkpoint.ts';
import type { DeltaHead } from './delta-format.ts';
import type { StoredRun } from './document-codec.ts';
import {
  BOOLEAN,
  ERROR,
  FLOAT,
  type InverseHead,
  NATURAL,
  OWN_FORMULA,
  PACKED,
  PACKED_START,
  TAG_MASK,
  TEXT,
} from './inverse.ts';
import { copyPackedNumbers } from './packed-numbers.ts';

/**
 * Replaces the writers of formulas in stored forms of a document, because another installation has other user numbers.
 * Throws on invalid input, which may come from a user.
 */

/** The user in the target installation; null for the document's owner there. */
export type WriterMap = (writer: number) => number | null;

/** Maps the writers in the `meta` of `encodeCheckpoint`. */
export function checkpointWithWriters(meta: Uint8Array, map: WriterMap): Uint8Array {
  const storedMeta = readJson(meta) as StoredMeta;
  const sheets = storedMeta.sheets.map((sheet) => ({
    ...sheet,
    columns: sheet.columns.map((column) => ({
      ...column,
      runs: mapRuns(column.runs, storedMeta.templates.length, map),
    })),
  }));
  return encodeJson({ ...storedMeta, sheets });
}

/** Maps the writers in the result of `encodeDelta`. */
export function deltaWithWriters(delta: Uint8Array, map: WriterMap): Uint8Array {
  const source = new ByteReader(delta);
  const head = JSON.parse(source.readText()) as DeltaHead;
  const templates = head.templates?.length ?? 0;
  const columns = head.columns?.map((column) => ({ ...column, came: mapRuns(column.came, templates, map) }));
  const out = new ByteWriter();
  out.writeText(JSON.stringify(columns === undefined ? head : { ...head, columns }));
  out.writeBytes(source.remainingBytes());
  return out.finish();
}

/** Maps the writers in the result of `encodeInverse`. */
export function inverseWithWriters(inverse: Uint8Array, map: WriterMap): Uint8Array {
  const source = new ByteReader(inverse);
  const out = new ByteWriter();
  if (source.skipIfNext(PACKED_START)) out.writeBytes(PACKED_START);
  for (let rows = copyVarint(source, out); rows > 0; rows = copyVarint(source, out)) mapBlock(source, out, rows, map);
  const text = source.readText();
  const head = (text === '' ? {} : JSON.parse(text)) as InverseHead;
  const templates = head.templates?.length ?? 0;
  const runs = head.runs?.map((run) => ({
    ...run,
    before: mapRuns(run.before, templates, map),
    after: mapRuns(run.after, templates, map),
  }));
  out.writeText(runs === undefined ? text : JSON.stringify({ ...head, runs }));
  for (const _sheet of head.came ?? []) mapContent(source, out, map);
  out.writeBytes(source.remainingBytes());
  return out.finish();
}

function mapRuns(runs: readonly StoredRun[], templates: number, map: WriterMap): readonly StoredRun[] {
  return runs.map(([top, bottom, template, writer]): StoredRun => {
    const isIn = top >= 0 && top <= bottom && bottom < MAX_ROWS && template >= 0 && template < templates;
    if (!isIn || ![top, bottom, template].every(Number.isInteger))
      throw new RangeError('stored formulas outside of the grid');
    const mapped = writer === undefined ? null : map(writer);
    return mapped === null ? [top, bottom, template] : [top, bottom, template, mapped];
  });
}

/** Copies a number and returns it. */
function copyVarint(source: ByteReader, out: ByteWriter): number {
  const number = source.readVarint();
  out.writeVarint(number);
  return number;
}

/** Copies a block of an inverse with mapped writers. Follows the format that `readBlock` reads. */
function mapBlock(source: ByteReader, out: ByteWriter, rows: number, map: WriterMap): void {
  copyVarint(source, out);
  copyVarint(source, out);
  copyVarint(source, out);
  for (let cells = rows * copyVarint(source, out); cells > 0; ) {
    const count = copyVarint(source, out);
    if (count === 0) throw new RangeError('a stored item of no cells');
    const tag = source.readByte();
    out.writeByte(tag);
    cells -= count;
    if (tag === PACKED) {
      copyPackedNumbers(source, out, count);
      continue;
    }
    if (tag > TAG_MASK) copyVarint(source, out);
    mapInput(source, out, tag & TAG_MASK, map);
  }
}

/** Copies a stored input with its writer replaced by `map`. */
function mapInput(source: ByteReader, out: ByteWriter, tag: number, map: WriterMap): void {
  switch (tag) {
    case FLOAT:
      return out.writeFloat(source.readFloat());
    case NATURAL:
      return out.writeVarint(source.readVarint());
    case TEXT:
      return out.writeText(source.readText());
    case BOOLEAN:
    case ERROR:
      return out.writeByte(source.readByte());
    case OWN_FORMULA: {
      copyVarint(source, out);
      const writer = source.readVarint();
      const mapped = writer === 0 ? null : map(writer - 1);
      return out.writeVarint(mapped === null ? 0 : mapped + 1);
    }
  }
}

/** Copies the content of a deleted sheet with mapped writers. Follows the format that `readContent` reads. */
function mapContent(source: ByteReader, out: ByteWriter, map: WriterMap): void {
  const meta = checkpointWithWriters(source.readBytes(source.readVarint()), map);
  out.writeVarint(meta.length);
  out.writeBytes(meta);
  for (let left = copyVarint(source, out); left > 0; left--) {
    copyVarint(source, out);
    copyVarint(source, out);
    out.writeBytes(source.readBytes(copyVarint(source, out)));
  }
}
