import type { RunEntry } from '../graph/dependency-graph.ts';
import { IntervalSet } from '../graph/interval-set.ts';
import type { Run } from '../sheet/template.ts';
import type { ClosedSheets } from './rights.ts';

const UNDER_WAY = 1;
const FINISHED = 2;

/** Shared empty set for the rows of tasks of one cell. These tasks do not use a set. */
const NO_ROWS = new IntervalSet();

/** A linked list of tasks. Most lists are short; an array would need more memory for them. */
interface TaskLink {
  readonly task: FormulaTask;
  readonly next: TaskLink | null;
}

/** A node of a linked list of cell tasks. */
interface CellTasksLink {
  readonly group: CellTasks;
  from: number;
  readonly to: number;
  readonly next: CellTasksLink | null;
}

/**
 * Adjacent tasks of single cells. Hundreds of formulas may each read thousands of them; such a formula is linked to the
 * group once instead of to each task.
 */
export class CellTasks {
  readonly top: number;
  readonly bottom: number;
  private readonly tasks: readonly FormulaTask[];
  /**
   * For each task, the index to which a search for an unfinished task jumps: the tasks in between are finished. Path
   * compression keeps chains short.
   */
  private readonly skips: Int32Array;

  /** `tasks`: in row order, without gaps. */
  constructor(tasks: readonly FormulaTask[]) {
    this.tasks = tasks;
    this.top = tasks[0]!.run.top;
    this.bottom = this.top + tasks.length - 1;
    this.skips = Int32Array.from(tasks, (_, i) => i + 1);
  }

  /** Records that `task` reads results of rows `first` to `last`. The cell of `task` may be one of them. */
  addReader(task: FormulaTask, first: number, last: number): void {
    const from = Math.max(first, this.top) - this.top;
    const to = Math.min(last, this.bottom) - this.top;
    const taskIndex = task.run.top - this.top;
    if (taskIndex < from || taskIndex > to || this.tasks[taskIndex] !== task) return this.linkRange(task, from, to);
    task.addPrecedent(task);
    this.linkRange(task, from, taskIndex - 1);
    this.linkRange(task, taskIndex + 1, to);
  }

  private linkRange(task: FormulaTask, from: number, to: number): void {
    if (from === to) task.addPrecedent(this.tasks[from]!);
    else if (from < to) task.groups = { group: this, from, to, next: task.groups };
  }

  /** Index of the first task, at `from` or later, that is not finished. */
  findFirstUnfinished(from: number): number {
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

  getTask(index: number): FormulaTask {
    return this.tasks[index]!;
  }
}

/** Rows of a task that are calculated on demand, by row - run.top. */
interface DemandProgress {
  readonly demanded: Uint8Array;
  /** For each row, the row to which a search for an unfinished row jumps: the rows in between are finished. */
  readonly skips: Int32Array;
}

/** The rows of a run to calculate in one wave. */
export class FormulaTask {
  readonly entry: RunEntry;
  readonly run: Run;
  readonly rows: IntervalSet;
  /** Number of times that rows were marked as dirty. */
  timesMarked = 0;
  /** A task that calculates cells which this task reads; it is calculated first. Most tasks have only one. */
  private precedent: FormulaTask | null = null;
  /** Further precedents. The list may contain a task twice. */
  private morePrecedents: TaskLink | null = null;
  /** Groups of adjacent tasks. This task reads many tasks of each group. */
  groups: CellTasksLink | null = null;
  /** True if rows of the task read other rows of the same task. */
  readsItself = false;
  /** True if its formulas are new. Their results may take a number format. */
  isNew = false;
  state: 'waiting' | 'visiting' | 'done' = 'waiting';
  /** Distance from the first task visited. */
  depth = 0;
  /** The least depth of the tasks on the path that this task depends on; its own depth if it depends on none. */
  leastDepth = 0;
  /** True if the task is part of a circle of runs. Its cells need not be circular; they are calculated on demand. */
  circular = false;
  /** True if the tree names sheets that its writer may not read; null until it is computed. */
  namesClosed: boolean | null = null;
  /** Progress of the rows that are calculated on demand; null if there are none. */
  private progress: DemandProgress | null = null;

  constructor(entry: RunEntry) {
    this.entry = entry;
    this.run = entry.run;
    this.rows = entry.isCell ? NO_ROWS : new IntervalSet();
  }

  /** True for the task of a run with one row. If such a task is dirty, its row is dirty, and `rows` is not used. */
  get isCell(): boolean {
    return this.rows === NO_ROWS;
  }

  /** Records that rows of this task read results of `source`. */
  addPrecedent(source: FormulaTask): void {
    if (source === this) this.readsItself = true;
    else if (this.precedent === null) this.precedent = source;
    else this.morePrecedents = { task: source, next: this.morePrecedents };
  }

  /** The next task that must be calculated before this one; null after the last. */
  takePrecedent(): FormulaTask | null {
    const { precedent } = this;
    this.precedent = null;
    if (precedent !== null && precedent.state !== 'done') return precedent;
    for (let link = this.morePrecedents; link !== null; link = link.next) {
      if (link.task.state === 'done') continue;
      this.morePrecedents = link.next;
      return link.task;
    }
    this.morePrecedents = null;
    for (; this.groups !== null; this.groups = this.groups.next) {
      const link = this.groups;
      const at = link.group.findFirstUnfinished(link.from);
      if (at > link.to) continue;
      link.from = at + 1;
      return link.group.getTask(at);
    }
    return null;
  }

  /** Calls `visit` for each span of rows to calculate. */
  forEachSpan(visit: (first: number, last: number) => void): void {
    if (this.isCell) visit(this.run.top, this.run.top);
    else this.rows.forEach(visit);
  }

  hasRow(row: number): boolean {
    return this.isCell ? row === this.run.top : this.rows.has(row);
  }

  /** The first and the last row to calculate. */
  getRowBounds(): { readonly first: number; readonly last: number } {
    return this.isCell ? { first: this.run.top, last: this.run.top } : this.rows.getBounds();
  }

  /** The first row from `first` to `last` that is not calculated yet; -1 for none. */
  findFirstWaiting(first: number, last: number): number {
    const { top } = this.run;
    if (this.isCell) return first <= top && top <= last && !this.isRowFinished(top) ? top : -1;
    for (let row = this.rows.findNextRow(first); row >= 0 && row <= last; ) {
      const unfinished = this.findFirstUnfinishedRow(row);
      if (unfinished === row) return row;
      row = this.rows.findNextRow(unfinished);
    }
    return -1;
  }

  /** The first row, at `row` or later, that was not calculated on demand. Path compression keeps chains short. */
  private findFirstUnfinishedRow(row: number): number {
    if (this.progress === null) return row;
    const { demanded, skips } = this.progress;
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

  /** True if a quick check finds no row left to calculate. False does not mean that one is left. */
  get isFinal(): boolean {
    return this.state === 'done' || (this.isCell && this.isRowFinished(this.run.top));
  }

  /** True if calculation on demand has begun for some rows of the run. */
  get isBegun(): boolean {
    return this.progress !== null;
  }

  isRowFinished(row: number): boolean {
    return this.progress?.demanded[row - this.run.top] === FINISHED;
  }

  isRowBegun(row: number): boolean {
    return this.progress?.demanded[row - this.run.top] === UNDER_WAY;
  }

  beginRow(row: number): void {
    this.setProgress(row, UNDER_WAY);
  }

  finishRow(row: number): void {
    this.setProgress(row, FINISHED);
  }

  private setProgress(row: number, progress: number): void {
    const at = row - this.run.top;
    const rows = this.run.bottom - this.run.top + 1;
    this.progress ??= { demanded: new Uint8Array(rows), skips: new Int32Array(rows) };
    this.progress.demanded[at] = progress;
    this.progress.skips[at] = at + 1;
  }

  /** True if the row must still be calculated in this wave. */
  isRowUnfinished(row: number): boolean {
    return this.state !== 'done' && this.hasRow(row) && !this.isRowFinished(row);
  }
}

/** True if the formula of a task names a sheet in `closed`. */
export function namesClosedSheetIn({ entry }: FormulaTask, closed: ClosedSheets | null): boolean {
  return closed !== null && entry.edges.some(({ sheet }) => closed.has(sheet));
}

/** Calculates tasks whose precedents are done. */
interface TaskCalculator {
  finishTask(task: FormulaTask): void;
}

/**
 * Calculates a task after its precedents, depth first. Tasks of a circle are marked as circular before they are
 * calculated. Does not recurse because chains of formulas may be long.
 */
export function finishWithPrecedents(root: FormulaTask, calculator: TaskCalculator): void {
  const first = root.takePrecedent();
  if (first === null) return calculator.finishTask(root);
  const path: FormulaTask[] = [];
  pushTask(path, root);
  pushTask(path, first);
  for (let top = path[path.length - 1]; top; top = path[path.length - 1]) {
    const before = top.takePrecedent();
    if (before === null) {
      calculator.finishTask(top);
      path.pop();
      if (top.circular) markCircular(path[path.length - 1], top.leastDepth);
    } else if (before.state === 'waiting') pushTask(path, before);
    else markCircular(top, before.depth);
  }
}

/** Marks a task as circular if it depends on itself or on a task above it on the path. `depth`: the depth of that task. */
function markCircular(task: FormulaTask | undefined, depth: number): void {
  if (task === undefined || depth > task.depth) return;
  task.circular = true;
  if (depth < task.leastDepth) task.leastDepth = depth;
}

/** Puts a task at the end of the path of visited tasks. */
function pushTask(path: FormulaTask[], task: FormulaTask): void {
  task.state = 'visiting';
  task.depth = path.length;
  task.leastDepth = path.length;
  path.push(task);
}
