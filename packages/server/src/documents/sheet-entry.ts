/** A sheet without its cells. Plain data. */
export interface SheetEntry {
  /** Id of the sheet. A rename does not change it. */
  readonly id: number;
  readonly name: string;
  readonly hidden: boolean;
  /** Colour as `#RRGGBB`, or null. */
  readonly color: string | null;
}
