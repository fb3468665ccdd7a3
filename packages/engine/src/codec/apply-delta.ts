import { EMPTY, NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_ROWS, Chunk } from '../sheet/chunk.ts';
import { ChunkTable } from '../sheet/chunk-table.ts';
import { moveCells } from '../sheet/moves/move-cells.ts';
import { NumberArena } from '../sheet/number-arena.ts';
import { Column, createAnchorKey, Sheet, Snapshot } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import { errorByIndex } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';
import { ByteReader } from './bytes.ts';
import { applyChangedList } from './changed-list.ts';
import { checkPosition, restoreSheet } from './checkpoint.ts';
import { type DeltaHead, INTEGER, NEGATIVE, PACKED_COLUMN, REPEATED, type StoredSpillChange } from './delta-format.ts';
import { createFormatMapper, createRunRestorer, type StoredSheetFields } from './document-codec.ts';
import { type LayoutChange, undoLayoutChange } from './layout-change.ts';
import { readPackedNumbers } from './packed-numbers.ts';

/** The snapshot after a change. Throws if the delta does not follow the given snapshot. */
export function applyDelta(last: Snapshot, delta: Uint8Array): Snapshot {
  const source = new ByteReader(delta);
  const head = JSON.parse(source.readText()) as DeltaHead;
  const { revision } = head.head;
  if (revision !== last.revision + 1) {
    throw new Error(`delta of revision ${revision} does not follow revision ${last.revision}`);
  }
  const before = (head.moves ?? []).reduce((snapshot, move) => moveCells(snapshot, move, revision), last);
  const formatId = createFormatMapper(before.formats, head.formats ?? []);
  const sheets = new SheetCopies(before, revision, head.sheets ?? []);
  for (const { sheet, change } of head.layouts ?? []) applyLayout(sheets.copySheet(sheet), change);
  for (const change of head.spills ?? []) applySpillChange(sheets.copySheet(change.sheet), change);
  applyRuns(sheets, head, formatId);
  for (let rows = source.readVarint(); rows > 0; rows = source.readVarint()) applyChunk(sheets, source, rows, formatId);
  const order = head.order ?? before.sheets.map((sheet) => sheet.id);
  return new Snapshot({
    ...head.head,
    settings: head.head.settings ?? before.settings,
    names: applyChangedList(before.names, head.head.names),
    tables: applyChangedList(before.tables, head.head.tables),
    formats: before.formats,
    carried: before.carried,
    sheets: order.map((id) => sheets.getFinalSheet(id)),
  });
}

/** Copies of the sheets that the delta changes. Each sheet is copied once. */
class SheetCopies {
  private readonly before: Snapshot;
  readonly revision: number;
  private readonly fields: ReadonlyMap<number, StoredSheetFields>;
  private readonly copies = new Map<number, Sheet>();
  readonly arena = new NumberArena();

  constructor(before: Snapshot, revision: number, fields: readonly StoredSheetFields[]) {
    this.before = before;
    this.revision = revision;
    this.fields = new Map(fields.map((storedSheetFields) => [storedSheetFields.id, storedSheetFields]));
  }

  copySheet(id: number): Sheet {
    const existingCopy = this.copies.get(id);
    if (existingCopy) return existingCopy;
    const old = this.before.sheetById(id);
    const fields = this.fields.get(id);
    const columns = old ? old.columns.slice() : [];
    const copy = fields ? restoreSheet(this.revision, fields, columns) : new Sheet(this.revision, old!, columns);
    this.copies.set(id, copy);
    return copy;
  }

  getFinalSheet(id: number): Sheet {
    return this.fields.has(id) || this.copies.has(id) ? this.copySheet(id) : this.before.sheetById(id)!;
  }

  copyColumn(sheetId: number, index: number): Column {
    checkPosition(index, 0);
    const sheet = this.copySheet(sheetId);
    const existingColumn = sheet.columns[index];
    if (existingColumn && existingColumn.revision === this.revision) return existingColumn;
    const copy = existingColumn
      ? existingColumn.copy(this.revision)
      : new Column(this.revision, ChunkTable.empty(), [], 0);
    while (sheet.columns.length < index) sheet.columns.push(undefined);
    sheet.columns[index] = copy;
    return copy;
  }
}

/** Applies the layout changes of a delta to a sheet, including hidden rows. */
function applyLayout(sheet: Sheet, change: LayoutChange): void {
  const { layout, hiddenRows } = undoLayoutChange(sheet, change);
  sheet.layout = layout;
  sheet.hiddenRows = hiddenRows;
}

function applySpillChange(sheet: Sheet, { gone, came }: StoredSpillChange): void {
  const spills = new Map(sheet.spills);
  for (const key of gone) spills.delete(key);
  for (const spill of came) spills.set(createAnchorKey(spill.area.top, spill.area.left), spill);
  sheet.spills = spills;
}

/** Removes runs whose first rows are in `removed`, and inserts others. All lists are sorted by row. */
function mergeRuns(runs: readonly Run[], removed: readonly number[], addedRuns: readonly Run[]): readonly Run[] {
  const merged: Run[] = [];
  let g = 0;
  let c = 0;
  for (const run of runs) {
    for (let next = addedRuns[c]; next && next.top < run.top; next = addedRuns[++c]) merged.push(next);
    if (removed[g] === run.top) g++;
    else merged.push(run);
  }
  for (; c < addedRuns.length; c++) merged.push(addedRuns[c]!);
  return merged;
}

/** Replaces runs of formulas by the runs of a delta. */
function applyRuns(sheets: SheetCopies, head: DeltaHead, formatId: (id: number) => number): void {
  const restore = createRunRestorer(head.templates ?? []);
  for (const { sheet, column, format, gone, came } of head.columns ?? []) {
    const existingColumn = sheets.copyColumn(sheet, column);
    const runs = mergeRuns(
      existingColumn.runs,
      gone,
      came.map((run) => restore(sheet, column, run)),
    );
    sheets.copySheet(sheet).columns[column] = existingColumn.copy(sheets.revision, runs, formatId(format));
  }
}

/**
 * Reads changed cells of one chunk of a delta and writes them into a copy of the chunk. `rows`: number of changed
 * cells.
 */
function applyChunk(sheets: SheetCopies, source: ByteReader, rows: number, formatId: (id: number) => number): void {
  const sheet = source.readVarint();
  const index = source.readVarint();
  const isPacked = index >= PACKED_COLUMN;
  const column = sheets.copyColumn(sheet, isPacked ? index - PACKED_COLUMN : index);
  const block = source.readVarint();
  checkPosition(0, block);
  const existingChunk = column.chunks.at(block);
  const chunk = existingChunk
    ? existingChunk.copy(sheets.revision, CHUNK_ROWS, sheets.arena)
    : Chunk.empty(sheets.revision, CHUNK_ROWS, column.format, sheets.arena);
  if (isPacked) readNumbers(chunk, source, rows, formatId);
  else readCells(chunk, source, rows, formatId);
  chunk.settle();
  column.chunks.set(block, chunk);
}

/** Reads changed cells of any kind from a delta into a chunk. `rows`: number of changed cells. */
function readCells(chunk: Chunk, source: ByteReader, rows: number, formatId: (id: number) => number): void {
  const texts: string[] = [];
  for (let i = 0; i < rows; i++) {
    const row = source.readByte();
    chunk.setFormat(row, formatId(source.readVarint()));
    const kind = source.readByte();
    chunk.set(row, readValue(source, kind, texts), kind & ~(TYPE_MASK | INTEGER | NEGATIVE));
  }
}

/** Reads numbers that `encodeNumbers` in `delta.ts` wrote. */
function readNumbers(chunk: Chunk, source: ByteReader, rows: number, formatId: (id: number) => number): void {
  const format = formatId(source.readVarint());
  const flags = source.readByte() & ~(TYPE_MASK | INTEGER | NEGATIVE);
  const isSpan = source.readByte() === 1;
  if (rows > CHUNK_ROWS) throw new RangeError('stored cells outside of the grid');
  const storedRows = source.readBytes(isSpan ? 1 : rows);
  const first = storedRows[0]!;
  if (isSpan && first + rows > CHUNK_ROWS) throw new RangeError('stored cells outside of the grid');
  readPackedNumbers(source, rows, (number, i) => {
    const row = isSpan ? first + i : storedRows[i]!;
    chunk.setFormat(row, format);
    chunk.set(row, number, flags);
  });
}

/** Reads a value. `texts`: the texts of the chunk so far, in order; a new text is added. */
function readValue(source: ByteReader, kind: number, texts: string[]): Scalar {
  const type = kind & TYPE_MASK;
  if (type === EMPTY) return null;
  if (type === TEXT) {
    if ((kind & REPEATED) !== 0) return texts[source.readVarint()]!;
    const text = source.readText();
    texts.push(text);
    return text;
  }
  const size = (kind & INTEGER) !== 0 ? source.readVarint() : source.readFloat();
  const number = (kind & NEGATIVE) !== 0 ? -size : size;
  if (type === NUMBER) return number;
  return type === 2 ? number !== 0 : errorByIndex(number);
}
