/** Limits of one recalculation. */
export interface Budget {
  /** Evaluated cells, including array elements and lambda calls. */
  readonly cells: number;
  /** Measured by `clock`, which is read every few thousand cells. */
  readonly milliseconds: number;
  /** The clock for `milliseconds`. The engine has none of its own. */
  readonly clock: () => number;
}

/** Thrown when the budget is used up. `Workbook` turns it into a refusal. */
export const BUDGET_EXHAUSTED: unique symbol = Symbol('calculation budget exhausted');

/** Evaluated cells between two reads of the clock. */
const CLOCK_INTERVAL = 1024;

/** Minimum time of evaluating a cell, or of making, reading or visiting an array element. In milliseconds. */
const MIN_MS_PER_CELL = 1e-5;

/** Counts the work of a recalculation. */
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

  /** Takes cells from the budget. Throws `BUDGET_EXHAUSTED` if there are not enough. */
  spend(cells: number): void {
    this.left -= cells;
    if (this.left < 0) throw BUDGET_EXHAUSTED;
    this.pass(cells);
  }

  /**
   * Announces work, in units of evaluating one cell. Throws `BUDGET_EXHAUSTED` if the time is up or too short for it:
   * the clock is not read while a large array is made. For work that is counted elsewhere or costs only time.
   */
  pass(work: number): void {
    this.untilClock -= work;
    if (this.untilClock > 0) return;
    this.untilClock = CLOCK_INTERVAL;
    if (this.clock() + work * MIN_MS_PER_CELL > this.deadline) throw BUDGET_EXHAUSTED;
  }
}
