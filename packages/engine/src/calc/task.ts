import type { RunEntry } from '../graph/dependency-graph.ts';
import { IntervalSet } from '../graph/interval-set.ts';
import type { Run } from '../sheet/template.ts';

const UNDER_WAY = 1;
const FINISHED = 2;

/** Tasks of one cell need no set of rows; this one stays empty. */
const NO_ROWS = new IntervalSet();

/** A list of tasks as one link after the other: most have one or two, for which an array would be mostly room. */
interface TaskLink {
  readonly task: Task;
  readonly next: TaskLink | null;
}

/** Some tasks of a stretch, by their index there. */
interface CellTasksLink {
  readonly stretch: CellTasks;
  from: number;
  readonly to: number;
  readonly next: CellTasksLink | null;
}

/**
 * Tasks of single cells, one below the other. Hundreds of formulas may read thousands of them each: who comes after many
 * is linked to them once and not to every one.
 */
export class CellTasks {
  readonly top: number;
  readonly bottom: number;
  private readonly tasks: readonly Task[];
  /** By task: one further down with only done ones in between. A row of those is gone through once. */
  private readonly skips: Int32Array;

  /** `tasks`: by row, without a gap. */
  constructor(tasks: readonly Task[]) {
    this.tasks = tasks;
    this.top = tasks[0]!.run.top;
    this.bottom = this.top + tasks.length - 1;
    this.skips = Int32Array.from(tasks, (_, i) => i + 1);
  }

  /** The rows of `task` read what those from `first` to `last` calculate; its own cell may be among them. */
  precede(task: Task, first: number, last: number): void {
    const from = Math.max(first, this.top) - this.top;
    const to = Math.min(last, this.bottom) - this.top;
    const own = task.run.top - this.top;
    if (own < from || own > to || this.tasks[own] !== task) return this.link(task, from, to);
    task.comesAfter(task);
    this.link(task, from, own - 1);
    this.link(task, own + 1, to);
  }

  private link(task: Task, from: number, to: number): void {
    if (from === to) task.comesAfter(this.tasks[from]!);
    else if (from < to) task.stretches = { stretch: this, from, to, next: task.stretches };
  }

  /** The index of the first one from an index on that is not done. */
  firstOpen(from: number): number {
    const { tasks, skips } = this;
    let at = from;
    while (at < tasks.length && tasks[at]!.state === 'done') at = skips[at]!;
    for (let i = from; i < at; ) {
      const next = skips[i]!;
      skips[i] = at;
      i = next;
    }
    return at;
  }

  task(index: number): Task {
    return this.tasks[index]!;
  }
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
  private precedents: TaskLink | null = null;
  /** … and those of which it reads many that stand together. */
  stretches: CellTasksLink | null = null;
  /** Some of its rows read others of them. */
  readsItself = false;
  /** Its formulas are new: their results may take on a number format. */
  isNew = false;
  state: 'waiting' | 'visiting' | 'done' = 'waiting';
  /** Its place on the way from the first task visited to this one. */
  depth = 0;
  /** It is part of a circle of runs, which need not be a circle of cells: its cells are calculated on demand. */
  circular = false;
  /** Its tree names sheets that its writer may not see; null until somebody asks. */
  namesClosed: boolean | null = null;
  /** Rows calculated on demand, by row - run.top; null while there are none. */
  private demanded: Uint8Array | null = null;
  /** Beside it: a row further down with only finished ones in between. */
  private skips: Int32Array | null = null;

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

  /** A task that comes before this one and is not done; null once each has been given. */
  takePrecedent(): Task | null {
    for (let link = this.precedents; link !== null; link = link.next) {
      if (link.task.state === 'done') continue;
      this.precedents = link.next;
      return link.task;
    }
    this.precedents = null;
    for (; this.stretches !== null; this.stretches = this.stretches.next) {
      const link = this.stretches;
      const at = link.stretch.firstOpen(link.from);
      if (at > link.to) continue;
      link.from = at + 1;
      return link.stretch.task(at);
    }
    return null;
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
    const { top } = this.run;
    if (this.isCell) return first <= top && top <= last && !this.isFinished(top) ? top : -1;
    for (let row = this.rows.next(first); row >= 0 && row <= last; ) {
      const unfinished = this.firstUnfinished(row);
      if (unfinished === row) return row;
      row = this.rows.next(unfinished);
    }
    return -1;
  }

  /** The first row from one on that was not calculated on demand; a stretch of those is gone through once. */
  private firstUnfinished(row: number): number {
    const { demanded, skips } = this;
    if (demanded === null || skips === null) return row;
    const from = row - this.run.top;
    let at = from;
    while (demanded[at] === FINISHED) at = skips[at]!;
    for (let i = from; i < at; ) {
      const next = skips[i]!;
      skips[i] = at;
      i = next;
    }
    return this.run.top + at;
  }

  /** Nothing of it is left to calculate, as far as one look tells. */
  get isFinal(): boolean {
    return this.state === 'done' || (this.isCell && this.isFinished(this.run.top));
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
    const at = row - this.run.top;
    if (this.demanded === null || this.skips === null) {
      const rows = this.run.bottom - this.run.top + 1;
      this.demanded = new Uint8Array(rows);
      this.skips = new Int32Array(rows);
    }
    this.demanded[at] = progress;
    this.skips[at] = at + 1;
  }

  /** Whether the row is still to be calculated in this wave. */
  awaits(row: number): boolean {
    return this.state !== 'done' && this.has(row) && !this.isFinished(row);
  }
}
