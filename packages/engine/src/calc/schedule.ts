import type { DependencyGraph, Edge, RunEntry } from '../graph/dependency-graph.ts';
import type { IntervalSet } from '../graph/interval-set.ts';
import { rowSpan } from '../graph/precedents.ts';
import { type Area, intersects } from '../grid/area.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';

/** A run's rows to calculate in one wave. */
export class Task {
  readonly entry: RunEntry;
  readonly rows: IntervalSet;
  state: 'waiting' | 'open' | 'done' = 'waiting';
  /** It is part of a circle of runs, which need not be a circle of cells: its cells are calculated on demand. */
  circular = false;
  /** Rows calculated before the run's turn came, by row - run.top; null while there are none. */
  finished: Uint8Array | null = null;

  constructor(entry: RunEntry, rows: IntervalSet) {
    this.entry = entry;
    this.rows = rows;
  }

  get run(): Run {
    return this.entry.run;
  }

  isFinished(row: number): boolean {
    return this.finished !== null && this.finished[row - this.run.top] === 1;
  }

  finish(row: number): void {
    this.finished ??= new Uint8Array(this.run.bottom - this.run.top + 1);
    this.finished[row - this.run.top] = 1;
  }

  /** Whether the row is still to be calculated in this wave. */
  awaits(row: number): boolean {
    return this.state !== 'done' && this.rows.has(row) && !this.isFinished(row);
  }
}

/** Tasks of one column, sorted by row, with the number not yet done. */
interface ColumnTasks {
  readonly tasks: Task[];
  waiting: number;
}

/** Cells filled by a formula that is itself to be calculated. */
interface WaitingSpill {
  readonly area: Area;
  readonly task: Task;
  readonly row: number;
}

/** What one wave has to calculate, found by place. */
export class Schedule {
  readonly tasks: readonly Task[];
  private readonly columns = new Map<number, (ColumnTasks | undefined)[]>();
  private readonly spills = new Map<number, WaitingSpill[]>();

  constructor(dirty: ReadonlyMap<Run, IntervalSet>, graph: DependencyGraph, sheet: (id: number) => Sheet | undefined) {
    const tasks: Task[] = [];
    for (const [run, rows] of dirty) {
      const entry = graph.entry(run);
      if (!entry) continue;
      const task = new Task(entry, rows);
      tasks.push(task);
      this.column(run.sheet, run.column).tasks.push(task);
    }
    this.tasks = tasks;
    for (const columns of this.columns.values()) {
      for (const held of columns) {
        held?.tasks.sort((a, b) => a.run.top - b.run.top);
        if (held) held.waiting = held.tasks.length;
      }
    }
    for (const [id, columns] of this.columns) this.findSpills(sheet(id), columns);
  }

  private findSpills(sheet: Sheet | undefined, columns: readonly (ColumnTasks | undefined)[]): void {
    if (!sheet || sheet.spills.size === 0) return;
    for (const spill of sheet.spills.values()) {
      const { top, left } = spill.area;
      if (spill.blocked || !columns[left]) continue;
      const task = this.taskAt(sheet.id, top, left);
      if (!task?.rows.has(top)) continue;
      const held = this.spills.get(sheet.id) ?? [];
      held.push({ area: spill.area, task, row: top });
      this.spills.set(sheet.id, held);
    }
  }

  private column(sheet: number, column: number): ColumnTasks {
    let columns = this.columns.get(sheet);
    if (!columns) {
      columns = [];
      this.columns.set(sheet, columns);
    }
    while (columns.length <= column) columns.push(undefined);
    const held = columns[column] ?? { tasks: [], waiting: 0 };
    columns[column] = held;
    return held;
  }

  private taskAt(sheet: number, row: number, column: number): Task | undefined {
    const held = this.columns.get(sheet)?.[column];
    if (!held) return undefined;
    const task = held.tasks[firstReaching(held.tasks, row)];
    return task && task.run.top <= row ? task : undefined;
  }

  close(task: Task): void {
    task.state = 'done';
    this.column(task.run.sheet, task.run.column).waiting--;
  }

  /** Tasks with rows still to be calculated that meet what a task reads. */
  precedents(task: Task): Task[] {
    const found: Task[] = [];
    for (const edge of task.entry.edges) this.edgePrecedents(task, edge, found);
    return found;
  }

  private edgePrecedents(task: Task, edge: Edge, found: Task[]): void {
    const { first, last } = task.rows.hull();
    const rows = rowSpan(edge.precedent, first, last);
    if (!rows) return;
    const read = { top: rows.top, bottom: rows.bottom, left: edge.left, right: edge.right };
    this.forEachWaiting(edge.precedent.sheet, read, (other) => {
      found.push(other);
      return false;
    });
  }

  /** Visits waiting tasks that meet an area, those that spill into it too, until `visit` says true. */
  private forEachWaiting(sheet: number, read: Area, visit: (task: Task) => boolean): boolean {
    const columns = this.columns.get(sheet);
    if (columns) {
      const right = Math.min(read.right, columns.length - 1);
      for (let column = read.left; column <= right; column++) {
        const held = columns[column];
        if (!held || held.waiting === 0) continue;
        for (let i = firstReaching(held.tasks, read.top); i < held.tasks.length; i++) {
          const task = held.tasks[i] as Task;
          if (task.run.top > read.bottom) break;
          if (task.state !== 'done' && task.rows.meets(read.top, read.bottom) && visit(task)) return true;
        }
      }
    }
    for (const spill of this.spills.get(sheet) ?? []) {
      if (spill.task.state !== 'done' && intersects(spill.area, read) && visit(spill.task)) return true;
    }
    return false;
  }

  /** A cell in the area that is still to be calculated, or the anchor of a spill into it. */
  firstWaiting(sheet: number, read: Area): { readonly task: Task; readonly row: number } | null {
    let found: { task: Task; row: number } | null = null;
    this.forEachWaiting(sheet, read, (task) => {
      const { column } = task.run;
      if (task.run.sheet !== sheet || column < read.left || column > read.right) return false;
      const row = task.rows.find(read.top, read.bottom, (r) => !task.isFinished(r));
      if (row < 0) return false;
      found = { task, row };
      return true;
    });
    if (found) return found;
    for (const spill of this.spills.get(sheet) ?? []) {
      if (intersects(spill.area, read) && spill.task.awaits(spill.row)) return spill;
    }
    return null;
  }
}

/** Index of the first task whose run reaches down to the row. */
function firstReaching(tasks: readonly Task[], row: number): number {
  let low = 0;
  let high = tasks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tasks[middle] as Task).run.bottom < row) low = middle + 1;
    else high = middle;
  }
  return low;
}
