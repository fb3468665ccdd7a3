import { type Area, area } from '../grid/area.ts';
import { MAX_ROWS } from '../grid/limits.ts';
import { Circle, type DemandedCell } from './circle.ts';
import type { Evaluation } from './evaluation.ts';
import type { Schedule } from './schedule.ts';
import type { ReadGuard } from './shared/sheet-reader.ts';
import type { FormulaTask } from './task.ts';

const NO_AREA = area(0, 0, 0, 0);

/**
 * Thrown by a guarded read of cells that are not calculated yet. There is one instance for all throws; the catcher
 * reads its fields immediately.
 */
class WaitingCells {
  sheet = 0;
  area: Area = NO_AREA;
}

/** Methods of the recalculation that calculation on demand calls. */
interface DemandHost {
  readonly evaluation: Evaluation;
  /** The tasks of the current wave. */
  schedule(): Schedule;
  calculateCell(task: FormulaTask, row: number): void;
  createCircle(cells: readonly DemandedCell[], joinedCircles: readonly Circle[]): Circle;
}

/** A cell or a circle that is being calculated, and the area it waits for. */
interface DemandFrame {
  readonly target: DemandedCell | Circle;
  awaitedArea: { readonly sheet: number; readonly area: Area } | null;
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
        else if (next.task.isRowBegun(next.row)) this.closeCircle(next);
        else this.pushCell(next.task, next.row);
      }
    } finally {
      stack.length = 0;
      host.evaluation.guard = null;
    }
  }

  /** Throws `WaitingCells` if an area contains a cell that is not calculated yet. */
  check(sheet: number, area: Area): void {
    if (this.host.schedule().findFirstWaiting(sheet, area) === null) return;
    this.signal.sheet = sheet;
    this.signal.area = area;
    throw this.signal;
  }

  isColumnWaiting(sheet: number, column: number): boolean {
    return this.host.schedule().findFirstWaiting(sheet, area(0, column, MAX_ROWS - 1, column)) !== null;
  }

  /** Begins the calculation of a cell, on which the cell below it on the stack waits. */
  private pushCell(task: FormulaTask, row: number): void {
    task.beginRow(row);
    this.stack.push({ target: { task, row }, awaitedArea: null });
  }

  /** Calculates the cell or circle on top of the stack, until it is finished or waits for other cells. */
  private advanceFrame(top: DemandFrame): void {
    top.awaitedArea = null;
    try {
      if (top.target instanceof Circle) top.target.calculateCells();
      else this.host.calculateCell(top.target.task, top.target.row);
    } catch (thrown) {
      if (thrown !== this.signal) throw thrown;
      top.awaitedArea = { sheet: this.signal.sheet, area: this.signal.area };
      return;
    }
    this.stack.pop();
    if (!(top.target instanceof Circle)) top.target.task.finishRow(top.target.row);
    // A cell that was calculated for a circle may have read cells of the circle that are not final.
    const around = this.stack.findLast(({ target }) => target instanceof Circle)?.target;
    if (!(around instanceof Circle)) return;
    const calculated = top.target instanceof Circle ? top.target.calculatedCells : [top.target];
    for (const cell of calculated) around.insertCell(cell);
  }

  /** Makes a circle of the cells on the stack, from the given cell to the top. */
  private closeCircle({ task, row }: DemandedCell): void {
    const at = this.stack.findIndex(
      ({ target }) => !(target instanceof Circle) && target.task === task && target.row === row,
    );
    const cells: DemandedCell[] = [];
    const joined: Circle[] = [];
    for (const { target } of this.stack.splice(at)) {
      if (target instanceof Circle) joined.push(target);
      else cells.push(target);
    }
    for (const cell of cells) cell.task.finishRow(cell.row);
    this.stack.push({ target: this.host.createCircle(cells.reverse(), joined), awaitedArea: null });
  }
}
