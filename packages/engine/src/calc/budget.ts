/** Limits of one recalculation. */
export interface Budget {
  /** Maximum number of evaluated cells. Array elements and lambda calls count too. */
  readonly cells: number;
  /**
   * Maximum time in milliseconds, by `clock`. The meter reads the clock every thousand cells, so a small batch does not
   * read it. The time begins at the first reading.
   */
  readonly milliseconds: number;
  /** The clock for `milliseconds`. The engine has none of its own. */
  readonly clock: () => number;
  /**
   * Returns true if this many more bytes may be allocated. Called before a large array is made, and with 0 at every few
   * reads of the clock. Absent: only `cells` limits the memory of a calculation.
   */
  readonly hasMemory?: (bytes: number) => boolean;
}

/** Thrown when the budget is used up. `Workbook` turns it into a refusal. */
export const BUDGET_EXHAUSTED: unique symbol = Symbol('calculation budget exhausted');

/** Number of evaluated cells between two reads of the clock. */
const CLOCK_INTERVAL = 1024;
/** Number of clock reads between two checks of the memory. */
const MEMORY_INTERVAL = 8;

/** Minimum time of evaluating a cell, or of making, reading or visiting an array element. In milliseconds. */
const MIN_MS_PER_CELL = 1e-5;

/**
 * Number of copied array elements that count as one cell of the budget. Evaluating the formula of a cell takes about as
 * long as copying that many elements.
 */
const COPIES_PER_CELL = 16;

/**
 * Minimum length of an array whose memory is checked before it is allocated. The memory of smaller arrays is checked at
 * the next read of the clock.
 */
const LARGE_ARRAY = 65_536;
/** Bytes per array element, counted twice: an array is copied when it grows or gets elements of another kind. */
const ELEMENT_BYTES = 16;
/**
 * Maximum length of an array that V8 does not store as a hash table (`kInitialMaxFastElementArray`), and bytes per
 * element of a hash table while it grows.
 */
const MAX_PLAIN_ELEMENTS = 2 ** 25;
const HASHED_ELEMENT_BYTES = 96;

/** Counts the work of a recalculation. */
export class Meter {
  private left: number;
  private untilClock = CLOCK_INTERVAL;
  private untilMemory = MEMORY_INTERVAL;
  private readonly milliseconds: number;
  /** By `clock`; null before its first reading. */
  private deadline: number | null = null;
  private readonly clock: () => number;
  private readonly hasMemory: ((bytes: number) => boolean) | null;

  constructor(budget: Budget) {
    this.left = budget.cells;
    this.clock = budget.clock;
    this.hasMemory = budget.hasMemory ?? null;
    this.milliseconds = budget.milliseconds;
  }

  /** Takes cells from the budget. Throws `BUDGET_EXHAUSTED` if there are not enough. */
  spendCells(cells: number): void {
    this.left -= cells;
    if (this.left < 0) throw BUDGET_EXHAUSTED;
    this.reportWork(cells);
  }

  /**
   * Takes the elements of a new array from the budget and checks its memory. Call it before allocating the array.
   * `isCopy`: the elements are copied from cells, calculated from arrays of the same size, or numbers of rows. Such
   * elements count less than cells, unless only the number of cells limits the memory.
   */
  spendElements(elements: number, isCopy = false): void {
    const cells = isCopy ? Math.ceil(elements / COPIES_PER_CELL) : elements;
    this.left -= this.hasMemory === null ? elements : cells;
    if (this.left < 0) throw BUDGET_EXHAUSTED;
    this.reportWork(cells);
    this.checkMemory(elements);
  }

  /**
   * Throws `BUDGET_EXHAUSTED` if there is no memory for an array with this number of elements, or if the number is
   * infinite.
   */
  checkMemory(elements: number): void {
    if (elements === Number.POSITIVE_INFINITY) throw BUDGET_EXHAUSTED;
    if (elements < LARGE_ARRAY || this.hasMemory === null) return;
    const bytes = elements * (elements > MAX_PLAIN_ELEMENTS ? HASHED_ELEMENT_BYTES : ELEMENT_BYTES);
    if (!this.hasMemory(bytes)) throw BUDGET_EXHAUSTED;
  }

  /**
   * Reports work that takes time, before it starts. `work`: in units of evaluating one cell. Throws `BUDGET_EXHAUSTED`
   * if the time is up, or if the rest of the time is too short for this work. Does not reduce the number of cells in
   * the budget.
   */
  reportWork(work: number): void {
    this.untilClock -= work;
    if (this.untilClock > 0) return;
    this.readClock(work);
  }

  /** Reads the clock for `reportWork`. It is a separate method so that V8 can inline `reportWork`. */
  private readClock(work: number): void {
    this.untilClock = CLOCK_INTERVAL;
    const now = this.clock();
    this.deadline ??= now + this.milliseconds;
    if (now + work * MIN_MS_PER_CELL > this.deadline) throw BUDGET_EXHAUSTED;
    if (--this.untilMemory > 0) return;
    this.untilMemory = MEMORY_INTERVAL;
    if (this.hasMemory !== null && !this.hasMemory(0)) throw BUDGET_EXHAUSTED;
  }
}
