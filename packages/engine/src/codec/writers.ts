import { MAX_ROWS } from '../grid/limits.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { jsonBytes, readJson, type StoredMeta } from './checkpoint.ts';
import type { DeltaHead } from './delta-format.ts';
import type { StoredRun } from './document-codec.ts';
import { BOOLEAN, ERROR, FLOAT, type InverseHead, NATURAL, OWN_FORMULA, TAG_MASK, TEXT } from './inverse.ts';

/**
 * Who wrote formulas, in a document's stored forms: another installation knows its users by other numbers. What is not
 * one of these forms throws, as it may have been brought by somebody.
 */

/** Whom a writer is there; null is the document's owner, whoever that is. */
export type WriterMap = (writer: number) => number | null;

/** Of a checkpoint, what `encodeCheckpoint` made of all but cells. */
export function checkpointWithWriters(meta: Uint8Array, map: WriterMap): Uint8Array {
  const held = readJson(meta) as StoredMeta;
  const sheets = held.sheets.map((sheet) => ({
    ...sheet,
    columns: sheet.columns.map((column) => ({ ...column, runs: runsWith(column.runs, held.templates.length, map) })),
  }));
  return jsonBytes({ ...held, sheets });
}

/** Of what `encodeDelta` made. */
export function deltaWithWriters(delta: Uint8Array, map: WriterMap): Uint8Array {
  const source = new ByteReader(delta);
  const head = JSON.parse(source.text()) as DeltaHead;
  const templates = head.templates?.length ?? 0;
  const columns = head.columns?.map((column) => ({ ...column, came: runsWith(column.came, templates, map) }));
  const out = new ByteWriter();
  out.text(JSON.stringify(columns === undefined ? head : { ...head, columns }));
  out.bytes(source.rest());
  return out.finish();
}

/** Of what `encodeInverse` made. */
export function inverseWithWriters(inverse: Uint8Array, map: WriterMap): Uint8Array {
  const source = new ByteReader(inverse);
  const out = new ByteWriter();
  for (;;) {
    const rows = copied(source, out);
    if (rows === 0) break;
    blockWith(source, out, rows, map);
  }
  const text = source.text();
  const head = (text === '' ? {} : JSON.parse(text)) as InverseHead;
  const templates = head.templates?.length ?? 0;
  const runs = head.runs?.map((run) => ({
    ...run,
    before: runsWith(run.before, templates, map),
    after: runsWith(run.after, templates, map),
  }));
  out.text(runs === undefined ? text : JSON.stringify({ ...head, runs }));
  for (const _sheet of head.came ?? []) contentWith(source, out, map);
  out.bytes(source.rest());
  return out.finish();
}

function runsWith(runs: readonly StoredRun[], templates: number, map: WriterMap): readonly StoredRun[] {
  return runs.map(([top, bottom, template, writer]): StoredRun => {
    const isIn = top >= 0 && top <= bottom && bottom < MAX_ROWS && template >= 0 && template < templates;
    if (!isIn || ![top, bottom, template].every(Number.isInteger))
      throw new RangeError('stored formulas outside of the grid');
    const mapped = writer === undefined ? null : map(writer);
    return mapped === null ? [top, bottom, template] : [top, bottom, template, mapped];
  });
}

/** Copies a number; it. */
function copied(source: ByteReader, out: ByteWriter): number {
  const number = source.varint();
  out.varint(number);
  return number;
}

/** As `readBlock` reads it. */
function blockWith(source: ByteReader, out: ByteWriter, rows: number, map: WriterMap): void {
  copied(source, out);
  copied(source, out);
  copied(source, out);
  for (let cells = rows * copied(source, out); cells > 0; ) {
    const count = copied(source, out);
    if (count === 0) throw new RangeError('a stored item of no cells');
    const tag = source.byte();
    out.byte(tag);
    if (tag > TAG_MASK) copied(source, out);
    inputWith(source, out, tag & TAG_MASK, map);
    cells -= count;
  }
}

function inputWith(source: ByteReader, out: ByteWriter, tag: number, map: WriterMap): void {
  switch (tag) {
    case FLOAT:
      return out.float(source.float());
    case NATURAL:
      return out.varint(source.varint());
    case TEXT:
      return out.text(source.text());
    case BOOLEAN:
    case ERROR:
      return out.byte(source.byte());
    case OWN_FORMULA: {
      copied(source, out);
      const writer = source.varint();
      const mapped = writer === 0 ? null : map(writer - 1);
      return out.varint(mapped === null ? 0 : mapped + 1);
    }
  }
}

/** As `readContent` reads it. */
function contentWith(source: ByteReader, out: ByteWriter, map: WriterMap): void {
  const meta = checkpointWithWriters(source.bytes(source.varint()), map);
  out.varint(meta.length);
  out.bytes(meta);
  for (let left = copied(source, out); left > 0; left--) {
    copied(source, out);
    copied(source, out);
    out.bytes(source.bytes(copied(source, out)));
  }
}
