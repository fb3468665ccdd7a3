import type { Node } from '../formula/ast.ts';
import type { Move } from '../grid/move.ts';
import { CHUNK_ROWS, Chunk, EMPTY, NUMBER, TEXT, TYPE_MASK } from '../sheet/chunk.ts';
import { ChunkTable } from '../sheet/chunk-table.ts';
import { moveCells } from '../sheet/move-cells.ts';
import { NumberArena } from '../sheet/number-arena.ts';
import {
  anchorKey,
  Column,
  changedBlocks,
  type DefinedName,
  type DocumentSettings,
  Sheet,
  Snapshot,
  type Spill,
  type Table,
} from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import { errorByIndex } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';
import { ByteReader, type BytesRoom, ByteWriter, ownRoom } from './bytes.ts';
import { type ChangedList, changedList, listAfter } from './changed-list.ts';
import { checkPlace, restoreSheet } from './checkpoint.ts';
import {
  formatMapper,
  runRestorer,
  type StoredFormat,
  type StoredHead,
  type StoredRun,
  type StoredSheetFields,
  sheetFieldsOf,
  storeFormats,
  TemplateList,
} from './document-codec.ts';
import type { SheetLayoutChange } from './inverse.ts';
import { type LayoutChange, layoutBefore, layoutChange } from './layout-change.ts';

/**
 * In a kind byte of a delta: the number is a small integer and stored as one; the text is one that stands in the same
 * change of a chunk already, and stored as its place among those.
 */
const INTEGER = 64;
const REPEATED = 64;
const NEGATIVE = 128;
/** Integers up to this are stored in few bytes. */
const LARGEST_INTEGER = 2 ** 40;

interface StoredColumnChange {
  readonly sheet: number;
  readonly column: number;
  readonly format: number;
  /** First rows of runs that are gone, and the runs that came. */
  readonly gone: readonly number[];
  readonly came: readonly StoredRun[];
}

interface StoredSpillChange {
  readonly sheet: number;
  /** Anchors (`anchorKey`) that spill no more, and the spills that came or are other than before. */
  readonly gone: readonly number[];
  readonly came: readonly Spill[];
}

const NO_RUNS: readonly Run[] = [];
const NO_COLUMN = new Column(0, ChunkTable.empty(), NO_RUNS, 0);
const NO_CELLS = Chunk.nothing(0, 0, new NumberArena());

export interface DeltaHead {
  /** Cells that change places, one move after the other, before all that follows. */
  readonly moves?: readonly Move[];
  /** Names and tables are absent where they are as before. */
  readonly head: Omit<StoredHead, 'names' | 'tables'> & {
    readonly names?: ChangedList<DefinedName>;
    readonly tables?: ChangedList<Table>;
    /** Absent where they are as before. */
    readonly settings?: DocumentSettings;
  };
  /** Ids in order. */
  readonly order?: readonly number[];
  /** Sheets whose own fields changed, or that are new. */
  readonly sheets?: readonly StoredSheetFields[];
  /** Of sheets that are not among those: how they are shown, as what leads back from before to this. */
  readonly layouts?: readonly SheetLayoutChange[];
  /** Of sheets that are not among those. */
  readonly spills?: readonly StoredSpillChange[];
  readonly columns?: readonly StoredColumnChange[];
  readonly templates?: readonly Node[];
  readonly formats?: readonly StoredFormat[];
}

/** A change: moves of cells, and what changed beside. */
interface Change {
  readonly moves: readonly Move[];
  /** The snapshot before the change with its cells moved. */
  readonly moved: Snapshot;
  readonly after: Snapshot;
}

/** The results of a change, from one snapshot to the next: what is needed to repeat it without calculating. */
export function encodeDelta({ moves, moved: before, after }: Change, roomOf: BytesRoom = ownRoom): Uint8Array {
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
    if (!old || fieldsDiffer(old, sheet)) sheets.push(sheetFieldsOf(sheet));
    else {
      const shown = layoutChange(sheet, old);
      if (shown) layouts.push({ sheet: sheet.id, change: shown });
      const change = spillChange(old, sheet);
      if (change) spills.push(change);
    }
    encodeSheet(old, sheet, cells, templates, formats, columns);
  }
  cells.varint(0);
  let head = headText(before, after);
  if (moves.length > 0) head += member('moves', moves);
  if (!sameOrder(before, after)) {
    head += member(
      'order',
      after.sheets.map((sheet) => sheet.id),
    );
  }
  if (sheets.length > 0) head += member('sheets', sheets);
  if (layouts.length > 0) head += member('layouts', layouts);
  if (spills.length > 0) head += member('spills', spills);
  if (columns.length > 0) head += member('columns', columns);
  if (templates.nodes.length > 0) head += member('templates', templates.nodes);
  if (formats.size > 0) head += member('formats', storeFormats(after.formats, formats));
  return cells.finishBehind(`{${head}}`, roomOf);
}

/** `DeltaHead.head` as the first member of the delta's text. */
function headText(before: Snapshot, { revision, hasClock, nextSheetId, names, tables, settings }: Snapshot): string {
  let head = `"revision":${revision},"hasClock":${hasClock},"nextSheetId":${nextSheetId}`;
  if (names !== before.names) head += nested('names', changedList(before.names, names));
  if (tables !== before.tables) head += nested('tables', changedList(before.tables, tables));
  if (settings !== before.settings && JSON.stringify(settings) !== JSON.stringify(before.settings))
    head += nested('settings', settings);
  return `"head":{${head}}`;
}

/** A further member as JSON text: put together member by member, as most are absent and every write has some. */
function member<K extends Exclude<keyof DeltaHead, 'head'>>(key: K, value: DeltaHead[K]): string {
  return `,"${key}":${JSON.stringify(value)}`;
}

function nested<K extends 'names' | 'tables' | 'settings'>(key: K, value: DeltaHead['head'][K]): string {
  return `,"${key}":${JSON.stringify(value)}`;
}

function sameOrder(before: Snapshot, after: Snapshot): boolean {
  return (
    before.sheets.length === after.sheets.length &&
    before.sheets.every((sheet, i) => sheet.id === (after.sheets[i] as Sheet).id)
  );
}

function fieldsDiffer(a: Sheet, b: Sheet): boolean {
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
      columns.push(columnChange(sheet.id, index, before, column, templates));
      if (column.format !== 0) formats.add(column.format);
    }
    for (const block of changedBlocks(before, column)) {
      const chunk = column.chunks.at(block) ?? NO_CELLS;
      encodeChunkChange(sheet.id, index, block, before?.chunks.at(block), chunk, column.format, cells, formats);
    }
  }
}

function columnChange(
  sheet: number,
  column: number,
  before: Column | undefined,
  after: Column,
  templates: TemplateList,
): StoredColumnChange {
  const { gone, came } = changedRuns(before?.runs ?? [], after.runs);
  return { sheet, column, format: after.format, gone, came: came.map((run) => templates.store(run)) };
}

/** First rows of the runs that are in the first list alone, and those in the second alone; both are sorted by row. */
function changedRuns(before: readonly Run[], after: readonly Run[]): { gone: number[]; came: Run[] } {
  const gone: number[] = [];
  const came: Run[] = [];
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    const old = before[i];
    const next = after[j];
    if (old === next || (old !== undefined && next !== undefined && areSame(old, next))) {
      i++;
      j++;
    } else if (next === undefined || (old !== undefined && old.top <= next.top)) {
      gone.push((old as Run).top);
      i++;
    } else {
      came.push(next);
      j++;
    }
  }
  return { gone, came };
}

/** Runs that moved are others, and the same. */
function areSame(a: Run, b: Run): boolean {
  return a.top === b.top && a.bottom === b.bottom && a.template === b.template && a.writer === b.writer;
}

/** How the spills of a sheet differ; null where they don't. */
function spillChange(before: Sheet, after: Sheet): StoredSpillChange | null {
  if (before.spills === after.spills) return null;
  const gone: number[] = [];
  const came: Spill[] = [];
  for (const key of before.spills.keys()) if (!after.spills.has(key)) gone.push(key);
  for (const [key, spill] of after.spills) if (before.spills.get(key) !== spill) came.push(spill);
  return { sheet: after.id, gone, came };
}

/** Rows of a chunk that differ, as: sheet, column, block, count, then row, format and value of each. */
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
  const rows = before ? after.rowsUnlike(before) : rowsOf(after, columnFormat);
  if (rows.length === 0) return;
  cells.varint(rows.length);
  cells.varint(sheet);
  cells.varint(column);
  cells.varint(block);
  // Texts of a chunk are distinct: their indexes tell which are the same.
  const texts = rows.length > 1 ? new Map<number, number>() : null;
  const arrays = rows.length > FEW_ROWS ? { kinds: after.kinds, numbers: after.numbers } : null;
  for (const row of rows) {
    const format = after.format(row);
    if (format !== 0) formats.add(format);
    cells.byte(row);
    cells.varint(format);
    const kind = arrays === null ? after.kind(row) : (arrays.kinds[row] ?? EMPTY);
    if ((kind & TYPE_MASK) === EMPTY) cells.byte(EMPTY);
    else encodeValue(kind, arrays?.numbers[row] ?? after.number(row), after, cells, texts);
  }
}

/** Of more rows kinds and numbers are looked up in arrays; for a few, these need not be made. */
const FEW_ROWS = 16;

/** Rows of a chunk that is new that are not as if it were not there. */
function rowsOf(chunk: Chunk, columnFormat: number): readonly number[] {
  const rows: number[] = [];
  for (let row = 0; row < chunk.rows; row++) {
    if (chunk.kind(row) !== EMPTY || chunk.format(row) !== columnFormat) rows.push(row);
  }
  return rows;
}

/**
 * `number`: as a chunk has it for a cell of the kind; `texts`: those written before, by their indexes in the chunk, null
 * for a cell alone.
 */
function encodeValue(
  kind: number,
  number: number,
  chunk: Chunk,
  cells: ByteWriter,
  texts: Map<number, number> | null,
): void {
  const type = kind & TYPE_MASK;
  if (type === TEXT) {
    const place = texts?.get(number);
    if (place !== undefined) {
      cells.byte(kind | REPEATED);
      return cells.varint(place);
    }
    texts?.set(number, texts.size);
    cells.byte(kind);
    return cells.text(chunk.texts.get(number));
  }
  if (Number.isInteger(number) && Math.abs(number) <= LARGEST_INTEGER && !Object.is(number, -0)) {
    cells.byte(kind | INTEGER | (number < 0 ? NEGATIVE : 0));
    return cells.varint(Math.abs(number));
  }
  cells.byte(kind);
  cells.float(number);
}

/** The snapshot after a change, from the one before. Throws when the delta does not follow it. */
export function applyDelta(last: Snapshot, delta: Uint8Array): Snapshot {
  const source = new ByteReader(delta);
  const head = JSON.parse(source.text()) as DeltaHead;
  const { revision } = head.head;
  if (revision !== last.revision + 1) {
    throw new Error(`delta of revision ${revision} does not follow revision ${last.revision}`);
  }
  const before = (head.moves ?? []).reduce((held, move) => moveCells(held, move, revision), last);
  const formatId = formatMapper(before.formats, head.formats ?? []);
  const sheets = new SheetCopies(before, revision, head.sheets ?? []);
  for (const { sheet, change } of head.layouts ?? []) applyLayout(sheets.copy(sheet), change);
  for (const change of head.spills ?? []) applySpills(sheets.copy(change.sheet), change);
  applyRuns(sheets, head, formatId);
  for (let rows = source.varint(); rows > 0; rows = source.varint()) applyChunk(sheets, source, rows, formatId);
  const order = head.order ?? before.sheets.map((sheet) => sheet.id);
  return new Snapshot({
    ...head.head,
    settings: head.head.settings ?? before.settings,
    names: listAfter(before.names, head.head.names),
    tables: listAfter(before.tables, head.head.tables),
    formats: before.formats,
    carried: before.carried,
    sheets: order.map((id) => sheets.final(id)),
  });
}

/** Copies of what the delta touches, made once each. */
class SheetCopies {
  private readonly before: Snapshot;
  readonly revision: number;
  private readonly fields: ReadonlyMap<number, StoredSheetFields>;
  private readonly copies = new Map<number, Sheet>();
  readonly arena = new NumberArena();

  constructor(before: Snapshot, revision: number, fields: readonly StoredSheetFields[]) {
    this.before = before;
    this.revision = revision;
    this.fields = new Map(fields.map((held) => [held.id, held]));
  }

  copy(id: number): Sheet {
    const known = this.copies.get(id);
    if (known) return known;
    const old = this.before.sheetById(id);
    const fields = this.fields.get(id);
    const columns = old ? old.columns.slice() : [];
    const copy = fields
      ? restoreSheet(this.revision, fields, columns)
      : new Sheet(this.revision, old as Sheet, columns);
    this.copies.set(id, copy);
    return copy;
  }

  final(id: number): Sheet {
    return this.fields.has(id) || this.copies.has(id) ? this.copy(id) : (this.before.sheetById(id) as Sheet);
  }

  column(sheetId: number, index: number): Column {
    checkPlace(index, 0);
    const sheet = this.copy(sheetId);
    const held = sheet.columns[index];
    if (held && held.revision === this.revision) return held;
    const copy = held ? held.copy(this.revision) : new Column(this.revision, ChunkTable.empty(), [], 0);
    while (sheet.columns.length < index) sheet.columns.push(undefined);
    sheet.columns[index] = copy;
    return copy;
  }
}

function applyLayout(sheet: Sheet, change: LayoutChange): void {
  const { layout, hiddenRows } = layoutBefore(sheet, change);
  sheet.layout = layout;
  sheet.hiddenRows = hiddenRows;
}

function applySpills(sheet: Sheet, { gone, came }: StoredSpillChange): void {
  const spills = new Map(sheet.spills);
  for (const key of gone) spills.delete(key);
  for (const spill of came) spills.set(anchorKey(spill.area.top, spill.area.left), spill);
  sheet.spills = spills;
}

/** Runs without those that begin in the rows `gone`, and with others in their places; all are sorted by row. */
function mergedRuns(runs: readonly Run[], gone: readonly number[], came: readonly Run[]): readonly Run[] {
  const merged: Run[] = [];
  let g = 0;
  let c = 0;
  for (const run of runs) {
    for (let next = came[c]; next && next.top < run.top; next = came[++c]) merged.push(next);
    if (gone[g] === run.top) g++;
    else merged.push(run);
  }
  for (; c < came.length; c++) merged.push(came[c] as Run);
  return merged;
}

function applyRuns(sheets: SheetCopies, head: DeltaHead, formatId: (id: number) => number): void {
  const restore = runRestorer(head.templates ?? []);
  for (const { sheet, column, format, gone, came } of head.columns ?? []) {
    const held = sheets.column(sheet, column);
    const runs = mergedRuns(
      held.runs,
      gone,
      came.map((run) => restore(sheet, column, run)),
    );
    sheets.copy(sheet).columns[column] = held.copy(sheets.revision, runs, formatId(format));
  }
}

function applyChunk(sheets: SheetCopies, source: ByteReader, rows: number, formatId: (id: number) => number): void {
  const column = sheets.column(source.varint(), source.varint());
  const block = source.varint();
  checkPlace(0, block);
  const held = column.chunks.at(block);
  const chunk = held
    ? held.copy(sheets.revision, CHUNK_ROWS, sheets.arena)
    : Chunk.empty(sheets.revision, CHUNK_ROWS, column.format, sheets.arena);
  const texts: string[] = [];
  for (let i = 0; i < rows; i++) {
    const row = source.byte();
    chunk.setFormat(row, formatId(source.varint()));
    const kind = source.byte();
    chunk.set(row, readValue(source, kind, texts), kind & ~(TYPE_MASK | INTEGER | NEGATIVE));
  }
  chunk.settle();
  column.chunks.set(block, chunk);
}

/** `texts`: those read before, in their order; takes in the next one. */
function readValue(source: ByteReader, kind: number, texts: string[]): Scalar {
  const type = kind & TYPE_MASK;
  if (type === EMPTY) return null;
  if (type === TEXT) {
    if ((kind & REPEATED) !== 0) return texts[source.varint()] as string;
    const text = source.text();
    texts.push(text);
    return text;
  }
  const size = (kind & INTEGER) !== 0 ? source.varint() : source.float();
  const number = (kind & NEGATIVE) !== 0 ? -size : size;
  if (type === NUMBER) return number;
  return type === 2 ? number !== 0 : errorByIndex(number);
}
