import { type Area, area } from '../grid/area.ts';
import { MAX_ROWS } from '../grid/limits.ts';
import { Circle } from './circles/circle.ts';
import { CircularCells, type DemandedCell } from './circles/circular-cells.ts';
import { CircularMembers, NO_CIRCLE } from './circles/circular-members.ts';
import type { Evaluation } from './evaluation.ts';
import type { Schedule } from './schedule.ts';
import type { ReadGuard } from './shared/sheet-reader.ts';
import type { FormulaTask } from './task.ts';

const NO_AREA = area(0, 0, 0, 0);

/**
 * Thrown by a guarded read of cells that are not calculated yet, or that belong to a circle which is not complete. There
 * is one instance for all throws; the catcher reads its fields immediately.
 */
class WaitingCells {
  sheet = 0;
  area: Area = NO_AREA;
  /** Index in the stack of the circle that is read; -1 for none. */
  circle = -1;
}

/** Methods of the recalculation that calculation on demand calls. */
interface DemandHost {
  readonly evaluation: Evaluation;
  /** The tasks of the current wave. */
  schedule(): Schedule;
  calculateCell(task: FormulaTask, row: number): void;
  /** `number`: the number of the circle in `members`. */
  createCircle(
    members: CircularMembers,
    number: number,
    cells: readonly DemandedCell[],
    joined: readonly (Circle | CircularCells)[],
  ): Circle | CircularCells;
  /** Makes a circle of arrays with fixed areas that is calculated in rounds. */
  solveCircle(circle: CircularCells): Circle;
}

/** A cell or a circle that is being calculated, and the area it waits for. */
interface DemandFrame {
  readonly target: DemandedCell | Circle | CircularCells;
  awaitedArea: { readonly sheet: number; readonly area: Area } | null;
}

/** A circle on the stack. */
interface CircleFrame {
  /** Index in the stack. */
  readonly at: number;
  /** The least number of its members in `CircularMembers`. */
  readonly number: number;
}

/**
 * Calculates cells whose reads are known only while they run. If a cell reads cells that are not calculated yet, these
 * are calculated first.
 */
export class DemandCalculator implements ReadGuard {
  private readonly host: DemandHost;
  private readonly signal = new WaitingCells();
  /** Cells that are being calculated. Each waits for the next one; the first is the requested cell. */
  private readonly stack: DemandFrame[] = [];
  /** The circles on the stack, in its order. Their numbers ascend. */
  private readonly circles: CircleFrame[] = [];
  /** The circles on the stack that are calculated in rounds. */
  private readonly rounds: Circle[] = [];
  /** Members of the circles on the stack whose values are errors. */
  private members = new CircularMembers();
  /** Number of circles that were made since `members` was created. */
  private circleCount = 0;

  constructor(host: DemandHost) {
    this.host = host;
  }

  get isRunning(): boolean {
    return this.stack.length > 0;
  }

  /** Calculates a cell, and first all cells that it turns out to read. */
  calculate(task: FormulaTask, row: number): void {
    const { stack, host } = this;
    this.pushCell(task, row);
    host.evaluation.guard = this;
    try {
      for (let top = stack[stack.length - 1]; top; top = stack[stack.length - 1]) {
        const next = top.awaitedArea && host.schedule().findFirstWaiting(top.awaitedArea.sheet, top.awaitedArea.area);
        if (next === null) this.advanceFrame(top);
        else if (next.task.isRowBegun(next.row)) this.closeCircle(this.findFrame(next));
        else this.pushCell(next.task, next.row);
      }
    } finally {
      this.clear();
    }
  }

  private clear(): void {
    this.stack.length = 0;
    this.host.evaluation.guard = null;
    if (this.circleCount === 0) return;
    this.circles.length = 0;
    this.rounds.length = 0;
    this.members = new CircularMembers();
    this.circleCount = 0;
  }

  /** Throws `WaitingCells` if an area contains a cell that is not calculated yet, or that belongs to an open circle. */
  check(sheet: number, area: Area): void {
    const circle = this.findOpenCircle(sheet, area);
    if (circle < 0 && this.host.schedule().findFirstWaiting(sheet, area) === null) return;
    this.signal.circle = circle;
    this.signal.sheet = sheet;
    this.signal.area = area;
    throw this.signal;
  }

  /**
   * Index in the stack of a circle that waits for the running cell and has a member in the area; -1 for none. The
   * running cell then belongs to this circle.
   */
  private findOpenCircle(sheet: number, area: Area): number {
    if (this.circles.length === 0) return -1;
    const member = this.members.findFirstCircle(sheet, area);
    if (member === NO_CIRCLE) return -1;
    const circle = this.circles.findLast(({ number }) => number <= member);
    return circle !== undefined && circle.at < this.stack.length - 1 ? circle.at : -1;
  }

  isColumnWaiting(sheet: number, column: number): boolean {
    const whole = area(0, column, MAX_ROWS - 1, column);
    return this.host.schedule().findFirstWaiting(sheet, whole) !== null || this.findOpenCircle(sheet, whole) >= 0;
  }

  /** Begins the calculation of a cell, on which the cell below it on the stack waits. */
  private pushCell(task: FormulaTask, row: number): void {
    task.beginRow(row);
    this.stack.push({ target: { task, row }, awaitedArea: null });
  }

  /** Calculates the cell or circle on top of the stack, until it is finished or waits for other cells. */
  private advanceFrame(top: DemandFrame): void {
    const { target } = top;
    top.awaitedArea = null;
    try {
      if (!isCell(target)) target.calculateCells();
      else this.host.calculateCell(target.task, target.row);
    } catch (thrown) {
      if (thrown !== this.signal) throw thrown;
      if (this.signal.circle >= 0) this.closeCircle(this.signal.circle);
      else top.awaitedArea = { sheet: this.signal.sheet, area: this.signal.area };
      return;
    }
    this.stack.pop();
    if (target instanceof CircularCells && target.isSolvable) return this.solveCircle(target);
    if (isCell(target)) target.task.finishRow(target.row);
    else this.removeCircle(target);
    if (this.rounds.length === 0 || target instanceof CircularCells) return;
    // A cell that was calculated for a circle may have read cells of the circle that are not final.
    const around = this.rounds[this.rounds.length - 1]!;
    for (const cell of isCell(target) ? [target] : target.calculatedCells) around.insertCell(cell);
  }

  /** Replaces a complete circle, which was on top of the stack, with a circle that is calculated in rounds. */
  private solveCircle(complete: CircularCells): void {
    complete.removeFromIndex(this.circles[this.circles.length - 1]!.number);
    const circle = this.host.solveCircle(complete);
    this.rounds.push(circle);
    this.stack.push({ target: circle, awaitedArea: null });
  }

  /** Removes the circle on top of the stack, which is finished. */
  private removeCircle(circle: Circle | CircularCells): void {
    const { number } = this.circles.pop()!;
    if (circle instanceof CircularCells) circle.finish(number);
    else this.rounds.pop();
  }

  /** Index in the stack of the frame of a cell. */
  private findFrame({ task, row }: DemandedCell): number {
    return this.stack.findLastIndex(({ target }) => isCell(target) && target.task === task && target.row === row);
  }

  /** Makes a circle of the cells and circles on the stack, from an index to the top. */
  private closeCircle(at: number): void {
    const cells: DemandedCell[] = [];
    const joined: (Circle | CircularCells)[] = [];
    for (const { target } of this.stack.splice(at)) {
      if (isCell(target)) cells.push(target);
      else joined.push(target);
      if (target instanceof Circle) this.rounds.pop();
    }
    for (const cell of cells) cell.task.finishRow(cell.row);
    let number = this.circleCount++;
    for (let last = this.circles.at(-1); last !== undefined && last.at >= at; last = this.circles.at(-1)) {
      number = last.number;
      this.circles.pop();
    }
    this.circles.push({ at, number });
    const circle = this.host.createCircle(this.members, number, cells, joined);
    if (circle instanceof Circle) this.rounds.push(circle);
    this.stack.push({ target: circle, awaitedArea: null });
  }
}

function isCell(target: DemandFrame['target']): target is DemandedCell {
  return !(target instanceof Circle || target instanceof CircularCells);
}
