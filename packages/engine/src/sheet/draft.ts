import { nameKey } from '../formula/index.ts';
import { listMoveSheets, type Move } from '../grid/move.ts';
import type { Scalar } from '../value/scalar.ts';
import { EMPTY, FORMULA, RESULT, TYPE_MASK } from './cell-kind.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT, Chunk } from './chunk.ts';
import { ChunkTable } from './chunk-table.ts';
import { DraftSpills } from './draft-spills.ts';
import { type FormatTable, GENERAL } from './formats.ts';
import { makeChangedChunks, moveCells, moveDraftSheet } from './moves/move-cells.ts';
import { moveLayoutReferences } from './moves/move-layout.ts';
import { type NumberAllocator, NumberArena } from './number-arena.ts';
import {
  Column,
  createEmptySheet,
  type DefinedName,
  type DocumentSettings,
  indexSheetNames,
  MAX_SEARCHED_SHEETS,
  Sheet,
  Snapshot,
  type Table,
} from './snapshot.ts';
import type { Run } from './template.ts';

const NO_MOVES: readonly Move[] = [];

/**
 * The next revision under construction. It shares all objects with its base snapshot and copies an object when it
 * changes it; objects with the revision number of the draft are its own copies. To undo its changes, drop the draft.
 */
export class Draft implements NumberAllocator {
  readonly base: Snapshot;
  /** The base snapshot with these moves applied. */
  moved: Snapshot;
  readonly revision: number;
  sheets: Sheet[];
  names: readonly DefinedName[];
  tables: readonly Table[];
  nextSheetId: number;
  settings: DocumentSettings;
  hasClock: boolean;
  /** A sheet whose formulas are calculated as if they were on the sheet `for`; only in drafts that are not published. */
  standIn: { readonly sheet: number; readonly for: number } | null = null;
  /** True if the draft changed the number format of a cell. */
  hasNewFormats = false;
  /** Number of writes to columns; caches compare it. */
  writes = 0;
  /** Sheets by id, and ids by name key; null until needed. Few sheets are searched one by one. */
  private byId: Map<number, Sheet> | null = null;
  private byName: Map<string, number> | null = null;
  private moveList: Move[] | null = null;
  /** The chunk that the draft copied or created last; a list by `Chunk.earlierOwn`. */
  private lastOwnChunk: Chunk | null = null;
  private readonly expectedChunks: number;
  /** Memory for numbers; created on demand, because most edits of a cell copy none. */
  private arena: NumberArena | null = null;
  private spillLists: DraftSpills | null = null;

  /** `expectedChunks`: the number of chunks whose memory is allocated at once; earlier drafts needed as many. */
  constructor(base: Snapshot, expectedChunks = 0) {
    this.expectedChunks = expectedChunks;
    this.base = base;
    this.moved = base;
    this.revision = base.revision + 1;
    this.sheets = base.sheets.slice();
    this.names = base.names;
    this.settings = base.settings;
    this.tables = base.tables;
    this.nextSheetId = base.nextSheetId;
    this.hasClock = base.hasClock;
  }

  /** Moves of cells in this draft so far. */
  get moves(): readonly Move[] {
    return this.moveList ?? NO_MOVES;
  }

  get spills(): DraftSpills {
    this.spillLists ??= new DraftSpills(this);
    return this.spillLists;
  }

  /** Number of chunks for which the draft allocated number arrays. */
  get chunksTaken(): number {
    return this.arena?.taken ?? 0;
  }

  get formats(): FormatTable {
    return this.base.formats;
  }

  get carried(): Snapshot['carried'] {
    return this.base.carried;
  }

  sheet(id: number): Sheet | undefined {
    if (this.sheets.length > MAX_SEARCHED_SHEETS) {
      this.byId ??= new Map(this.sheets.map((sheet) => [sheet.id, sheet]));
      return this.byId.get(id);
    }
    for (const sheet of this.sheets) if (sheet.id === id) return sheet;
    return undefined;
  }

  /** Returns the sheet with an id that must exist. Throws if it does not. */
  requireSheet(id: number): Sheet {
    const sheet = this.sheet(id);
    if (sheet === undefined) throw new Error(`There is no sheet with the id ${id}`);
    return sheet;
  }

  hasSheet(id: number): boolean {
    return this.sheet(id) !== undefined;
  }

  /** Returns the sheet on which formulas of a sheet are calculated: the sheet itself, unless it is the `standIn`. */
  formulaSheet(id: number): number {
    return this.standIn?.sheet === id ? this.standIn.for : id;
  }

  /** The number of sheets that formulas see, that is, without the `standIn`. */
  get sheetCount(): number {
    return this.sheets.length - (this.standIn === null ? 0 : 1);
  }

  /** Returns the draft's own copy of an existing sheet. */
  ensureOwnSheet(id: number): Sheet {
    const sheet = this.requireSheet(id);
    if (sheet.revision === this.revision) return sheet;
    const copy = sheet.copy(this.revision);
    this.byId?.set(id, copy);
    this.sheets[this.sheets.indexOf(sheet)] = copy;
    return copy;
  }

  addSheet(name: string, hiddenRows: ReadonlySet<number> = new Set()): Sheet {
    const sheet = createEmptySheet(this.revision, this.nextSheetId++, name, hiddenRows);
    this.sheets.push(sheet);
    this.forgetIndexes();
    return sheet;
  }

  /** Drops the indexes of the sheets. Call it after a sheet was added or deleted. */
  private forgetIndexes(): void {
    this.byName = null;
    this.byId = null;
  }

  renameSheet(id: number, name: string): void {
    this.ensureOwnSheet(id).name = name;
    this.byName = null;
  }

  /** Finds a sheet by name, in any letter case and Unicode form. */
  sheetByName(name: string): Sheet | undefined {
    this.byName ??= indexSheetNames(this.sheets);
    const id = this.byName.get(nameKey(name));
    return id === undefined ? undefined : this.sheet(id);
  }

  /** Adds a sheet of a stored state with its id at a zero-based position. Copies all its contents. */
  insertSheet(stored: Sheet, position: number): Sheet {
    const columns = stored.columns.map((column) => column && this.copyColumn(column));
    const sheet = new Sheet(this.revision, stored, columns);
    this.sheets.splice(position, 0, sheet);
    this.forgetIndexes();
    return sheet;
  }

  /** Adds a copy of a sheet at the end. Its formulas belong to `writer`. */
  duplicateSheet(id: number, name: string, writer: number | null): Sheet {
    const from = this.requireSheet(id);
    const to = this.nextSheetId++;
    this.settle();
    const fields = { ...from, id: to, name, hidden: false, spills: new Map(from.spills) };
    const columns = from.columns.map((column, index) => {
      if (!column) return undefined;
      const ownColumn = this.copyColumn(column);
      ownColumn.runList = column.runs.map((run) => ({ ...run, sheet: to, column: index, writer }));
      return ownColumn;
    });
    const sheet = new Sheet(this.revision, fields, columns);
    this.sheets.push(sheet);
    this.forgetIndexes();
    return sheet;
  }

  private copyColumn({ chunks, runList, format }: Column): Column {
    const copies = chunks.toList().map((chunk) => chunk?.copy(this.revision, chunk.rows, this));
    for (const copy of copies) if (copy) this.addOwnChunk(copy);
    return new Column(this.revision, ChunkTable.fromList(copies), runList, format);
  }

  /** Orders the sheets by a list of ids. Sheets that are not in the list come last. */
  orderSheets(ids: readonly number[]): void {
    const place = (id: number) => (ids.includes(id) ? ids.indexOf(id) : ids.length);
    this.sheets = this.sheets.slice().sort((a, b) => place(a.id) - place(b.id));
  }

  deleteSheet(id: number): void {
    this.sheets = this.sheets.filter((sheet) => sheet.id !== id);
    this.forgetIndexes();
  }

  /** Moves cells, but not formulas: the caller must update runs, and the references in names and tables. */
  moveCells(move: Move): void {
    const { moved, revision } = this;
    const touched = [...listMoveSheets(move)];
    this.settle();
    for (const id of touched) makeChangedChunks(this.sheet(id)?.columns ?? [], moved.sheetById(id)?.columns ?? []);
    const after = moveCells(moved, move, revision);
    for (const { id, layout } of this.sheets) {
      if (touched.includes(id) || layout.attachments.length === 0) continue;
      const same = moved.sheetById(id)?.layout === layout ? after.sheetById(id)?.layout : undefined;
      const followed = same ?? moveLayoutReferences(this.requireSheet(id), move);
      if (followed !== layout) this.ensureOwnSheet(id).layout = followed;
    }
    const like = { before: moved, after };
    const sheetOf = (id: number) => this.sheet(id);
    const parts = touched.map(
      (id) => [id, moveDraftSheet(this.requireSheet(id), move, sheetOf, revision, like)] as const,
    );
    for (const [id, { columns, spills, hiddenRows, layout }] of parts) {
      const ownSheet = this.ensureOwnSheet(id);
      ownSheet.columns = columns;
      ownSheet.spills = spills;
      ownSheet.hiddenRows = hiddenRows;
      ownSheet.layout = layout;
      ownSheet.forgetExtent();
      this.spills.dropIndexes(id);
    }
    this.moveList ??= [];
    this.moveList.push(move);
    this.moved = after;
  }

  ensureOwnColumn(sheet: Sheet, column: number): Column {
    this.writes++;
    const existingColumn = sheet.columns[column];
    if (existingColumn && existingColumn.revision === this.revision) return existingColumn;
    const ownColumn = existingColumn
      ? existingColumn.copy(this.revision)
      : new Column(this.revision, ChunkTable.empty(), [], GENERAL);
    while (sheet.columns.length < column) sheet.columns.push(undefined);
    sheet.columns[column] = ownColumn;
    return ownColumn;
  }

  /** Returns the draft's own chunk for a zero-based row of the sheet, with capacity for that row. */
  ensureOwnChunk(column: Column, row: number): Chunk {
    const block = row >> CHUNK_SHIFT;
    const rows = (row & CHUNK_MASK) + 1;
    column.writes++;
    const chunk = column.chunks.at(block);
    if (chunk?.isOwnedByDraft(this.revision) && chunk.rows >= rows) return chunk;
    // If the previous chunk is full, this one will probably be filled too, so it gets full capacity.
    const room = column.chunks.at(block - 1)?.rows === CHUNK_ROWS ? CHUNK_ROWS : rows;
    const ownChunk = chunk?.copy(this.revision, rows, this) ?? Chunk.empty(this.revision, room, column.format, this);
    column.chunks.set(block, ownChunk);
    this.addOwnChunk(ownChunk);
    return ownChunk;
  }

  /** Sets one cell. `flags`: `FORMULA` or `SPILLED` for the result of a formula, else 0. */
  set(sheetId: number, row: number, column: number, value: Scalar, flags: number): void {
    const sheet = this.ensureOwnSheet(sheetId);
    if (value === null) sheet.forgetExtent();
    else sheet.growExtent(row + 1, column + 1);
    this.ensureOwnChunk(this.ensureOwnColumn(sheet, column), row).set(row & CHUNK_MASK, value, flags);
  }

  /**
   * Sets a cell to the result of a formula. The sheet must be the draft's own. Returns true if the value changed;
   * otherwise nothing is copied.
   */
  setDerived(sheet: Sheet, row: number, column: number, value: Scalar, flags: number): boolean {
    const chunk = sheet.columns[column]?.chunks.at(row >> CHUNK_SHIFT);
    const at = row & CHUNK_MASK;
    const same = chunk ? chunk.value(at) === value : value === null;
    if (same && (value === null || ((chunk?.kind(at) ?? EMPTY) & ~TYPE_MASK) === flags)) return false;
    this.set(sheet.id, row, column, value, flags);
    return !same;
  }

  /** Sets a cell to the number that its formula returned; otherwise like `setDerived`. */
  setResult(sheet: Sheet, row: number, column: number, number: number): boolean {
    const at = row & CHUNK_MASK;
    const chunk = sheet.columns[column]?.chunks.at(row >> CHUNK_SHIFT);
    if (chunk?.kind(at) !== RESULT) return this.setDerived(sheet, row, column, number, FORMULA);
    if (chunk.number(at) === number) return false;
    this.ensureOwnChunk(this.ensureOwnColumn(sheet, column), row).setNumber(at, RESULT, number);
    return true;
  }

  /**
   * Sets rows of one column to numbers of one kind: `NUMBER` for entered numbers, `RESULT` for results. The rows must
   * be in one chunk. Calls `changed` for each span of rows whose values change; if there is none, nothing is copied.
   */
  setNumbers(
    kind: number,
    sheetId: number,
    column: number,
    first: number,
    values: Float64Array,
    count: number,
    changed: (first: number, last: number) => void,
  ): void {
    const sheet = this.ensureOwnSheet(sheetId);
    sheet.growExtent(first + count, column + 1);
    const from = first & CHUNK_MASK;
    const base = first - from;
    const ownColumn = this.ensureOwnColumn(sheet, column);
    const chunk = ownColumn.chunks.at(first >> CHUNK_SHIFT);
    let isSame = chunk?.areAllOfKind(kind, from, count) ?? false;
    if (chunk) {
      chunk.reportChanges(from, values, count, (a, b) => {
        isSame = false;
        changed(base + a, base + b);
      });
    } else changed(first, first + count - 1);
    if (isSame) return;
    this.ensureOwnChunk(ownColumn, first + count - 1).setNumbers(kind, from, values, count);
  }

  /** Returns the chunk of the base snapshot if these rows are all its rows and have numeric results; else null. */
  findWholeResults(sheet: Sheet, column: number, first: number, count: number): Chunk | null {
    const chunk = sheet.columns[column]?.chunks.at(first >> CHUNK_SHIFT);
    if (!chunk || chunk.revision === this.revision || chunk.rows !== count || (first & CHUNK_MASK) !== 0) return null;
    return chunk.uniformKind() === RESULT ? chunk : null;
  }

  allocateNumbers(length: number): Float64Array {
    this.arena ??= new NumberArena(this.expectedChunks);
    return this.arena.allocateNumbers(length);
  }

  /** Replaces the numbers of a chunk that `findWholeResults` returned; `allocateNumbers` made the new numbers. */
  replaceResults(sheet: Sheet, column: number, chunk: Chunk, block: number, numbers: Float64Array): void {
    const ownChunk = chunk.withNumbers(this.revision, numbers);
    const owner = this.ensureOwnColumn(sheet, column);
    owner.writes++;
    owner.chunks.set(block, ownChunk);
    this.addOwnChunk(ownChunk);
  }

  /** Sets rows of one column to spilled values, with 0 for blanks. The rows must be in one chunk. */
  setSpilled(
    sheetId: number,
    column: number,
    first: number,
    count: number,
    valueAt: (i: number) => Scalar,
    onChanged: (first: number, last: number) => void,
  ): void {
    const sheet = this.ensureOwnSheet(sheetId);
    sheet.growExtent(first + count, column + 1);
    const from = first & CHUNK_MASK;
    const base = first - from;
    const chunk = this.ensureOwnChunk(this.ensureOwnColumn(sheet, column), first + count - 1);
    chunk.setSpilled(from, count, valueAt, (a, b) => onChanged(base + a, base + b));
  }

  /** Sets a cell's number format. Returns true if it changed. */
  setFormat(sheetId: number, row: number, column: number, format: number): boolean {
    const sheet = this.requireSheet(sheetId);
    if (sheet.format(row, column) === format) return false;
    this.hasNewFormats = true;
    const ownColumn = this.ensureOwnColumn(this.ensureOwnSheet(sheetId), column);
    const uniform = ownColumn.chunks.at(row >> CHUNK_SHIFT)?.formats ?? ownColumn.format;
    // Formats by row exist only for the rows of the chunk. With another uniform format it must therefore have all rows.
    const isWhole = typeof uniform === 'number' && uniform !== GENERAL;
    this.ensureOwnChunk(ownColumn, isWhole ? row | CHUNK_MASK : row).setFormat(row & CHUNK_MASK, format);
    return true;
  }

  setRuns(sheetId: number, column: number, runs: readonly Run[]): void {
    this.ensureOwnColumn(this.ensureOwnSheet(sheetId), column).runList = runs;
  }

  /** Ends changes of the draft's chunks, so that others may share their arrays. Later writes copy the arrays first. */
  private settle(): void {
    while (this.lastOwnChunk !== null) {
      const chunk = this.lastOwnChunk;
      this.lastOwnChunk = chunk.earlierOwn;
      chunk.earlierOwn = null;
      chunk.settle();
    }
  }

  private addOwnChunk(chunk: Chunk): void {
    chunk.earlierOwn = this.lastOwnChunk;
    this.lastOwnChunk = chunk;
  }

  /** Ends the draft and returns the snapshot. The draft must not be changed afterwards. */
  publish(): Snapshot {
    this.settle();
    return new Snapshot(this);
  }
}
