export interface CalculationMoment {
  /** Serial number of the time of the calculation. */
  readonly now: number;
  /** Returns a generator of the random numbers of a cell, 0 ≤ x < 1. */
  randomFor(sheet: number, row: number, column: number): () => number;
}
