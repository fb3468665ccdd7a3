import type { Coordinate } from '../formula/ast.ts';
import type { Interval, IntervalVisitor } from '../grid/interval-index.ts';
import type { Run } from '../sheet/template.ts';
import { type Precedent, resolveColumnSpan, resolveRowSpan } from './precedent.ts';
import { SheetIndex } from './sheet-index.ts';

/** One reference of one run, with the rows and columns that the cells of the run read through it. */
export interface Edge extends Precedent, Interval {
  readonly entry: RunEntry;
  first: number;
  last: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
  /** False if the run does not read the cells, so that only moves of them concern it. */
  readonly isRead: boolean;
}

/** A run in the graph. */
export class RunEntry {
  /** The run. When its rows are shifted, it is replaced by a new run of the same formula. */
  run: Run;
  /** True if the run has one cell, for which most operations are simpler. */
  readonly isCell: boolean;
  readonly edges: readonly Edge[];
  /**
   * True if the edges represent the formula completely, one edge per reference: it uses no names, no tables, no other
   * workbook, and no cells outside the grid.
   */
  readonly isNamedWhole: boolean;
  /** The task of the current recalculation for the run; null between recalculations. A field is faster than a map. */
  task: object | null = null;

  constructor(run: Run, precedents: readonly Precedent[], hasOtherReferences: boolean) {
    this.run = run;
    this.isCell = run.top === run.bottom;
    // The array is created with its final length to save memory: a document may have hundreds of thousands of such
    // arrays.
    const edges = precedents.map((precedent) => createEdge(this, precedent));
    this.isNamedWhole = !hasOtherReferences && !edges.includes(null);
    this.edges = edges.includes(null) ? edges.filter((edge) => edge !== null) : (edges as Edge[]);
  }
}

/**
 * The dependencies of formulas, with one edge per reference of a run instead of one per cell (the compressed formula
 * graph of Chen et al., ICDE 2023). It belongs to the head of the workbook; snapshots do not contain it.
 */
export class DependencyGraph {
  private readonly sheets = new Map<number, SheetIndex<Edge>>();
  private readonly entries = new Map<Run, RunEntry>();

  /** All runs with their edges. */
  runs(): Iterable<RunEntry> {
    return this.entries.values();
  }

  /** The entry of a run; undefined if the graph does not contain it. */
  findEntry(run: Run): RunEntry | undefined {
    return this.entries.get(run);
  }

  /** Adds a run. `hasOtherReferences`: the formula also reads cells by names, tables or other means. */
  add(run: Run, precedents: readonly Precedent[], hasOtherReferences = false): void {
    const entry = new RunEntry(run, precedents, hasOtherReferences);
    for (const edge of entry.edges) this.ensureSheetIndex(edge.sheet).add(edge);
    this.entries.set(run, entry);
  }

  /** Removes a run with its edges. */
  remove(run: Run): void {
    const entry = this.entries.get(run);
    if (!entry) return;
    this.entries.delete(run);
    for (const edge of entry.edges) this.ensureSheetIndex(edge.sheet).remove(edge);
  }

  /**
   * Shifts runs of one sheet by rows, together with the cells that they read. `runs`: the shifted runs, in the order of
   * `entries`. It is fast because no entry is rebuilt.
   */
  shiftRuns(rows: number, entries: readonly RunEntry[], runs: readonly Run[]): void {
    for (const entry of entries) this.entries.delete(entry.run);
    for (const [i, entry] of entries.entries()) {
      entry.run = runs[i]!;
      this.entries.set(entry.run, entry);
      for (const edge of entry.edges) {
        edge.first += rows;
        edge.last += rows;
      }
    }
    const [first] = runs;
    if (first !== undefined) this.ensureSheetIndex(first.sheet).refresh();
  }

  /**
   * Passes the edges of runs that read a cell of the area to `visitor`, which must not change the graph. May pass an
   * edge twice.
   */
  visitEdges(
    sheet: number,
    top: number,
    left: number,
    bottom: number,
    right: number,
    visitor: IntervalVisitor<Edge>,
  ): void {
    this.sheets.get(sheet)?.visitReads(top, left, bottom, right, visitor);
  }

  /** The index of the references to a sheet; creates it if there is none. */
  private ensureSheetIndex(id: number): SheetIndex<Edge> {
    let index = this.sheets.get(id);
    if (!index) {
      index = new SheetIndex();
      this.sheets.set(id, index);
    }
    return index;
  }
}

/** The edge of one reference of a run; null if no cell of the run reads a cell of the grid through it. */
function createEdge(entry: RunEntry, precedent: Precedent): Edge | null {
  const { run } = entry;
  const columns = resolveColumnSpan(precedent, run.column);
  const rows = resolveRowSpan(precedent, run.top, run.bottom);
  if (!columns || !rows) return null;
  const { sheet, top, left, bottom, right } = precedent;
  const { left: firstColumn, right: lastColumn } = columns;
  const { top: first, bottom: last } = rows;
  const isRead = precedent.isUnread !== true;
  return { entry, sheet, top, left, bottom, right, firstColumn, lastColumn, first, last, isRead, dead: false };
}

/** Returns the rows of the edge's run that read any of rows `first` to `last`; null for none. */
export function findReadingRows(edge: Edge, first: number, last: number): { first: number; last: number } | null {
  const rows = findIntersectingRows(edge.top, edge.bottom, first, last);
  if (!rows) return null;
  const { run } = edge.entry;
  const from = Math.max(rows.first, run.top);
  const to = Math.min(rows.last, run.bottom);
  return from <= to ? { first: from, last: to } : null;
}

const EVERY_ROW = { first: 0, last: Number.MAX_SAFE_INTEGER };

/**
 * Returns the rows whose reference from `top` to `bottom` intersects rows `first` to `last`, as the smallest interval
 * that contains them.
 */
function findIntersectingRows(top: Coordinate, bottom: Coordinate, first: number, last: number) {
  if (top.absolute && bottom.absolute) return EVERY_ROW;
  if (!top.absolute && !bottom.absolute) {
    const low = Math.min(top.at, bottom.at);
    const high = Math.max(top.at, bottom.at);
    return { first: first - high, last: last - low };
  }
  return top.absolute
    ? findGrowingReaders(top.at, bottom.at, first, last)
    : findGrowingReaders(bottom.at, top.at, first, last);
}

/**
 * Returns the reading rows of a reference with one absolute and one relative corner: `A$1:A1`. From the absolute corner
 * on, the range grows downwards; above it, the range grows upwards.
 */
function findGrowingReaders(fixed: number, offset: number, first: number, last: number) {
  const below = fixed <= last;
  const above = fixed >= first;
  if (below && above) return EVERY_ROW;
  if (below) return { first: Math.max(fixed, first) - offset, last: Number.MAX_SAFE_INTEGER };
  if (above) return { first: 0, last: Math.min(fixed - 1, last) - offset };
  return null;
}
