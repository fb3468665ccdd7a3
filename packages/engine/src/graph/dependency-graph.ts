import type { Coordinate } from '../formula/ast.ts';
import { type Interval, IntervalIndex } from '../grid/interval-index.ts';
import type { Run } from '../sheet/template.ts';
import { columnSpan, type Precedent, rowSpan } from './precedents.ts';

/** References over more columns than this are kept in one list a sheet instead of in each column's index. */
const MAX_INDEXED_COLUMNS = 32;

/** One reference of one run, with the rows and columns that the run's cells read by it. */
export interface Edge extends Precedent, Interval {
  readonly entry: RunEntry;
  first: number;
  last: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
}

/** What the graph knows of a run. */
export class RunEntry {
  /** Another one of the same formula once its rows have been shifted. */
  run: Run;
  /** Of one cell only, which makes most things simpler. */
  readonly isCell: boolean;
  readonly edges: readonly Edge[];
  /** Each reference of the formula is one edge: it names nothing through names or tables, elsewhere, or off the grid. */
  readonly isNamedWhole: boolean;
  /** The recalculation's note that the run is dirty; null between recalculations. A map of them would cost a search. */
  task: object | null = null;

  constructor(run: Run, precedents: readonly Precedent[], namesMore: boolean) {
    this.run = run;
    this.isCell = run.top === run.bottom;
    // Of just the length there is: a document may have hundreds of thousands of them.
    const edges = precedents.map((precedent) => createEdge(this, precedent));
    this.isNamedWhole = !namesMore && !edges.includes(null);
    this.edges = edges.includes(null) ? edges.filter((edge) => edge !== null) : (edges as Edge[]);
  }
}

/** The edges into one sheet. */
class SheetIndex {
  private readonly columns: (IntervalIndex<Edge> | undefined)[] = [];
  private readonly wide = new IntervalIndex<Edge>();

  add(edge: Edge): void {
    if (edge.lastColumn - edge.firstColumn >= MAX_INDEXED_COLUMNS) return this.wide.add(edge);
    for (let column = edge.firstColumn; column <= edge.lastColumn; column++) this.column(column).add(edge);
  }

  remove(edge: Edge): void {
    if (edge.lastColumn - edge.firstColumn >= MAX_INDEXED_COLUMNS) return this.wide.remove(edge);
    for (let column = edge.firstColumn; column <= edge.lastColumn; column++) this.column(column).remove(edge);
  }

  /** Edges have been shifted. */
  refresh(): void {
    for (const index of this.columns) index?.refresh();
    this.wide.refresh();
  }

  private column(column: number): IntervalIndex<Edge> {
    let index = this.columns[column];
    if (!index) {
      while (this.columns.length < column) this.columns.push(undefined);
      index = new IntervalIndex();
      this.columns[column] = index;
    }
    return index;
  }

  find(top: number, left: number, bottom: number, right: number, found: Edge[]): void {
    const last = Math.min(right, this.columns.length - 1);
    for (let column = left; column <= last; column++) this.columns[column]?.find(top, bottom, found);
    if (this.wide.size === 0) return;
    const wide: Edge[] = [];
    this.wide.find(top, bottom, wide);
    for (const edge of wide) if (edge.firstColumn <= right && edge.lastColumn >= left) found.push(edge);
  }
}

/**
 * Who reads what, an edge for each reference of a run and not of a cell (the compressed formula graph of Chen et al.,
 * ICDE 2023). It follows the runs of the writer's head; snapshots don't need it.
 */
export class DependencyGraph {
  private readonly sheets = new Map<number, SheetIndex>();
  private readonly entries = new Map<Run, RunEntry>();

  /** Every run with what it reads. */
  runs(): Iterable<RunEntry> {
    return this.entries.values();
  }

  entry(run: Run): RunEntry | undefined {
    return this.entries.get(run);
  }

  /** `namesMore`: the formula names cells by other means than these, too. */
  add(run: Run, precedents: readonly Precedent[], namesMore = false): void {
    const entry = new RunEntry(run, precedents, namesMore);
    for (const edge of entry.edges) this.sheet(edge.sheet).add(edge);
    this.entries.set(run, entry);
  }

  remove(run: Run): void {
    const entry = this.entries.get(run);
    if (!entry) return;
    this.entries.delete(run);
    for (const edge of entry.edges) this.sheet(edge.sheet).remove(edge);
  }

  /**
   * Runs have been shifted on one sheet by so many rows, with all that they read: `runs` is what each is now. Takes time
   * by run, but little, and nothing of it is made anew.
   */
  shift(rows: number, entries: readonly RunEntry[], runs: readonly Run[]): void {
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
    if (first !== undefined) this.sheet(first.sheet).refresh();
  }

  /** Adds to `found` the edges by which some run reads a cell of the area; one may come more than once. */
  edgesInto(sheet: number, top: number, left: number, bottom: number, right: number, found: Edge[]): void {
    this.sheets.get(sheet)?.find(top, left, bottom, right, found);
  }

  private sheet(id: number): SheetIndex {
    let index = this.sheets.get(id);
    if (!index) {
      index = new SheetIndex();
      this.sheets.set(id, index);
    }
    return index;
  }
}

function createEdge(entry: RunEntry, precedent: Precedent): Edge | null {
  const { run } = entry;
  const columns = columnSpan(precedent, run.column);
  const rows = rowSpan(precedent, run.top, run.bottom);
  if (!columns || !rows) return null;
  const { sheet, top, left, bottom, right } = precedent;
  const { left: firstColumn, right: lastColumn } = columns;
  const { top: first, bottom: last } = rows;
  return { entry, sheet, top, left, bottom, right, firstColumn, lastColumn, first, last, dead: false };
}

/** The rows of the edge's run that read some of rows `first` to `last` by it; null for none. */
export function readingRows(edge: Edge, first: number, last: number): { first: number; last: number } | null {
  const rows = rowsReading(edge.top, edge.bottom, first, last);
  if (!rows) return null;
  const { run } = edge.entry;
  const from = Math.max(rows.first, run.top);
  const to = Math.min(rows.last, run.bottom);
  return from <= to ? { first: from, last: to } : null;
}

const EVERY_ROW = { first: 0, last: Number.MAX_SAFE_INTEGER };

/** The rows r whose reference from `top` to `bottom` meets rows `first` to `last`, as one interval around them. */
function rowsReading(top: Coordinate, bottom: Coordinate, first: number, last: number) {
  if (top.absolute && bottom.absolute) return EVERY_ROW;
  if (!top.absolute && !bottom.absolute) {
    const low = Math.min(top.at, bottom.at);
    const high = Math.max(top.at, bottom.at);
    return { first: first - high, last: last - low };
  }
  return top.absolute ? growingReaders(top.at, bottom.at, first, last) : growingReaders(bottom.at, top.at, first, last);
}

/** Readers with one fixed corner and one moving: `A$1:A1`. Rows at and below the fixed corner grow down, others up. */
function growingReaders(fixed: number, offset: number, first: number, last: number) {
  const below = fixed <= last;
  const above = fixed >= first;
  if (below && above) return EVERY_ROW;
  if (below) return { first: Math.max(fixed, first) - offset, last: Number.MAX_SAFE_INTEGER };
  if (above) return { first: 0, last: Math.min(fixed - 1, last) - offset };
  return null;
}
