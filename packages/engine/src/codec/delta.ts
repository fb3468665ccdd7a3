import type { Move } from '../grid/move.ts';
import { EMPTY, NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { Chunk } from '../sheet/chunk.ts';
import { ChunkTable } from '../sheet/chunk-table.ts';
import { NumberArena } from '../sheet/number-arena.ts';
import { Column, findChangedBlocks, type Sheet, type Snapshot, type Spill } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import type { Texts } from '../sheet/texts.ts';
import { type AllocateBytes, allocateOwn, ByteWriter } from './bytes.ts';
import { encodeChangedList } from './changed-list.ts';
import {
  type DeltaHead,
  INTEGER,
  MAX_SMALL_INTEGER,
  NEGATIVE,
  PACKED_COLUMN,
  REPEATED,
  type StoredColumnChange,
  type StoredSpillChange,
} from './delta-format.ts';
import { type StoredSheetFields, storeFormats, TemplateList, toStoredSheetFields } from './document-codec.ts';
import type { SheetLayoutChange } from './inverse.ts';
import { compareLayouts } from './layout-change.ts';
import { MAX_SINGLE_ROWS, writePackedNumbers } from './packed-numbers.ts';

const NO_RUNS: readonly Run[] = [];

const NO_COLUMN = new Column(0, ChunkTable.empty(), NO_RUNS, 0);

const NO_CELLS = Chunk.createBlank(0, 0, new NumberArena());

/** The input of `encodeDelta`: the moves of cells, and the states before and after. */
interface DeltaSource {
  readonly moves: readonly Move[];
  /** The snapshot before the change with its cells moved. */
  readonly moved: Snapshot;
  readonly after: Snapshot;
}

/** Encodes the results of a change, so that it can be repeated without calculation. */
export function encodeDelta(
  { moves, moved: before, after }: DeltaSource,
  allocate: AllocateBytes = allocateOwn,
): Uint8Array {
  const cells = new ByteWriter();
  const templates = new TemplateList();
  const formats = new Set<number>();
  const columns: StoredColumnChange[] = [];
  const sheets: StoredSheetFields[] = [];
  const layouts: SheetLayoutChange[] = [];
  const spills: StoredSpillChange[] = [];
  for (const sheet of after.sheets) {
    const old = before.sheetById(sheet.id);
    if (old === sheet) continue;
    if (!old || haveDifferentFields(old, sheet)) sheets.push(toStoredSheetFields(sheet));
    else {
      const shown = compareLayouts(sheet, old);
      if (shown) layouts.push({ sheet: sheet.id, change: shown });
      const change = describeSpillChange(old, sheet);
      if (change) spills.push(change);
    }
    encodeSheet(old, sheet, cells, templates, formats, columns);
  }
  cells.writeVarint(0);
  let head = formatHead(before, after);
  if (moves.length > 0) head += formatJsonMember('moves', moves);
  if (!haveSameSheetOrder(before, after)) {
    head += formatJsonMember(
      'order',
      after.sheets.map((sheet) => sheet.id),
    );
  }
  if (sheets.length > 0) head += formatJsonMember('sheets', sheets);
  if (layouts.length > 0) head += formatJsonMember('layouts', layouts);
  if (spills.length > 0) head += formatJsonMember('spills', spills);
  if (columns.length > 0) head += formatJsonMember('columns', columns);
  if (templates.nodes.length > 0) head += formatJsonMember('templates', templates.nodes);
  if (formats.size > 0) head += formatJsonMember('formats', storeFormats(after.formats, formats));
  return cells.finishAfterText(`{${head}}`, allocate);
}

/** Returns the member `head` of `DeltaHead` as the beginning of the delta's JSON text. */
function formatHead(before: Snapshot, { revision, hasClock, nextSheetId, names, tables, settings }: Snapshot): string {
  let head = `"revision":${revision},"hasClock":${hasClock},"nextSheetId":${nextSheetId}`;
  if (names !== before.names) head += formatHeadMember('names', encodeChangedList(before.names, names));
  if (tables !== before.tables) head += formatHeadMember('tables', encodeChangedList(before.tables, tables));
  if (settings !== before.settings && JSON.stringify(settings) !== JSON.stringify(before.settings))
    head += formatHeadMember('settings', settings);
  return `"head":{${head}}`;
}

/**
 * Returns a member of `DeltaHead` as JSON text. The text is built member by member because most members are absent and
 * every write encodes a delta.
 */
function formatJsonMember<K extends Exclude<keyof DeltaHead, 'head'>>(key: K, value: DeltaHead[K]): string {
  return `,"${key}":${JSON.stringify(value)}`;
}

function formatHeadMember<K extends 'names' | 'tables' | 'settings'>(key: K, value: DeltaHead['head'][K]): string {
  return `,"${key}":${JSON.stringify(value)}`;
}

function haveSameSheetOrder(before: Snapshot, after: Snapshot): boolean {
  return (
    before.sheets.length === after.sheets.length && before.sheets.every((sheet, i) => sheet.id === after.sheets[i]!.id)
  );
}

function haveDifferentFields(a: Sheet, b: Sheet): boolean {
  return a.name !== b.name || a.hidden !== b.hidden || a.color !== b.color || a.layout.carried !== b.layout.carried;
}

function encodeSheet(
  old: Sheet | undefined,
  sheet: Sheet,
  cells: ByteWriter,
  templates: TemplateList,
  formats: Set<number>,
  columns: StoredColumnChange[],
): void {
  const width = Math.max(sheet.columns.length, old?.columns.length ?? 0);
  for (let index = 0; index < width; index++) {
    const before = old?.columns[index];
    const column = sheet.columns[index] ?? NO_COLUMN;
    if (column === (before ?? NO_COLUMN)) continue;
    if (column.runList !== (before?.runList ?? NO_RUNS) || column.format !== (before?.format ?? 0)) {
      columns.push(describeColumnChange(sheet.id, index, before, column, templates));
      if (column.format !== 0) formats.add(column.format);
    }
    for (const block of findChangedBlocks(before, column)) {
      const chunk = column.chunks.at(block) ?? NO_CELLS;
      encodeChunkChange(sheet.id, index, block, before?.chunks.at(block), chunk, column.format, cells, formats);
    }
  }
}

function describeColumnChange(
  sheet: number,
  column: number,
  before: Column | undefined,
  after: Column,
  templates: TemplateList,
): StoredColumnChange {
  const { gone, came } = diffRuns(before?.runs ?? [], after.runs);
  return { sheet, column, format: after.format, gone, came: came.map((run) => templates.storeRun(run)) };
}

/**
 * First rows of runs that are only in the first list, and the runs that are only in the second. Both lists are sorted
 * by row.
 */
function diffRuns(before: readonly Run[], after: readonly Run[]): { gone: number[]; came: Run[] } {
  const removed: number[] = [];
  const addedRuns: Run[] = [];
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    const old = before[i];
    const next = after[j];
    if (old === next || (old !== undefined && next !== undefined && isSameRun(old, next))) {
      i++;
      j++;
    } else if (next === undefined || (old !== undefined && old.top <= next.top)) {
      removed.push(old!.top);
      i++;
    } else {
      addedRuns.push(next);
      j++;
    }
  }
  return { gone: removed, came: addedRuns };
}

/** True if two runs are equal. Runs that moved are other objects. */
function isSameRun(a: Run, b: Run): boolean {
  return a.top === b.top && a.bottom === b.bottom && a.template === b.template && a.writer === b.writer;
}

/** The changed spills of a sheet; null if there are none. */
function describeSpillChange(before: Sheet, after: Sheet): StoredSpillChange | null {
  if (before.spills === after.spills) return null;
  const removed: number[] = [];
  const addedSpills: Spill[] = [];
  for (const key of before.spills.keys()) if (!after.spills.has(key)) removed.push(key);
  for (const [key, spill] of after.spills) if (before.spills.get(key) !== spill) addedSpills.push(spill);
  return { sheet: after.id, gone: removed, came: addedSpills };
}

/**
 * Writes the changed rows of a chunk: count, sheet, column, block, then row, format and value of each, or packed
 * numbers.
 */
function encodeChunkChange(
  sheet: number,
  column: number,
  block: number,
  before: Chunk | undefined,
  after: Chunk,
  columnFormat: number,
  cells: ByteWriter,
  formats: Set<number>,
): void {
  const rows = before ? after.findChangedRows(before) : findFilledRows(after, columnFormat);
  if (rows.length === 0) return;
  const isPacked = rows.length > MAX_SINGLE_ROWS && areUniformNumbers(rows, after);
  cells.writeVarint(rows.length);
  cells.writeVarint(sheet);
  cells.writeVarint(isPacked ? column + PACKED_COLUMN : column);
  cells.writeVarint(block);
  if (isPacked) return encodeNumbers(rows, after, cells, formats);
  const texts = rows.length > 1 ? new ChunkTextWriter(after.texts) : null;
  const arrays = rows.length > MAX_SINGLE_ROWS ? { kinds: after.kinds, numbers: after.numbers } : null;
  for (const row of rows) {
    const format = after.format(row);
    if (format !== 0) formats.add(format);
    cells.writeByte(row);
    cells.writeVarint(format);
    const kind = arrays === null ? after.kind(row) : (arrays.kinds[row] ?? EMPTY);
    if ((kind & TYPE_MASK) === EMPTY) cells.writeByte(EMPTY);
    else encodeValue(kind, arrays?.numbers[row] ?? after.number(row), after, cells, texts);
  }
}

/** True if all rows contain numbers of one kind and format. */
function areUniformNumbers(rows: readonly number[], { kinds, formats }: Chunk): boolean {
  const [first = 0] = rows;
  const kind = kinds[first]!;
  if ((kind & TYPE_MASK) !== NUMBER || rows.some((row) => kinds[row] !== kind)) return false;
  return typeof formats === 'number' || rows.every((row) => formats[row] === formats[first]);
}

/**
 * Writes numbers of one kind and format: the format; the kind; 1 and the first row if the rows are consecutive, else 0
 * and each row; the packed numbers.
 */
function encodeNumbers(rows: readonly number[], after: Chunk, cells: ByteWriter, formats: Set<number>): void {
  const { numbers } = after;
  const first = rows[0]!;
  const end = rows.at(-1)! + 1;
  const format = after.format(first);
  if (format !== 0) formats.add(format);
  cells.writeVarint(format);
  cells.writeByte(after.kind(first));
  if (end - first === rows.length) {
    cells.writeByte(1);
    cells.writeByte(first);
    return writePackedNumbers(cells, numbers, first, end);
  }
  cells.writeByte(0);
  const changed = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    cells.writeByte(rows[i]!);
    changed[i] = numbers[rows[i]!]!;
  }
  writePackedNumbers(cells, changed, 0, rows.length);
}

function isSmallInteger(number: number): boolean {
  return Number.isInteger(number) && Math.abs(number) <= MAX_SMALL_INTEGER && !Object.is(number, -0);
}

/** Rows of a new chunk that must be stored, because they have a value or a format other than `columnFormat`. */
function findFilledRows(chunk: Chunk, columnFormat: number): readonly number[] {
  const rows: number[] = [];
  for (let row = 0; row < chunk.rows; row++) {
    if (chunk.kind(row) !== EMPTY || chunk.format(row) !== columnFormat) rows.push(row);
  }
  return rows;
}

const NOT_WRITTEN = -1;

/**
 * Writes the texts of a chunk, each once. The texts of a chunk are distinct, so that equal indexes mean equal texts.
 * Packed texts are copied without creating strings.
 */
class ChunkTextWriter {
  private readonly texts: Texts;
  private readonly units: Uint8Array | Uint16Array;
  private readonly starts: Uint32Array;
  /** Positions among the written texts, by the text's index in the chunk. */
  private readonly places: Int32Array;
  private count = 0;

  constructor(texts: Texts) {
    this.texts = texts;
    const { units, starts } = texts.parts();
    this.units = units;
    this.starts = starts;
    this.places = new Int32Array(texts.count).fill(NOT_WRITTEN);
  }

  /**
   * Returns the position of a text that was written before. Returns -1 for a new text, and assigns it the next
   * position.
   */
  claimPosition(index: number): number {
    const place = this.places[index]!;
    if (place === NOT_WRITTEN) this.places[index] = this.count++;
    return place;
  }

  writeText(index: number, cells: ByteWriter): void {
    const { starts } = this;
    if (index + 1 < starts.length) cells.writeUnits(this.units, starts[index]!, starts[index + 1]!);
    else cells.writeText(this.texts.get(index));
  }
}

/** `number`: the stored number of the cell. `texts`: null for a single cell. */
function encodeValue(
  kind: number,
  number: number,
  chunk: Chunk,
  cells: ByteWriter,
  texts: ChunkTextWriter | null,
): void {
  const type = kind & TYPE_MASK;
  if (type === TEXT) {
    const place = texts?.claimPosition(number) ?? NOT_WRITTEN;
    if (place !== NOT_WRITTEN) {
      cells.writeByte(kind | REPEATED);
      return cells.writeVarint(place);
    }
    cells.writeByte(kind);
    return texts === null ? cells.writeText(chunk.texts.get(number)) : texts.writeText(number, cells);
  }
  if (isSmallInteger(number)) {
    cells.writeByte(kind | INTEGER | (number < 0 ? NEGATIVE : 0));
    return cells.writeVarint(Math.abs(number));
  }
  cells.writeByte(kind);
  cells.writeFloat(number);
}
