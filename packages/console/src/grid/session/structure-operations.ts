/** Operations of one change of structure, as the API takes them. */
export type StructureOperations = readonly Readonly<Record<string, unknown>>[];

/** Operations on sheets that the page follows. */
export interface SheetOperation {
  readonly renameSheet?: { readonly sheet: string; readonly name: string };
  readonly deleteSheet?: { readonly sheet: string };
}
