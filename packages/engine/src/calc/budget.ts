/** Bounds of one recalculation. */
export interface Budget {
  /** Cells evaluated, array elements and lambda calls included. */
  readonly cells: number;
  /** Time by `clock`, looked at every few thousand cells. */
  readonly milliseconds: number;
  /** The clock that `milliseconds` is measured with; the engine has none of its own. */
  readonly clock: () => number;
  /**
   * Whether so many more bytes of memory may be taken. Asked before a large array is made, and with 0 every
   * few looks at the clock. Without it nothing bounds the memory of a calculation but its cells.
   */
  readonly hasMemory?: (bytes: number) => boolean;
}

/** Thrown through the evaluation when the budget is used up; `Recalculation` turns it into a refusal. */
export const BUDGET_EXHAUSTED: unique symbol = Symbol('calculation budget exhausted');

/** Cells evaluated between two looks at the clock. */
const CLOCK_INTERVAL = 1024;
/** Looks at the clock between two at the memory. */
const MEMORY_INTERVAL = 8;

/** What evaluating a cell takes at least, and making, reading or going through an element of an array. In milliseconds. */
const LEAST_MS_PER_CELL = 1e-5;

/** Elements from which on an array is large: below, the next look at the clock is early enough to see its memory. */
const LARGE_ARRAY = 65_536;
/** Bytes of an array's element, twice: an array is copied when it grows, or when it gets elements of another kind. */
const ELEMENT_BYTES = 16;
/** V8 keeps larger arrays as hash tables (`kInitialMaxFastElementArray`). Bytes of an element there, while a table grows. */
const MAX_PLAIN_ELEMENTS = 2 ** 25;
const HASHED_ELEMENT_BYTES = 96;

/** Counts what a recalculation spends. */
export class Meter {
  private left: number;
  private untilClock = CLOCK_INTERVAL;
  private untilMemory = MEMORY_INTERVAL;
  private readonly deadline: number;
  private readonly clock: () => number;
  private readonly hasMemory: ((bytes: number) => boolean) | null;

  constructor(budget: Budget) {
    this.left = budget.cells;
    this.clock = budget.clock;
    this.hasMemory = budget.hasMemory ?? null;
    this.deadline = budget.clock() + budget.milliseconds;
  }

  /** Takes cells off the budget; throws `BUDGET_EXHAUSTED` when there are not enough. */
  spend(cells: number): void {
    this.left -= cells;
    if (this.left < 0) throw BUDGET_EXHAUSTED;
    this.pass(cells);
  }

  /** Takes the elements of an array that is about to be made off the budget, and asks for its memory. */
  allocate(elements: number): void {
    this.spend(elements);
    this.reserve(elements);
  }

  /** Throws `BUDGET_EXHAUSTED` when there is no memory for an array of so many elements. There never is for infinitely many. */
  reserve(elements: number): void {
    if (elements === Number.POSITIVE_INFINITY) throw BUDGET_EXHAUSTED;
    if (elements < LARGE_ARRAY || this.hasMemory === null) return;
    const bytes = elements * (elements > MAX_PLAIN_ELEMENTS ? HASHED_ELEMENT_BYTES : ELEMENT_BYTES);
    if (!this.hasMemory(bytes)) throw BUDGET_EXHAUSTED;
  }

  /**
   * Tells of work to come, in what takes about as long as evaluating that many cells; throws `BUDGET_EXHAUSTED` when
   * the time is up, or is not enough for it: nobody looks at the clock while a large array is made. For what is counted
   * already, or costs time alone.
   */
  pass(work: number): void {
    this.untilClock -= work;
    if (this.untilClock > 0) return;
    this.look(work);
  }

  /** Apart from `pass`, which is short enough to be inlined. */
  private look(work: number): void {
    this.untilClock = CLOCK_INTERVAL;
    if (this.clock() + work * LEAST_MS_PER_CELL > this.deadline) throw BUDGET_EXHAUSTED;
    if (--this.untilMemory > 0) return;
    this.untilMemory = MEMORY_INTERVAL;
    if (this.hasMemory !== null && !this.hasMemory(0)) throw BUDGET_EXHAUSTED;
  }
}
