/** Operations of one change of structure, in the API's form. */
export type StructureOperations = readonly Readonly<Record<string, unknown>>[];

/** Operations on sheets that the page follows. */
export interface SheetOperation {
  readonly renameSheet?: { readonly sheet: string; readonly name: string };
  readonly deleteSheet?: { readonly sheet: string };
}
