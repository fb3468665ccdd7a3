export interface CalculationMoment {
  /** Serial of the calculation's moment. */
  readonly now: number;
  /** A cell's own numbers, 0 ≤ x < 1. */
  lots(sheet: number, row: number, column: number): () => number;
}
