/** A sheet without its cells. Plain data. */
export interface SheetEntry {
  /** Stable across renames. */
  readonly id: number;
  readonly name: string;
  readonly hidden: boolean;
  /** `#RRGGBB` or null. */
  readonly color: string | null;
}
