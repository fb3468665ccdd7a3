import type { DependencyGraph, RunEntry } from '../../graph/dependency-graph.ts';
import { contains } from '../../grid/area.ts';
import { type Block, getMovePieces, type Move, type Piece } from '../../grid/move.ts';
import type { Draft } from '../../sheet/draft.ts';
import { findRun, type Run } from '../../sheet/template.ts';

/** Runs that move down by some rows together with all cells that they read. Their formulas do not change. */
export interface RowShift {
  readonly rows: number;
  readonly entries: readonly RunEntry[];
  /** The shifted run for each entry. */
  readonly runs: readonly Run[];
}

/** The runs of a sheet that a move only shifts. If lines are inserted or deleted, most runs are. */
export class ShiftedRuns {
  readonly shifts: readonly RowShift[];
  /** Other runs with cells that move. */
  readonly others = new Set<Run>();
  private readonly graph: DependencyGraph;
  private readonly pieces: readonly Piece[];
  /** For each column, the shifted run for each of its runs; undefined for runs that are not only shifted. */
  private readonly columns = new Map<number, (Run | undefined)[]>();

  constructor(draft: Draft, graph: DependencyGraph, move: Move) {
    const isWholeRows = move.kind !== 'carry' && move.axis === 'rows' && !('across' in move && move.across);
    const { pieces, lost } = getMovePieces(move);
    this.graph = graph;
    this.pieces = isWholeRows ? pieces : [];
    for (const block of isWholeRows ? lost : [...pieces, ...lost]) {
      for (const run of iterateRunsWithin(draft, block)) this.others.add(run);
    }
    const columns = draft.sheet(move.sheet)?.columns ?? [];
    this.shifts = this.pieces.map((piece) => {
      const shift = { rows: piece.rows, entries: [] as RunEntry[], runs: [] as Run[] };
      columns.forEach((existingColumn, column) => {
        if (existingColumn) this.shiftColumn(column, existingColumn.runs, piece, shift);
      });
      return shift;
    });
  }

  /** Adds the runs of a column that a move only shifts to `entries` and `runs`. */
  private shiftColumn(
    column: number,
    runs: readonly Run[],
    piece: Piece,
    { entries, runs: shifted }: { readonly entries: RunEntry[]; readonly runs: Run[] },
  ): void {
    const first = findRun(runs, piece.area.top);
    let places = this.columns.get(column);
    for (let i = first < 0 ? ~first : first; i < runs.length; i++) {
      const run = runs[i]!;
      if (run.top > piece.area.bottom) break;
      const entry = this.graph.findEntry(run);
      if (entry === undefined || !isShiftedWith(entry, piece)) {
        this.others.add(run);
        continue;
      }
      const { sheet, top, bottom, template, writer } = run;
      const to = { sheet, column, top: top + piece.rows, bottom: bottom + piece.rows, template, writer };
      places ??= new Array<Run | undefined>(runs.length);
      places[i] = to;
      entries.push(entry);
      shifted.push(to);
    }
    if (places) this.columns.set(column, places);
  }

  get changedColumns(): Iterable<number> {
    return this.columns.keys();
  }

  /**
   * Returns the shifted run for each run of a column, undefined for a run that is not only shifted. Undefined if the
   * column has no shifted runs.
   */
  shiftedRuns(column: number): readonly (Run | undefined)[] | undefined {
    return this.columns.get(column);
  }

  /** True if the move only shifts the run of an entry. */
  has(entry: RunEntry): boolean {
    return this.pieces.some((piece) => isShiftedWith(entry, piece));
  }
}

/** Runs with cells in a block. */
function* iterateRunsWithin(draft: Draft, { sheet, area }: Block): Generator<Run> {
  const columns = draft.sheet(sheet)?.columns ?? [];
  for (let column = area.left; column <= Math.min(area.right, columns.length - 1); column++) {
    const runs = columns[column]?.runs;
    if (runs === undefined) continue;
    const from = findRun(runs, area.top);
    for (let i = from < 0 ? ~from : from; i < runs.length && runs[i]!.top <= area.bottom; i++) {
      yield runs[i]!;
    }
  }
}

/**
 * True if the run's cells and all cells that its formulas name are in the moved lines of a piece, and all references
 * are relative.
 */
function isShiftedWith({ run, edges, isNamedWhole }: RunEntry, { sheet, area }: Piece): boolean {
  if (run.sheet !== sheet || !isNamedWhole || run.top < area.top || run.bottom > area.bottom) return false;
  for (const edge of edges) {
    if (edge.sheet !== sheet || edge.top.absolute || edge.bottom.absolute) return false;
    if (edge.first < area.top || edge.last > area.bottom) return false;
  }
  return contains(area, run.top, run.column);
}
