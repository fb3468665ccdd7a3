import { type Area, area } from '../grid/area.ts';
import { Circle, type DemandedCell } from './circle.ts';
import type { Evaluation, Guard } from './evaluation.ts';
import type { Schedule } from './schedule.ts';
import type { Task } from './task.ts';

const NO_AREA = area(0, 0, 0, 0);

/** Thrown by a guarded read of cells that are still to be calculated; one instance, read at once by its catcher. */
class WaitingCells {
  sheet = 0;
  area: Area = NO_AREA;
}

/** What cells calculated on demand need of the recalculation. */
export interface DemandHost {
  readonly evaluation: Evaluation;
  /** What the wave under way has to calculate. */
  schedule(): Schedule;
  calculateCell(task: Task, row: number): void;
  circleOf(cells: readonly DemandedCell[], joined: readonly Circle[]): Circle;
}

/** A cell, or a circle of cells, being calculated, and the area it found waiting. */
interface DemandFrame {
  readonly of: DemandedCell | Circle;
  wait: { readonly sheet: number; readonly area: Area } | null;
}

/** Calculates cells that tell what they read only while they run: those they find waiting come first. */
export class OnDemand implements Guard {
  private readonly host: DemandHost;
  private readonly signal = new WaitingCells();
  /** From the cell that is asked for to the one it is waiting for. */
  private readonly stack: DemandFrame[] = [];

  constructor(host: DemandHost) {
    this.host = host;
  }

  get isRunning(): boolean {
    return this.stack.length > 0;
  }

  calculate(task: Task, row: number): void {
    const { stack, host } = this;
    this.push(task, row);
    host.evaluation.guard = this;
    try {
      for (let top = stack[stack.length - 1]; top; top = stack[stack.length - 1]) {
        const next = top.wait && host.schedule().firstWaiting(top.wait.sheet, top.wait.area);
        if (next === null) this.advance(top);
        else if (next.task.isUnderWay(next.row)) this.close(next);
        else this.push(next.task, next.row);
      }
    } finally {
      stack.length = 0;
      host.evaluation.guard = null;
    }
  }

  check(sheet: number, read: Area): void {
    if (this.host.schedule().firstWaiting(sheet, read) === null) return;
    this.signal.sheet = sheet;
    this.signal.area = read;
    throw this.signal;
  }

  private push(task: Task, row: number): void {
    task.begin(row);
    this.stack.push({ of: { task, row }, wait: null });
  }

  private advance(top: DemandFrame): void {
    top.wait = null;
    try {
      if (top.of instanceof Circle) top.of.settle();
      else this.host.calculateCell(top.of.task, top.of.row);
    } catch (thrown) {
      if (thrown !== this.signal) throw thrown;
      top.wait = { sheet: this.signal.sheet, area: this.signal.area };
      return;
    }
    this.stack.pop();
    if (!(top.of instanceof Circle)) top.of.task.finish(top.of.row);
    // What was calculated for a circle may have read what is not settled yet.
    const around = this.stack.findLast(({ of }) => of instanceof Circle)?.of;
    if (!(around instanceof Circle)) return;
    const calculated = top.of instanceof Circle ? top.of.all : [top.of];
    for (const cell of calculated) around.follow(cell);
  }

  /** The cells of the stack from the given one on read one another in a circle. */
  private close({ task, row }: DemandedCell): void {
    const at = this.stack.findIndex(({ of }) => !(of instanceof Circle) && of.task === task && of.row === row);
    const cells: DemandedCell[] = [];
    const joined: Circle[] = [];
    for (const { of } of this.stack.splice(at)) {
      if (of instanceof Circle) joined.push(of);
      else cells.push(of);
    }
    for (const cell of cells) cell.task.finish(cell.row);
    this.stack.push({ of: this.host.circleOf(cells.reverse(), joined), wait: null });
  }
}
