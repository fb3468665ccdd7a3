/** Bounds of one recalculation. */
export interface Budget {
  /** Cells evaluated, array elements and lambda calls included. */
  readonly cells: number;
  /** Time by `clock`, looked at every few thousand cells. */
  readonly milliseconds: number;
  /** The clock that `milliseconds` is measured with; the engine has none of its own. */
  readonly clock: () => number;
}

/** Thrown through the evaluation when the budget is used up; `Recalculation` turns it into a refusal. */
export const BUDGET_EXHAUSTED: unique symbol = Symbol('calculation budget exhausted');

/** Cells evaluated between two looks at the clock. */
const CLOCK_INTERVAL = 1024;

/** What evaluating a cell takes at least, and making, reading or going through an element of an array. In milliseconds. */
const MIN_MS_PER_CELL = 1e-5;

/** Counts what a recalculation spends. */
export class Meter {
  private left: number;
  private untilClock = CLOCK_INTERVAL;
  private readonly deadline: number;
  private readonly clock: () => number;

  constructor(budget: Budget) {
    this.left = budget.cells;
    this.clock = budget.clock;
    this.deadline = budget.clock() + budget.milliseconds;
  }

  /** Takes cells off the budget; throws `BUDGET_EXHAUSTED` when there are not enough. */
  spend(cells: number): void {
    this.left -= cells;
    if (this.left < 0) throw BUDGET_EXHAUSTED;
    this.pass(cells);
  }

  /**
   * Tells of work to come, in what takes about as long as evaluating that many cells; throws `BUDGET_EXHAUSTED` when
   * the time is up, or is not enough for it: nobody looks at the clock while a large array is made. For what is counted
   * already, or costs time alone.
   */
  pass(work: number): void {
    this.untilClock -= work;
    if (this.untilClock > 0) return;
    this.untilClock = CLOCK_INTERVAL;
    if (this.clock() + work * MIN_MS_PER_CELL > this.deadline) throw BUDGET_EXHAUSTED;
  }
}
