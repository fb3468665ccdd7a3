import { type Area, intersects } from '../grid/area.ts';
import { type Interval, IntervalIndex } from '../grid/interval-index.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import type { FormulaTask } from './task.ts';

/** Tasks of one column, sorted by row. */
class ColumnTasks {
  readonly tasks: FormulaTask[] = [];
  waiting = 0;
  /**
   * For each task, the index to which a search for an unfinished task jumps: the tasks in between are final. Path
   * compression keeps chains short.
   */
  private readonly skips: number[] = [];

  add(task: FormulaTask): void {
    this.skips.push(this.tasks.push(task));
    if (task.state !== 'done') this.waiting++;
  }

  sortByRow(): void {
    this.tasks.sort((a, b) => a.run.top - b.run.top);
  }

  /** Index of the first task, at `from` or later, that is not final. */
  findFirstUnfinished(from: number): number {
    const { tasks, skips } = this;
    let at = from;
    while (at < tasks.length && tasks[at]!.isFinal) at = skips[at]!;
    for (let i = from; i < at; ) {
      const next = skips[i]!;
      skips[i] = at;
      i = next;
    }
    return at;
  }
}

/** Cells filled by a formula that is not calculated yet. */
interface PendingSpill extends Interval {
  readonly area: Area;
  readonly task: FormulaTask;
  readonly row: number;
}

/** The tasks of one wave by position, for formulas whose reads are known only while they run. */
export class Schedule {
  private readonly columns = new Map<number, (ColumnTasks | undefined)[]>();
  private readonly spills = new Map<number, IntervalIndex<PendingSpill>>();

  constructor(tasks: readonly FormulaTask[], sheet: (id: number) => Sheet | undefined) {
    for (const task of tasks) {
      this.ensureColumn(task.run.sheet, task.run.column).add(task);
    }
    for (const [id, columns] of this.columns) {
      for (const columnTasks of columns) columnTasks?.sortByRow();
      this.collectPendingSpills(sheet(id), columns);
    }
  }

  /** Marks a task as finished. */
  closeTask(task: FormulaTask): void {
    this.ensureColumn(task.run.sheet, task.run.column).waiting--;
  }

  /** Records the spills of a sheet whose array formulas are not calculated yet. */
  private collectPendingSpills(sheet: Sheet | undefined, columns: readonly (ColumnTasks | undefined)[]): void {
    if (!sheet || sheet.spills.size === 0) return;
    for (const spill of sheet.spills.values()) {
      const { top, left } = spill.area;
      if (spill.blocked || !columns[left]) continue;
      const task = this.findTask(sheet.id, top, left);
      if (!task?.hasRow(top)) continue;
      const spills = this.spills.get(sheet.id) ?? new IntervalIndex();
      spills.add({ area: spill.area, task, row: top, first: top, last: spill.area.bottom, dead: false });
      this.spills.set(sheet.id, spills);
    }
  }

  /** The tasks of a column; creates an empty list if there is none. */
  private ensureColumn(sheet: number, column: number): ColumnTasks {
    let columns = this.columns.get(sheet);
    if (!columns) {
      columns = [];
      this.columns.set(sheet, columns);
    }
    while (columns.length <= column) columns.push(undefined);
    const columnTasks = columns[column] ?? new ColumnTasks();
    columns[column] = columnTasks;
    return columnTasks;
  }

  /** The task that calculates a cell; undefined if no formula of the wave does. */
  private findTask(sheet: number, row: number, column: number): FormulaTask | undefined {
    const columnTasks = this.columns.get(sheet)?.[column];
    const task = columnTasks?.tasks[findTaskIndex(columnTasks.tasks, row)];
    return task && task.run.top <= row ? task : undefined;
  }

  /**
   * Returns a cell of the area that is not calculated yet, or an anchor that is not calculated yet and spills into the
   * area; null if there is none.
   */
  findFirstWaiting(sheet: number, area: Area): { readonly task: FormulaTask; readonly row: number } | null {
    const columns = this.columns.get(sheet) ?? [];
    const right = Math.min(area.right, columns.length - 1);
    for (let column = area.left; column <= right; column++) {
      const columnTasks = columns[column];
      const waiting = columnTasks && columnTasks.waiting > 0 ? findFirstInColumn(columnTasks, area) : null;
      if (waiting) return waiting;
    }
    const spills = this.spills.get(sheet);
    return spills && spills.size > 0 ? findFirstSpill(spills, area) : null;
  }
}

/** The first pending spill that intersects an area; null if there is none. */
function findFirstSpill(spills: IntervalIndex<PendingSpill>, area: Area): PendingSpill | null {
  const candidates: PendingSpill[] = [];
  spills.collectIntersecting(area.top, area.bottom, candidates);
  for (const spill of candidates) {
    if (!spill.task.isRowUnfinished(spill.row)) spills.remove(spill);
    else if (intersects(spill.area, area)) return spill;
  }
  return null;
}

/** The first cell of the area in a column that is not calculated yet; null if there is none. */
function findFirstInColumn(
  columnTasks: ColumnTasks,
  area: Area,
): { readonly task: FormulaTask; readonly row: number } | null {
  const { tasks } = columnTasks;
  for (
    let i = columnTasks.findFirstUnfinished(findTaskIndex(tasks, area.top));
    i < tasks.length;
    i = columnTasks.findFirstUnfinished(i + 1)
  ) {
    const task = tasks[i]!;
    if (task.run.top > area.bottom) return null;
    const row = task.findFirstWaiting(area.top, area.bottom);
    if (row >= 0) return { task, row };
  }
  return null;
}

/** Index of the first task whose run extends down to the row. */
function findTaskIndex(tasks: readonly FormulaTask[], row: number): number {
  let low = 0;
  let high = tasks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tasks[middle]!.run.bottom < row) low = middle + 1;
    else high = middle;
  }
  return low;
}
