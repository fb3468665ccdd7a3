import { type Move, sheetsOf as sheetsOfMove } from '../grid/move.ts';
import { Cells } from '../sheet/cells.ts';
import { Chunk } from '../sheet/chunk.ts';
import { ChunkTable } from '../sheet/chunk-table.ts';
import { type CellFormat, FormatTable } from '../sheet/formats.ts';
import { movingCells } from '../sheet/move-cells.ts';
import { PackedRuns, packedWriter, RUN_INTEGERS, type SharedRuns, TemplatePool } from '../sheet/packed-runs.ts';
import { SharedMemory } from '../sheet/shared-memory.ts';
import { Column, changedBlocks, Sheet, type SheetFields, Snapshot } from '../sheet/snapshot.ts';
import { isLazy, type RunList } from '../sheet/template.ts';
import { Texts } from '../sheet/texts.ts';
import { type LayoutChange, layoutBefore, layoutChange } from './layout-change.ts';
import { packLayout, type SharedLayout, unpackLayout } from './shared-layout.ts';

/**
 * What one thread tells another of a document: the whole of it, or what a change made other. Cells and formulas lie in
 * memory that both share, so telling takes time by chunk and not by cell, and they exist once. Plain data.
 */
export interface SharedChange {
  /** Cells that change places, one move after the other, before all that follows. */
  readonly moves: readonly Move[];
  /** Absent: as before. Names as JSON: copying a formula's tree between threads would overflow on a long one. */
  readonly head: Pick<Snapshot, 'revision' | 'hasClock' | 'nextSheetId'> &
    Partial<Pick<Snapshot, 'settings' | 'carried' | 'tables'>> & { readonly names?: string };
  /** Formats that the receiver has to have already: else its numbers for them are others than the sender's. */
  readonly knownFormats: number;
  /** Formats that the receiver does not have, in the order of their ids. */
  readonly formats: readonly CellFormat[];
  /** In order. */
  readonly sheets: readonly SharedSheet[];
  /** Columns and chunks as integers; see `ColumnWriter`. */
  readonly places: Int32Array;
  readonly runs: readonly SharedRuns[];
  readonly buffers: readonly SharedArrayBuffer[];
}

interface SharedSheet {
  readonly id: number;
  /** Nothing of it is other than before. */
  readonly kept: boolean;
  /** Absent: as before. */
  readonly look?: SheetLook;
  /** The whole of it; absent: as before. */
  readonly layout?: SharedLayout;
  /** JSON text of what leads back from before to this; absent: nothing is other. */
  readonly layoutChange?: string;
}

type SheetLook = Pick<SheetFields, 'name' | 'hidden' | 'color' | 'spills'>;

/** In place of a buffer: the part is that of the chunk before, there is none, or (formats) all rows have the same. */
const AS_BEFORE = -1;
const NONE = -2;
const UNIFORM = -3;
/** In place of a chunk's revision: the chunk is gone. */
const GONE = -1;
const NO_COLUMN = new Column(0, ChunkTable.empty(), [], 0);
/** Chunks and runs between two pauses. */
const CHUNKS_A_STEP = 16;
const RUNS_A_STEP = 1024;
/** Columns between two pauses where each has few chunks. */
const COLUMNS_A_STEP = 128;

/** A change's moves of cells, as a ChangeSet has them. */
interface MovedCells {
  readonly before: Snapshot;
  readonly moves: readonly Move[];
  readonly moved: Snapshot;
}

/** Tells one other thread of a document, change by change. */
export class ChangeSender {
  private last: Snapshot | null;
  private formats: number;

  /** `known`: the state that the receiver has already. */
  constructor(known: Snapshot | null) {
    this.last = known;
    this.formats = known?.formats.size ?? 1;
  }

  /**
   * What is new since the last time, in a state that has the same table of formats; `by`: how cells changed places on the
   * way, where that is known. Published chunks are moved to shared memory on the way. Pauses now and then: a large
   * document takes a while. To be gone through to its end before anything else is sent.
   */
  *send(after: Snapshot, by: MovedCells | null = null): Generator<void, SharedChange> {
    const follows = by !== null && by.before === this.last && by.moves.length > 0;
    const before = follows ? by.moved : this.last;
    const moves = follows ? by.moves : [];
    const places = new PlaceWriter();
    yield* shareChunks(before, after);
    for (const sheet of after.sheets) {
      const old = before?.sheetById(sheet.id);
      if (old !== sheet) yield* places.sheet(old, sheet);
    }
    const knownFormats = this.formats;
    const formats = Array.from({ length: after.formats.size - knownFormats }, (_, i) => {
      const { code, inferred, style } = after.formats.get(knownFormats + i);
      return { code, inferred, style };
    });
    this.last = after;
    this.formats = after.formats.size;
    const sheets: SharedSheet[] = [];
    for (const sheet of after.sheets) sheets.push(yield* sharedSheet(before?.sheetById(sheet.id), sheet));
    return { moves, head: headOf(before, after), knownFormats, formats, sheets, ...places.finish() };
  }
}

function headOf(before: Snapshot | null, after: Snapshot): SharedChange['head'] {
  const { revision, hasClock, nextSheetId, settings, carried, names, tables } = after;
  return {
    revision,
    hasClock,
    nextSheetId,
    ...(before?.settings === settings ? {} : { settings }),
    ...(before?.carried === carried ? {} : { carried }),
    ...(before?.names === names ? {} : { names: JSON.stringify(names) }),
    ...(before?.tables === tables ? {} : { tables }),
  };
}

function* sharedSheet(old: Sheet | undefined, sheet: Sheet): Generator<void, SharedSheet> {
  const { id, name, hidden, color, spills } = sheet;
  if (old === sheet) return { id, kept: true };
  const isAlike = old?.name === name && old.hidden === hidden && old.color === color && old.spills === spills;
  const look = isAlike ? {} : { look: { name, hidden, color, spills } };
  if (old?.layout.carried !== sheet.layout.carried)
    return { id, kept: false, ...look, layout: yield* packLayout(sheet) };
  const change = layoutChange(sheet, old);
  return { id, kept: false, ...look, ...(change ? { layoutChange: JSON.stringify(change) } : {}) };
}

function* shareChunks(before: Snapshot | null, after: Snapshot): Generator<void> {
  let bytes = 0;
  let count = 0;
  for (const [held, column] of changedColumns(before, after)) {
    yield* column.chunks.making(held?.chunks);
    yield* held?.chunks.making(column.chunks) ?? [];
    if (++count % COLUMNS_A_STEP === 0) yield;
  }
  for (const chunk of changedChunks(before, after)) {
    bytes += chunk.bytes;
    if (++count % CHUNKS_A_STEP === 0) yield;
  }
  const memory = new SharedMemory(bytes);
  for (const chunk of changedChunks(before, after)) {
    chunk.share(memory);
    if (++count % CHUNKS_A_STEP === 0) yield;
  }
}

function* changedChunks(before: Snapshot | null, after: Snapshot): Generator<Chunk> {
  for (const [held, column] of changedColumns(before, after)) {
    for (const block of changedBlocks(held, column)) {
      const chunk = column.chunks.at(block);
      if (chunk !== undefined) yield chunk;
    }
  }
}

function* changedColumns(before: Snapshot | null, after: Snapshot): Generator<[held: Column | undefined, Column]> {
  for (const sheet of after.sheets) {
    const old = before?.sheetById(sheet.id);
    if (old === sheet) continue;
    for (let i = 0; i < sheet.columns.length; i++) {
      const column = sheet.columns[i];
      const held = old?.columns[i];
      if (column !== undefined && column !== held) yield [held, column];
    }
  }
}

/**
 * Writes changed columns as integers: sheet, column, format, chunks in all, runs (their index, or as before), changed
 * chunks; and of each of these its block, revision and rows, then for kinds, numbers, formats and texts the buffer and
 * what is needed to find them in it.
 */
class PlaceWriter {
  private readonly integers: number[] = [];
  private readonly runs: SharedRuns[] = [];
  private readonly buffers: SharedArrayBuffer[] = [];
  private readonly indexes = new Map<ArrayBufferLike, number>();

  *sheet(old: Sheet | undefined, sheet: Sheet): Generator<void> {
    for (let i = 0; i < Math.max(sheet.columns.length, old?.columns.length ?? 0); i++) {
      const held = old?.columns[i];
      // Where cells moved a column may be missing that was there.
      const column = sheet.columns[i] ?? (held && NO_COLUMN);
      if (column !== undefined && column !== held) yield* this.column(sheet.id, i, held, column);
      if (i % COLUMNS_A_STEP === COLUMNS_A_STEP - 1) yield;
    }
  }

  private *column(sheet: number, index: number, old: Column | undefined, column: Column): Generator<void> {
    const blocks = changedBlocks(old, column);
    let runs = AS_BEFORE;
    if (column.runList.length === 0) runs = NONE;
    else if (column.runList !== old?.runList) runs = this.runs.push(yield* sharedRuns(column.runList)) - 1;
    this.integers.push(sheet, index, column.format, column.chunks.length, runs, blocks.length);
    let count = 0;
    for (const block of blocks) {
      this.chunk(block, old?.chunks.at(block), column.chunks.at(block));
      if (++count % CHUNKS_A_STEP === 0) yield;
    }
  }

  private chunk(block: number, old: Chunk | undefined, chunk: Chunk | undefined): void {
    const { integers } = this;
    if (chunk === undefined) {
      integers.push(block, GONE);
      return;
    }
    integers.push(block, chunk.revision, chunk.rows);
    if (chunk.kinds === old?.kinds) integers.push(AS_BEFORE);
    else this.place(chunk.kinds);
    if (old !== undefined && chunk.hasNumbersOf(old)) integers.push(AS_BEFORE);
    else this.place(chunk.numbers);
    if (typeof chunk.formats === 'number') integers.push(UNIFORM, chunk.formats);
    else if (chunk.formats === old?.formats) integers.push(AS_BEFORE);
    else this.place(chunk.formats);
    this.texts(old?.texts, chunk.texts);
  }

  private texts(old: Texts | undefined, texts: Texts): void {
    const { integers } = this;
    if (texts === Texts.NONE) integers.push(NONE);
    else if (old !== undefined && texts.areThoseOf(old)) integers.push(AS_BEFORE);
    else {
      const { units, starts } = texts.parts();
      this.place(starts);
      integers.push(starts.length);
      this.place(units);
      integers.push(units.length, units.BYTES_PER_ELEMENT);
    }
  }

  private place({ buffer, byteOffset }: { readonly buffer: ArrayBufferLike; readonly byteOffset: number }): void {
    let index = this.indexes.get(buffer);
    if (index === undefined) {
      index = this.buffers.push(buffer as SharedArrayBuffer) - 1;
      this.indexes.set(buffer, index);
    }
    this.integers.push(index, byteOffset);
  }

  finish(): Pick<SharedChange, 'places' | 'runs' | 'buffers'> {
    return { places: Int32Array.from(this.integers), runs: this.runs, buffers: this.buffers };
  }
}

/** Runs with the texts of their trees; a tree's text is written once, for whoever is told of it later too. */
function* sharedRuns(runs: RunList): Generator<void, SharedRuns> {
  if (runs instanceof PackedRuns) return runs.shared;
  const list = isLazy(runs) ? runs.list() : runs;
  const integers = new Int32Array(new SharedArrayBuffer(list.length * RUN_INTEGERS * Int32Array.BYTES_PER_ELEMENT));
  const buffers: SharedArrayBuffer[] = [];
  const indexes = new Map<SharedArrayBuffer, number>();
  const memory = new SharedMemory();
  let at = 0;
  for (const { top, bottom, template, writer } of list) {
    template.shared ??= memory.json(template.node);
    const { buffer, start, length } = template.shared;
    let index = indexes.get(buffer);
    if (index === undefined) {
      index = buffers.push(buffer) - 1;
      indexes.set(buffer, index);
    }
    integers.set([top, bottom, index, start, length, packedWriter(writer)], at);
    at += RUN_INTEGERS;
    if (at % (RUNS_A_STEP * RUN_INTEGERS) === 0) yield;
  }
  return { integers, buffers };
}

/**
 * A change for a receiver whose table has learned formats elsewhere since it was told of the last one: without those
 * that both learned. Null where they number them otherwise.
 */
export function fitted(change: SharedChange, { formats }: Snapshot): SharedChange | null {
  const both = formats.size - change.knownFormats;
  if (both === 0) return change;
  if (both < 0 || both > change.formats.length) return null;
  for (let i = 0; i < both; i++) {
    const [own, other] = [formats.get(change.knownFormats + i), change.formats[i] as CellFormat];
    if (own.code !== other.code || own.inferred !== other.inferred || own.style !== other.style) return null;
  }
  return { ...change, knownFormats: formats.size, formats: change.formats.slice(both) };
}

/**
 * The state after a change that another thread has told of. `last`: the state that it was told of last; null where
 * this is the first. Pauses as `send` does.
 */
export function* receiveChange(last: Snapshot | null, change: SharedChange): Generator<void, Snapshot> {
  let before = last;
  for (const move of change.moves) {
    for (const id of sheetsOfMove(move)) {
      for (const [i, column] of (before?.sheetById(id)?.columns ?? []).entries()) {
        if (column?.source instanceof ChunkTable) yield* column.source.making();
        if (i % COLUMNS_A_STEP === COLUMNS_A_STEP - 1) yield;
      }
    }
    before = before && (yield* movingCells(before, move, change.head.revision));
    yield;
  }
  const formats = before?.formats ?? new FormatTable();
  for (const format of change.formats) formats.append(format);
  const sheets = yield* receivedSheets(before, change);
  const reader = new PlaceReader(change, sheets);
  yield* reader.read();
  const { head } = change;
  // What is not in the head of a change is as before; a first one has all of it.
  const known = before as Snapshot;
  const { settings = known.settings, carried = known.carried, tables = known.tables } = head;
  const names = head.names === undefined ? known.names : (JSON.parse(head.names) as Snapshot['names']);
  return new Snapshot({ ...head, settings, carried, names, tables, formats, sheets: [...sheets.values()] });
}

function* receivedSheets(before: Snapshot | null, { head, sheets }: SharedChange): Generator<void, Map<number, Sheet>> {
  const received = new Map<number, Sheet>();
  for (const { id, kept, look, layout, layoutChange: change } of sheets) {
    // What is not told of a sheet is as before; of a first one all is.
    const old = before?.sheetById(id) as Sheet;
    const shown = layout === undefined ? old : yield* unpackLayout(layout);
    const { layout: own, hiddenRows } =
      change === undefined ? shown : layoutBefore(shown, JSON.parse(change) as LayoutChange);
    const columns = old?.columns.slice() ?? [];
    const fields = { ...old, ...look, id, layout: own, hiddenRows, columns };
    received.set(id, kept ? old : new Sheet(head.revision, fields));
  }
  return received;
}

class PlaceReader {
  private readonly change: SharedChange;
  private readonly sheets: ReadonlyMap<number, Sheet>;
  private readonly pool = new TemplatePool();
  private at = 0;

  constructor(change: SharedChange, sheets: ReadonlyMap<number, Sheet>) {
    this.change = change;
    this.sheets = sheets;
  }

  private next(): number {
    return this.change.places[this.at++] as number;
  }

  *read(): Generator<void> {
    let count = 0;
    let columns = 0;
    while (this.at < this.change.places.length) {
      const sheet = this.sheets.get(this.next()) as Sheet;
      const index = this.next();
      const format = this.next();
      const length = this.next();
      const old = sheet.columns[index];
      const chunks = (old?.chunks ?? ChunkTable.empty()).resized(length);
      const runs = this.runList(sheet.id, index, this.next(), old);
      for (let left = this.next(); left > 0; left--) {
        const block = this.next();
        const chunk = this.chunk(old?.chunks.at(block));
        if (block < length) chunks.set(block, chunk);
        if (++count % CHUNKS_A_STEP === 0) yield;
      }
      if (++columns % COLUMNS_A_STEP === 0) yield;
      while (sheet.columns.length < index) sheet.columns.push(undefined);
      sheet.columns[index] = new Column(sheet.revision, chunks, runs, format);
    }
  }

  private runList(sheet: number, column: number, index: number, old: Column | undefined): RunList {
    if (index === AS_BEFORE) return (old as Column).runList;
    if (index === NONE) return [];
    return new PackedRuns(sheet, column, this.change.runs[index] as SharedRuns, this.pool);
  }

  private chunk(old: Chunk | undefined): Chunk | undefined {
    const revision = this.next();
    if (revision === GONE) return undefined;
    const rows = this.next();
    const kinds = this.part(Uint8Array, rows) ?? (old as Chunk).kinds;
    const numbers = this.part(Float64Array, rows) ?? (old as Chunk).numbers;
    const formats = this.formats(rows, old);
    return new Chunk(revision, Cells.settled(kinds, numbers), this.texts(old), formats);
  }

  private formats(rows: number, old: Chunk | undefined): number | Uint16Array {
    if (this.change.places[this.at] !== UNIFORM) return this.part(Uint16Array, rows) ?? (old as Chunk).formats;
    this.at++;
    return this.next();
  }

  private texts(old: Chunk | undefined): Texts {
    if (this.change.places[this.at] === NONE) {
      this.at++;
      return Texts.NONE;
    }
    const { change } = this;
    const buffer = this.next();
    if (buffer === AS_BEFORE) return (old as Chunk).texts;
    const start = this.next();
    const starts = new Uint32Array(change.buffers[buffer] as SharedArrayBuffer, start, this.next());
    const from = change.buffers[this.next()] as SharedArrayBuffer;
    const offset = this.next();
    const length = this.next();
    const units = this.next() === 1 ? new Uint8Array(from, offset, length) : new Uint16Array(from, offset, length);
    return Texts.restored(units, starts, []);
  }

  /** An array in a shared buffer; null: as in the chunk before. */
  private part<A>(type: new (buffer: SharedArrayBuffer, start: number, length: number) => A, length: number): A | null {
    const buffer = this.next();
    if (buffer === AS_BEFORE) return null;
    return new type(this.change.buffers[buffer] as SharedArrayBuffer, this.next(), length);
  }
}
