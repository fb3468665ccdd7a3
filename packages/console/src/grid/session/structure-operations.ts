/** Operations of one change of structure, in the API's form. */
export type StructureOperations = readonly Readonly<Record<string, unknown>>[];

/** Operations on sheets in a change of a document. */
export interface SheetOperation {
  readonly renameSheet?: { readonly sheet: string; readonly name: string };
  readonly deleteSheet?: { readonly sheet: string };
  readonly duplicateSheet?: { readonly sheet: string; readonly name: string };
}
