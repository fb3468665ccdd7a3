import { listMoveSheets as sheetsOfMove } from '../grid/move.ts';
import { Cells } from '../sheet/cells.ts';
import { Chunk } from '../sheet/chunk.ts';
import { ChunkTable } from '../sheet/chunk-table.ts';
import { FormatTable } from '../sheet/formats.ts';
import { moveCellsInSteps } from '../sheet/moves/move-cells.ts';
import { PackedRuns, TemplatePool } from '../sheet/packed-runs.ts';
import { Column, Sheet, Snapshot } from '../sheet/snapshot.ts';
import type { RunList } from '../sheet/template.ts';
import { Texts } from '../sheet/texts.ts';
import { type LayoutChange, undoLayoutChange } from './layout-change.ts';
import {
  AS_BEFORE,
  CHUNKS_PER_STEP,
  COLUMNS_PER_STEP,
  NONE,
  REMOVED,
  type SharedChange,
  UNIFORM,
} from './shared-change-format.ts';
import { unpackLayout } from './shared-layout.ts';

/**
 * Adapts a change for a receiver whose format table has grown since the last change: removes formats that both tables
 * have. Null if the same numbers mean different formats.
 */
export function fitToReceiver(change: SharedChange, { formats }: Snapshot): SharedChange | null {
  const both = formats.size - change.knownFormats;
  if (both === 0) return change;
  if (both < 0 || both > change.formats.length) return null;
  for (let i = 0; i < both; i++) {
    const [own, other] = [formats.get(change.knownFormats + i), change.formats[i]!];
    if (own.code !== other.code || own.inferred !== other.inferred || own.style !== other.style) return null;
  }
  return { ...change, knownFormats: formats.size, formats: change.formats.slice(both) };
}

/**
 * Returns the state after a change from another thread. `last`: the previous received state; null for the first change.
 * Pauses regularly.
 */
export function* receiveChange(last: Snapshot | null, change: SharedChange): Generator<void, Snapshot> {
  let before = last;
  for (const move of change.moves) {
    for (const id of sheetsOfMove(move)) {
      for (const [i, column] of (before?.sheetById(id)?.columns ?? []).entries()) {
        if (column?.source instanceof ChunkTable) yield* column.source.makeInSteps();
        if (i % COLUMNS_PER_STEP === COLUMNS_PER_STEP - 1) yield;
      }
    }
    before = before && (yield* moveCellsInSteps(before, move, change.head.revision));
    yield;
  }
  const formats = before?.formats ?? new FormatTable();
  for (const format of change.formats) formats.appendFormat(format);
  const sheets = yield* receiveSheets(before, change);
  const reader = new ChangedColumnReader(change, sheets);
  yield* reader.readColumns();
  const { head } = change;
  // Absent parts did not change; the first change has all parts.
  const current = before as Snapshot;
  const { settings = current.settings, carried = current.carried, tables = current.tables } = head;
  const names = head.names === undefined ? current.names : (JSON.parse(head.names) as Snapshot['names']);
  return new Snapshot({ ...head, settings, carried, names, tables, formats, sheets: [...sheets.values()] });
}

function* receiveSheets(before: Snapshot | null, { head, sheets }: SharedChange): Generator<void, Map<number, Sheet>> {
  const received = new Map<number, Sheet>();
  for (const { id, kept, properties, layout, layoutChange: change } of sheets) {
    // Absent parts of a sheet did not change; a new sheet has all parts.
    const old = before?.sheetById(id) as Sheet;
    const shown = layout === undefined ? old : yield* unpackLayout(layout);
    const { layout: own, hiddenRows } =
      change === undefined ? shown : undoLayoutChange(shown, JSON.parse(change) as LayoutChange);
    const columns = old?.columns.slice() ?? [];
    const fields = { ...old, ...properties, id, layout: own, hiddenRows, columns };
    received.set(id, kept ? old : new Sheet(head.revision, fields));
  }
  return received;
}

class ChangedColumnReader {
  private readonly change: SharedChange;
  private readonly sheets: ReadonlyMap<number, Sheet>;
  private readonly pool = new TemplatePool();
  private at = 0;

  constructor(change: SharedChange, sheets: ReadonlyMap<number, Sheet>) {
    this.change = change;
    this.sheets = sheets;
  }

  private readInteger(): number {
    return this.change.places[this.at++]!;
  }

  *readColumns(): Generator<void> {
    let count = 0;
    let columns = 0;
    while (this.at < this.change.places.length) {
      const sheet = this.sheets.get(this.readInteger())!;
      const index = this.readInteger();
      const format = this.readInteger();
      const length = this.readInteger();
      const old = sheet.columns[index];
      const chunks = (old?.chunks ?? ChunkTable.empty()).resize(length);
      const runs = this.receiveRunList(sheet.id, index, this.readInteger(), old);
      for (let left = this.readInteger(); left > 0; left--) {
        const block = this.readInteger();
        const chunk = this.readChunk(old?.chunks.at(block));
        if (block < length) chunks.set(block, chunk);
        if (++count % CHUNKS_PER_STEP === 0) yield;
      }
      if (++columns % COLUMNS_PER_STEP === 0) yield;
      while (sheet.columns.length < index) sheet.columns.push(undefined);
      sheet.columns[index] = new Column(sheet.revision, chunks, runs, format);
    }
  }

  private receiveRunList(sheet: number, column: number, index: number, old: Column | undefined): RunList {
    if (index === AS_BEFORE) return old!.runList;
    if (index === NONE) return [];
    return new PackedRuns(sheet, column, this.change.runs[index]!, this.pool);
  }

  private readChunk(old: Chunk | undefined): Chunk | undefined {
    const revision = this.readInteger();
    if (revision === REMOVED) return undefined;
    const rows = this.readInteger();
    const kinds = this.readArray(Uint8Array, rows) ?? old!.kinds;
    const numbers = this.readArray(Float64Array, rows) ?? old!.numbers;
    const formats = this.readFormats(rows, old);
    return new Chunk(revision, Cells.fromSettled(kinds, numbers), this.readTexts(old), formats);
  }

  private readFormats(rows: number, old: Chunk | undefined): number | Uint16Array {
    if (this.change.places[this.at] !== UNIFORM) return this.readArray(Uint16Array, rows) ?? old!.formats;
    this.at++;
    return this.readInteger();
  }

  private readTexts(old: Chunk | undefined): Texts {
    if (this.change.places[this.at] === NONE) {
      this.at++;
      return Texts.NONE;
    }
    const { change } = this;
    const buffer = this.readInteger();
    if (buffer === AS_BEFORE) return old!.texts;
    const start = this.readInteger();
    const starts = new Uint32Array(change.buffers[buffer]!, start, this.readInteger());
    const from = change.buffers[this.readInteger()]!;
    const offset = this.readInteger();
    const length = this.readInteger();
    const units =
      this.readInteger() === 1 ? new Uint8Array(from, offset, length) : new Uint16Array(from, offset, length);
    return Texts.restore(units, starts, []);
  }

  /** Returns an array in a shared buffer; null if it is the same as in the previous version of the chunk. */
  private readArray<A>(
    type: new (buffer: SharedArrayBuffer, start: number, length: number) => A,
    length: number,
  ): A | null {
    const buffer = this.readInteger();
    if (buffer === AS_BEFORE) return null;
    return new type(this.change.buffers[buffer]!, this.readInteger(), length);
  }
}
