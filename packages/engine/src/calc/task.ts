import type { RunEntry } from '../graph/dependency-graph.ts';
import { IntervalSet } from '../graph/interval-set.ts';
import type { Run } from '../sheet/template.ts';

const UNDER_WAY = 1;
const FINISHED = 2;

/** Tasks of one cell need no set of rows; this one stays empty. */
const NO_ROWS = new IntervalSet();

/** A list of tasks as one link after the other: most have one or two, for which an array would be mostly room. */
export interface TaskLink {
  readonly task: Task;
  readonly next: TaskLink | null;
}

/** A run's rows to calculate in one wave. */
export class Task {
  readonly entry: RunEntry;
  readonly run: Run;
  /** Its run has one row: that is to be calculated once it was marked, and `rows` says nothing. */
  readonly isCell: boolean;
  readonly rows: IntervalSet;
  /** Times that rows were marked. */
  steps = 0;
  /** Tasks whose rows it reads, some more than once: they come first. */
  precedents: TaskLink | null = null;
  /** Some of its rows read others of them. */
  readsItself = false;
  /** Its formulas are new: their results may take on a number format. */
  isNew = false;
  state: 'waiting' | 'open' | 'done' = 'waiting';
  /** Its place on the way from the first open task to this one. */
  depth = 0;
  /** It is part of a circle of runs, which need not be a circle of cells: its cells are calculated on demand. */
  circular = false;
  /** Rows calculated on demand, by row - run.top; null while there are none. */
  private demanded: Uint8Array | null = null;

  constructor(entry: RunEntry) {
    this.entry = entry;
    this.run = entry.run;
    this.isCell = entry.isCell;
    this.rows = entry.isCell ? NO_ROWS : new IntervalSet();
  }

  /** Its rows read what `source` calculates. */
  comesAfter(source: Task): void {
    if (source === this) this.readsItself = true;
    else this.precedents = { task: source, next: this.precedents };
  }

  /** Calls `visit` with each stretch of rows to calculate. */
  forEach(visit: (first: number, last: number) => void): void {
    if (this.isCell) visit(this.run.top, this.run.top);
    else this.rows.forEach(visit);
  }

  has(row: number): boolean {
    return this.isCell ? row === this.run.top : this.rows.has(row);
  }

  /** The first and the last row to calculate. */
  hull(): { readonly first: number; readonly last: number } {
    return this.isCell ? { first: this.run.top, last: this.run.top } : this.rows.hull();
  }

  /** The first row from `first` to `last` that is still to be calculated; -1 for none. */
  firstWaiting(first: number, last: number): number {
    if (!this.isCell) return this.rows.find(first, last, (row) => !this.isFinished(row));
    const { top } = this.run;
    return first <= top && top <= last && !this.isFinished(top) ? top : -1;
  }

  /** Whether some rows were calculated before the run's turn came. */
  get isBegun(): boolean {
    return this.demanded !== null;
  }

  isFinished(row: number): boolean {
    return this.demanded !== null && this.demanded[row - this.run.top] === FINISHED;
  }

  isUnderWay(row: number): boolean {
    return this.demanded !== null && this.demanded[row - this.run.top] === UNDER_WAY;
  }

  begin(row: number): void {
    this.note(row, UNDER_WAY);
  }

  finish(row: number): void {
    this.note(row, FINISHED);
  }

  private note(row: number, progress: number): void {
    this.demanded ??= new Uint8Array(this.run.bottom - this.run.top + 1);
    this.demanded[row - this.run.top] = progress;
  }

  /** Whether the row is still to be calculated in this wave. */
  awaits(row: number): boolean {
    return this.state !== 'done' && this.has(row) && !this.isFinished(row);
  }
}
