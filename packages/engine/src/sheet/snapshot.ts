import type { Node } from '../formula/ast.ts';
import { nameKey } from '../formula/index.ts';
import { type Area, contains } from '../grid/area.ts';
import type { DateSystem } from '../locale/date-system.ts';
import type { LocaleId } from '../locale/locales.ts';
import type { Scalar } from '../value/scalar.ts';
import { EMPTY, SPILLED } from './cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT, type Chunk } from './chunk.ts';
import { ChunkTable } from './chunk-table.ts';
import type { ColumnExtremes } from './column-extremes.ts';
import type { ColumnStatistics } from './column-statistics.ts';
import type { ColumnTotals } from './column-totals.ts';
import { type FormatTable, GENERAL } from './formats.ts';
import { type Layout, PLAIN_LAYOUT } from './layout.ts';
import { type ChunkSource, filledRows, MovedChunks } from './moves/moved-chunks.ts';
import { findRunAt, isLazy, type Run, type RunList } from './template.ts';

/**
 * Settings of the whole document. They determine how texts are read, how values are displayed, and how days are
 * counted.
 */
export interface DocumentSettings {
  readonly locale: LocaleId;
  readonly dateSystem: DateSystem;
  /** IANA name of the time zone; `UTC` by default. */
  readonly timeZone: string;
}

/** The filled area of an array formula. */
export interface Spill {
  /** The filled area. Its top left cell is the anchor. */
  readonly area: Area;
  /** True for a fixed array formula (Ctrl+Shift+Enter), which keeps its area for any result. */
  readonly fixed: boolean;
  /**
   * True if only the anchor is filled, because another cell of the area is not empty (`#SPILL!`). `area` is then the
   * area that the array needs.
   */
  readonly blocked: boolean;
  /**
   * Present for a blocked spill whose result depends on the cells that it would fill (`#REF!`). Formulas that read
   * `area` still depend on the anchor.
   */
  readonly circular?: true;
}

/**
 * One column: its cells by chunk, its formulas by run, and the number format of unwritten cells. A published column
 * changes only as `Snapshot` describes.
 */
export class Column {
  readonly revision: number;
  /** The chunks, or the data from which they are created if rows moved. */
  private chunkSource: ChunkSource;
  /** `chunkSource` if it is a table; null if the table is created from other data. */
  private readyTable: ChunkTable | null;
  /** The table of chunks of a column whose rows moved. Chunks are added when they are read. */
  private movedTable: ChunkTable | null = null;
  /** Runs of formulas in row order. */
  runList: RunList;
  readonly format: number;
  /** Number of changes of a draft's own copy; caches compare it. */
  writes = 0;
  /** The last computed sum of rows of the column. */
  totals: ColumnTotals | null = null;
  /** The last computed extremes of rows of the column. */
  extremes: ColumnExtremes | null = null;
  /** The last computed statistics of rows of the column. */
  statistics: ColumnStatistics | null = null;

  /** `chunks`: owned by the new column. */
  constructor(revision: number, chunks: ChunkSource, runs: RunList, format: number) {
    this.revision = revision;
    this.chunkSource = chunks;
    this.readyTable = chunks instanceof MovedChunks ? null : chunks;
    this.runList = runs;
    this.format = format;
  }

  /** Chunks by block of 256 rows. */
  get chunks(): ChunkTable {
    return this.readyTable ?? this.makeTable();
  }

  private makeTable(): ChunkTable {
    const { chunkSource } = this;
    if (!(chunkSource instanceof MovedChunks)) return chunkSource;
    const movedTable = this.movedTable ?? chunkSource.makeTable().copy();
    const { isWhole } = movedTable;
    this.chunkSource = isWhole ? movedTable : chunkSource;
    this.readyTable = isWhole ? movedTable : null;
    this.movedTable = isWhole ? null : movedTable;
    return movedTable;
  }

  /** Creates all missing chunks. Later moves use them. */
  makeAll(): void {
    this.chunks.makeAll();
    // The getter `chunks` creates the table.
    void this.chunks;
  }

  /** Maximum number of chunks. Does not create chunks of moved rows. */
  get blocks(): number {
    const { source } = this;
    return source instanceof MovedChunks ? source.blocks : source.length;
  }

  /** The source from which another column creates the chunks of rows that move to it. */
  get source(): ChunkSource {
    return this.movedTable?.isChanged ? this.movedTable : this.chunkSource;
  }

  /** Returns a copy that a draft may change. */
  copy(revision: number, runs: RunList = this.runList, format: number = this.format): Column {
    const { source } = this;
    return new Column(revision, source instanceof MovedChunks ? source : source.copy(), runs, format);
  }

  /** All runs as objects. To find a single run, use `findRunAt`. */
  get runs(): readonly Run[] {
    return isLazy(this.runList) ? this.runList.list() : this.runList;
  }

  /** One past the last row with a value or formula. */
  filledRows(): number {
    const { source } = this;
    return source instanceof MovedChunks ? source.filledRows() : filledRows(source, 0, source.length << CHUNK_SHIFT);
  }
}

/**
 * Returns the blocks of 256 rows whose chunks differ from an earlier state of a column, in order. After a move a chunk
 * may be missing. It must be fast: every commit calls this for columns with thousands of chunks.
 */
export function findChangedBlocks(before: Column | undefined, after: Column): readonly number[] {
  return after.chunks.findChangedBlocks(before?.chunks ?? NO_CHUNKS);
}

const NO_CHUNKS = ChunkTable.empty();

/** The used size of a sheet. */
export interface Extent {
  /** One past the last row and column with a value or formula. */
  readonly rows: number;
  readonly columns: number;
}

/** One sheet at one revision. A published sheet changes only as `Snapshot` describes. */
export class Sheet {
  readonly revision: number;
  readonly id: number;
  name: string;
  hidden: boolean;
  color: string | null;
  columns: (Column | undefined)[];
  /** Array formulas by the key of their anchor, `createAnchorKey(row, column)`. */
  spills: ReadonlyMap<number, Spill>;
  hiddenRows: ReadonlySet<number>;
  layout: Layout;
  private extentCache: Extent | null = null;

  constructor(revision: number, from: SheetFields, columns: (Column | undefined)[] = from.columns) {
    this.revision = revision;
    this.id = from.id;
    this.name = from.name;
    this.hidden = from.hidden;
    this.color = from.color;
    this.columns = columns;
    this.spills = from.spills;
    this.hiddenRows = from.hiddenRows;
    this.layout = from.layout;
  }

  /** Returns a copy that a draft may change. */
  copy(revision: number): Sheet {
    const copy = new Sheet(revision, this, this.columns.slice());
    copy.extentCache = this.extentCache;
    return copy;
  }

  chunk(column: number, block: number): Chunk | undefined {
    return this.columns[column]?.chunks.at(block);
  }

  /** The value of a cell; row and column are zero-based. Null for an empty cell and outside the grid. */
  value(row: number, column: number): Scalar {
    return this.columns[column]?.chunks.at(row >> CHUNK_SHIFT)?.value(row & CHUNK_MASK) ?? null;
  }

  /** The kind of a cell: its type and the flags of formulas and spilled cells. */
  kind(row: number, column: number): number {
    return this.columns[column]?.chunks.at(row >> CHUNK_SHIFT)?.kind(row & CHUNK_MASK) ?? EMPTY;
  }

  /**
   * The id of a cell's number format in `Snapshot.formats`. A cell that was never written has the format of its column.
   */
  format(row: number, column: number): number {
    const existingColumn = this.columns[column];
    if (!existingColumn) return GENERAL;
    const chunk = existingColumn.chunks.at(row >> CHUNK_SHIFT);
    return chunk ? chunk.format(row & CHUNK_MASK) : existingColumn.format;
  }

  /**
   * Returns the spill that fills a cell, which may be its anchor. Null if there is none, or if the spill is blocked.
   */
  spillAround(row: number, column: number): Spill | null {
    const anchoredSpill = this.spills.get(createAnchorKey(row, column));
    if (anchoredSpill !== undefined) return anchoredSpill.blocked ? null : anchoredSpill;
    if ((this.kind(row, column) & SPILLED) === 0) return null;
    for (const spill of this.spills.values()) {
      if (!spill.blocked && contains(spill.area, row, column)) return spill;
    }
    return null;
  }

  run(row: number, column: number): Run | undefined {
    const runs = this.columns[column]?.runList;
    return runs && runs.length > 0 ? findRunAt(runs, row) : undefined;
  }

  /** The used size: one past the last row and column with a value or formula. */
  extent(): Extent {
    this.extentCache ??= this.measure();
    return this.extentCache;
  }

  /** Extends the used size so that it includes a cell that was filled. */
  growExtent(rows: number, columns: number): void {
    const extent = this.extentCache;
    if (extent === null || (extent.rows >= rows && extent.columns >= columns)) return;
    this.extentCache = { rows: Math.max(extent.rows, rows), columns: Math.max(extent.columns, columns) };
  }

  /** Drops the used size, which is measured again on demand. Call it after a cell was emptied. */
  forgetExtent(): void {
    this.extentCache = null;
  }

  private measure(): Extent {
    let rows = 0;
    let columns = 0;
    for (let column = 0; column < this.columns.length; column++) {
      const filled = this.columns[column]?.filledRows() ?? 0;
      if (filled === 0) continue;
      columns = column + 1;
      if (filled > rows) rows = filled;
    }
    return { rows, columns };
  }
}

/** Clips an area to the used rows and columns of a sheet; null if nothing is left. */
export function clipToUsed(sheet: Sheet, bounds: Area): Area | null {
  const { rows, columns } = sheet.extent();
  const bottom = Math.min(bounds.bottom, rows - 1);
  const right = Math.min(bounds.right, columns - 1);
  if (bounds.top > bottom || bounds.left > right) return null;
  return { top: bounds.top, left: bounds.left, bottom, right };
}

/** A visible sheet without content. */
export function createEmptySheet(
  revision: number,
  id: number,
  name: string,
  hiddenRows: ReadonlySet<number> = new Set(),
): Sheet {
  const look = { id, name, hidden: false, color: null };
  return new Sheet(revision, { ...look, columns: [], spills: new Map(), hiddenRows, layout: PLAIN_LAYOUT });
}

export type SheetFields = Pick<
  Sheet,
  'id' | 'name' | 'hidden' | 'color' | 'columns' | 'spills' | 'hiddenRows' | 'layout'
>;

/** Returns the key of an anchor cell in `Sheet.spills`. */
export function createAnchorKey(row: number, column: number): number {
  return row * 16_384 + column;
}

/** A defined name. Its references are relative to A1. */
export interface DefinedName {
  readonly name: string;
  /** The id of the sheet if the name is scoped to one; absent for names of the whole document. */
  readonly sheet?: number;
  readonly node: Node;
}

export interface Table {
  readonly name: string;
  readonly sheet: number;
  readonly area: Area;
  readonly headerRow: boolean;
  readonly totalsRow: boolean;
  readonly columns: readonly string[];
}

/** Finds a sheet by name, in any letter case and Unicode form. */
export function findSheetByName<S extends { readonly name: string }>(
  sheets: readonly S[],
  name: string,
): S | undefined {
  const key = nameKey(name);
  return sheets.find((sheet) => nameKey(sheet.name) === key);
}

/** Ids of sheets by name key. */
export function indexSheetNames(sheets: readonly Sheet[]): Map<string, number> {
  const ids = new Map<string, number>();
  for (const sheet of sheets) {
    const key = nameKey(sheet.name);
    if (!ids.has(key)) ids.set(key, sheet.id);
  }
  return ids;
}

/** Maximum number of sheets that are searched one by one. More sheets are indexed. */
export const MAX_SEARCHED_SHEETS = 8;

/**
 * A document at one revision. Everything that is published is immutable for its readers: after `Draft.publish`, every
 * method of a Snapshot, and of each Sheet, Column, Chunk, Cells, Texts, Run or Template in it, always returns the same
 * result. Only these internal parts may change:
 * - caches of derived data: extents, sheets by id and name, totals of columns and chunks, uniform kinds, patched
 *   numbers as one array, runs as objects, a template's tree and compiled code;
 * - the location: numbers, texts and trees may move to memory that several threads share;
 * - `FormatTable`, which several snapshots share: formats are added, but an id always means the same format. No caller
 *   can observe this. A draft changes only its own copies, which have its revision. Writing to settled `Cells` throws.
 */
export class Snapshot {
  readonly revision: number;
  readonly settings: DocumentSettings;
  /** Sheets in their order. */
  readonly sheets: readonly Sheet[];
  readonly names: readonly DefinedName[];
  readonly tables: readonly Table[];
  readonly formats: FormatTable;
  /** File parts by name. The export writes them unchanged; no other code interprets them. */
  readonly carried: Readonly<Record<string, string>>;
  readonly nextSheetId: number;
  /** True if a formula uses TODAY or NOW. The document is then recalculated before the first read of a new day. */
  readonly hasClock: boolean;
  /** Sheets by id; created on demand, because every change creates a snapshot. */
  private byId: ReadonlyMap<number, Sheet> | null = null;
  private byName: ReadonlyMap<string, number> | null = null;

  constructor(fields: SnapshotFields) {
    this.revision = fields.revision;
    this.settings = fields.settings;
    this.sheets = fields.sheets;
    this.names = fields.names;
    this.tables = fields.tables;
    this.formats = fields.formats;
    this.carried = fields.carried;
    this.nextSheetId = fields.nextSheetId;
    this.hasClock = fields.hasClock;
  }

  /** Returns the sheet with an id. Renaming a sheet does not change its id. */
  sheetById(id: number): Sheet | undefined {
    if (this.sheets.length <= MAX_SEARCHED_SHEETS) {
      for (const sheet of this.sheets) if (sheet.id === id) return sheet;
      return undefined;
    }
    this.byId ??= new Map(this.sheets.map((sheet) => [sheet.id, sheet]));
    return this.byId.get(id);
  }

  hasSheet(id: number): boolean {
    return this.sheetById(id) !== undefined;
  }

  /** Returns the id itself; see `Draft.formulaSheet`. A published state has no `standIn`. */
  formulaSheet(id: number): number {
    return id;
  }

  /** Finds a sheet by name, in any letter case and Unicode form. */
  sheetByName(name: string): Sheet | undefined {
    if (this.sheets.length <= MAX_SEARCHED_SHEETS) return findSheetByName(this.sheets, name);
    this.byName ??= indexSheetNames(this.sheets);
    const id = this.byName.get(nameKey(name));
    return id === undefined ? undefined : this.sheetById(id);
  }
}

type SnapshotFields = Pick<
  Snapshot,
  'revision' | 'settings' | 'sheets' | 'names' | 'tables' | 'formats' | 'carried' | 'nextSheetId' | 'hasClock'
>;
