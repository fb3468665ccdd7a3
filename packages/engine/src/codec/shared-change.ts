import type { Move } from '../grid/move.ts';
import type { Chunk } from '../sheet/chunk.ts';
import { ChunkTable } from '../sheet/chunk-table.ts';
import { PackedRuns, packWriter, RUN_INTEGERS, type SharedRuns } from '../sheet/packed-runs.ts';
import { SharedMemory } from '../sheet/shared-memory.ts';
import { Column, findChangedBlocks, type Sheet, type Snapshot } from '../sheet/snapshot.ts';
import { isLazy, type RunList } from '../sheet/template.ts';
import { Texts } from '../sheet/texts.ts';
import { compareLayouts } from './layout-change.ts';
import {
  AS_BEFORE,
  CHUNKS_PER_STEP,
  COLUMNS_PER_STEP,
  NONE,
  REMOVED,
  type SharedChange,
  type SharedSheet,
  UNIFORM,
} from './shared-change-format.ts';
import { packLayout } from './shared-layout.ts';

const NO_COLUMN = new Column(0, ChunkTable.empty(), [], 0);

const RUNS_PER_STEP = 1024;

/** The moves of a change, as in `ChangeSet`. */
interface MovedCells {
  readonly before: Snapshot;
  readonly moves: readonly Move[];
  readonly moved: Snapshot;
}

/** Sends a document to one other thread, change by change. */
export class ChangeSender {
  private last: Snapshot | null;
  private formats: number;

  /** `receiverState`: the state that the receiver has; null if it has none. */
  constructor(receiverState: Snapshot | null) {
    this.last = receiverState;
    this.formats = receiverState?.formats.size ?? 1;
  }

  /**
   * Sends the changes since the last call, for a state with the same format table. `movedCells`: how cells moved since
   * then, if known. Moves published chunks to shared memory. Pauses regularly because a large document takes a while.
   * Run it to its end before the next call.
   */
  *send(after: Snapshot, movedCells: MovedCells | null = null): Generator<void, SharedChange> {
    const follows = movedCells !== null && movedCells.before === this.last && movedCells.moves.length > 0;
    const before = follows ? movedCells.moved : this.last;
    const moves = follows ? movedCells.moves : [];
    const places = new ChangedColumnWriter();
    yield* shareChunks(before, after);
    for (const sheet of after.sheets) {
      const old = before?.sheetById(sheet.id);
      if (old !== sheet) yield* places.writeSheet(old, sheet);
    }
    const knownFormats = this.formats;
    const formats = Array.from({ length: after.formats.size - knownFormats }, (_, i) => {
      const { code, inferred, style } = after.formats.get(knownFormats + i);
      return { code, inferred, style };
    });
    this.last = after;
    this.formats = after.formats.size;
    const sheets: SharedSheet[] = [];
    for (const sheet of after.sheets) sheets.push(yield* encodeSharedSheet(before?.sheetById(sheet.id), sheet));
    return { moves, head: describeHead(before, after), knownFormats, formats, sheets, ...places.finish() };
  }
}

function describeHead(before: Snapshot | null, after: Snapshot): SharedChange['head'] {
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

function* encodeSharedSheet(old: Sheet | undefined, sheet: Sheet): Generator<void, SharedSheet> {
  const { id, name, hidden, color, spills } = sheet;
  if (old === sheet) return { id, kept: true };
  const isAlike = old?.name === name && old.hidden === hidden && old.color === color && old.spills === spills;
  const properties = isAlike ? {} : { properties: { name, hidden, color, spills } };
  if (old?.layout.carried !== sheet.layout.carried)
    return { id, kept: false, ...properties, layout: yield* packLayout(sheet) };
  const change = compareLayouts(sheet, old);
  return { id, kept: false, ...properties, ...(change ? { layoutChange: JSON.stringify(change) } : {}) };
}

function* shareChunks(before: Snapshot | null, after: Snapshot): Generator<void> {
  let bytes = 0;
  let count = 0;
  for (const [oldColumn, column] of iterateChangedColumns(before, after)) {
    yield* column.chunks.makeInSteps(oldColumn?.chunks);
    yield* oldColumn?.chunks.makeInSteps(column.chunks) ?? [];
    if (++count % COLUMNS_PER_STEP === 0) yield;
  }
  for (const chunk of iterateChangedChunks(before, after)) {
    bytes += chunk.bytes;
    if (++count % CHUNKS_PER_STEP === 0) yield;
  }
  const memory = new SharedMemory(bytes);
  for (const chunk of iterateChangedChunks(before, after)) {
    chunk.share(memory);
    if (++count % CHUNKS_PER_STEP === 0) yield;
  }
}

function* iterateChangedChunks(before: Snapshot | null, after: Snapshot): Generator<Chunk> {
  for (const [oldColumn, column] of iterateChangedColumns(before, after)) {
    for (const block of findChangedBlocks(oldColumn, column)) {
      const chunk = column.chunks.at(block);
      if (chunk !== undefined) yield chunk;
    }
  }
}

function* iterateChangedColumns(
  before: Snapshot | null,
  after: Snapshot,
): Generator<[old: Column | undefined, Column]> {
  for (const sheet of after.sheets) {
    const old = before?.sheetById(sheet.id);
    if (old === sheet) continue;
    for (let i = 0; i < sheet.columns.length; i++) {
      const column = sheet.columns[i];
      const oldColumn = old?.columns[i];
      if (column !== undefined && column !== oldColumn) yield [oldColumn, column];
    }
  }
}

/**
 * Writes changed columns as integers. A column: sheet, column, format, number of chunks, index of its runs (or
 * `AS_BEFORE`), number of changed chunks. A changed chunk: block, revision, rows, and for each of kinds, numbers,
 * formats and texts the buffer and the position in it.
 */
class ChangedColumnWriter {
  private readonly integers: number[] = [];
  private readonly runs: SharedRuns[] = [];
  private readonly buffers: SharedArrayBuffer[] = [];
  private readonly indexes = new Map<ArrayBufferLike, number>();

  *writeSheet(old: Sheet | undefined, sheet: Sheet): Generator<void> {
    for (let i = 0; i < Math.max(sheet.columns.length, old?.columns.length ?? 0); i++) {
      const oldColumn = old?.columns[i];
      // After a move a column may be missing.
      const column = sheet.columns[i] ?? (oldColumn && NO_COLUMN);
      if (column !== undefined && column !== oldColumn) yield* this.writeColumn(sheet.id, i, oldColumn, column);
      if (i % COLUMNS_PER_STEP === COLUMNS_PER_STEP - 1) yield;
    }
  }

  private *writeColumn(sheet: number, index: number, old: Column | undefined, column: Column): Generator<void> {
    const blocks = findChangedBlocks(old, column);
    let runs = AS_BEFORE;
    if (column.runList.length === 0) runs = NONE;
    else if (column.runList !== old?.runList) runs = this.runs.push(yield* encodeSharedRuns(column.runList)) - 1;
    this.integers.push(sheet, index, column.format, column.chunks.length, runs, blocks.length);
    let count = 0;
    for (const block of blocks) {
      this.writeChunk(block, old?.chunks.at(block), column.chunks.at(block));
      if (++count % CHUNKS_PER_STEP === 0) yield;
    }
  }

  private writeChunk(block: number, old: Chunk | undefined, chunk: Chunk | undefined): void {
    const { integers } = this;
    if (chunk === undefined) {
      integers.push(block, REMOVED);
      return;
    }
    integers.push(block, chunk.revision, chunk.rows);
    if (chunk.kinds === old?.kinds) integers.push(AS_BEFORE);
    else this.writeBufferPosition(chunk.kinds);
    // Numbers of text cells are indexes of texts. If the receiver made its old chunk itself by moving cells, its
    // indexes may differ. Numbers and texts must therefore come from the same thread.
    const { texts } = chunk;
    const hasTextsOfOld = texts === Texts.NONE || (old !== undefined && texts.isSameAs(old.texts));
    const isAsBefore = hasTextsOfOld && old !== undefined && chunk.sharesNumbersWith(old);
    if (isAsBefore) integers.push(AS_BEFORE);
    else this.writeBufferPosition(chunk.numbers);
    if (typeof chunk.formats === 'number') integers.push(UNIFORM, chunk.formats);
    else if (chunk.formats === old?.formats) integers.push(AS_BEFORE);
    else this.writeBufferPosition(chunk.formats);
    this.writeTexts(texts, isAsBefore);
  }

  /** Writes the texts of a chunk, or only a mark if they are the texts of the old chunk (`isAsBefore`). */
  private writeTexts(texts: Texts, isAsBefore: boolean): void {
    const { integers } = this;
    if (texts === Texts.NONE) integers.push(NONE);
    else if (isAsBefore) integers.push(AS_BEFORE);
    else {
      const { units, starts } = texts.parts();
      this.writeBufferPosition(starts);
      integers.push(starts.length);
      this.writeBufferPosition(units);
      integers.push(units.length, units.BYTES_PER_ELEMENT);
    }
  }

  private writeBufferPosition({
    buffer,
    byteOffset,
  }: {
    readonly buffer: ArrayBufferLike;
    readonly byteOffset: number;
  }): void {
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

/** Encodes runs with the texts of their trees. The text of a tree is encoded once for all receivers. */
function* encodeSharedRuns(runs: RunList): Generator<void, SharedRuns> {
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
    integers.set([top, bottom, index, start, length, packWriter(writer)], at);
    at += RUN_INTEGERS;
    if (at % (RUNS_PER_STEP * RUN_INTEGERS) === 0) yield;
  }
  return { integers, buffers };
}
