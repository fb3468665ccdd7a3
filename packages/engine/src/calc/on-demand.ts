import { type Area, area } from '../grid/area.ts';
import { Circle, type DemandedCell } from './circle.ts';
import type { Evaluation, Guard } from './evaluation.ts';
import type { Schedule } from './schedule.ts';
import type { Task } from './task.ts';

const NO_AREA = area(0, 0, 0, 0);

/** Thrown by a guarded read of cells that are not calculated yet. One instance; the catcher reads it at once. */
class WaitingCells {
  sheet = 0;
  area: Area = NO_AREA;
}

/** Methods of the recalculation that calculation on demand calls. */
interface DemandHost {
  readonly evaluation: Evaluation;
  /** The tasks of the current wave. */
  schedule(): Schedule;
  calculateCell(task: Task, row: number): void;
  circleOf(cells: readonly DemandedCell[], joined: readonly Circle[]): Circle;
}

/** A cell or a circle that is being calculated, and the area it waits for. */
interface DemandFrame {
  readonly of: DemandedCell | Circle;
  wait: { readonly sheet: number; readonly area: Area } | null;
}

/** Calculates cells whose reads are known only while they run. Cells that they wait for are calculated first. */
export class OnDemand implements Guard {
  private readonly host: DemandHost;
  private readonly signal = new WaitingCells();
  /** Cells in calculation: each waits for the next one. The first is the requested cell. */
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
    // A cell that was calculated for a circle may have read unsettled cells.
    const around = this.stack.findLast(({ of }) => of instanceof Circle)?.of;
    if (!(around instanceof Circle)) return;
    const calculated = top.of instanceof Circle ? top.of.all : [top.of];
    for (const cell of calculated) around.follow(cell);
  }

  /** Makes a circle of the cells of the stack from the given one on. */
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
