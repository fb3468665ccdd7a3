import { type Area, intersects } from '../grid/area.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import type { Task } from './task.ts';

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

/** What one wave has to calculate, found by place: for formulas that tell what they read only while they run. */
export class Schedule {
  private readonly columns = new Map<number, (ColumnTasks | undefined)[]>();
  private readonly spills = new Map<number, WaitingSpill[]>();

  constructor(tasks: readonly Task[], sheet: (id: number) => Sheet | undefined) {
    for (const task of tasks) {
      const held = this.column(task.run.sheet, task.run.column);
      held.tasks.push(task);
      if (task.state !== 'done') held.waiting++;
    }
    for (const [id, columns] of this.columns) {
      for (const held of columns) held?.tasks.sort((a, b) => a.run.top - b.run.top);
      this.findSpills(sheet(id), columns);
    }
  }

  /** A task of it is done. */
  close(task: Task): void {
    this.column(task.run.sheet, task.run.column).waiting--;
  }

  private findSpills(sheet: Sheet | undefined, columns: readonly (ColumnTasks | undefined)[]): void {
    if (!sheet || sheet.spills.size === 0) return;
    for (const spill of sheet.spills.values()) {
      const { top, left } = spill.area;
      if (spill.blocked || !columns[left]) continue;
      const task = this.taskAt(sheet.id, top, left);
      if (!task?.has(top)) continue;
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
    const task = held?.tasks[firstReaching(held.tasks, row)];
    return task && task.run.top <= row ? task : undefined;
  }

  /** A cell in the area that is still to be calculated, or the anchor of a spill into it. */
  firstWaiting(sheet: number, read: Area): { readonly task: Task; readonly row: number } | null {
    const columns = this.columns.get(sheet) ?? [];
    const right = Math.min(read.right, columns.length - 1);
    for (let column = read.left; column <= right; column++) {
      const held = columns[column];
      const found = held && held.waiting > 0 ? firstInColumn(held.tasks, read) : null;
      if (found) return found;
    }
    for (const spill of this.spills.get(sheet) ?? []) {
      if (intersects(spill.area, read) && spill.task.awaits(spill.row)) return spill;
    }
    return null;
  }
}

function firstInColumn(tasks: readonly Task[], read: Area): { readonly task: Task; readonly row: number } | null {
  for (let i = firstReaching(tasks, read.top); i < tasks.length; i++) {
    const task = tasks[i] as Task;
    if (task.run.top > read.bottom) return null;
    if (task.state === 'done') continue;
    const row = task.firstWaiting(read.top, read.bottom);
    if (row >= 0) return { task, row };
  }
  return null;
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
