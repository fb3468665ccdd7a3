import type { Edit, EditOutcome, Refusal } from '../types.ts';

export type EditOfKind<K extends Edit['kind']> = Extract<Edit, { readonly kind: K }>;

/** The result of one edit. After a refusal the batch is dropped. */
export type EditResult = EditOutcome | Refusal;

/** Creates the outcome of an edit that changes a sheet but no range of cells. */
export function createSheetOutcome(sheet: number): EditOutcome {
  return { sheet, area: null, cells: 0 };
}

/** The outcome of an edit that changes the whole document. */
export const DOCUMENT_OUTCOME: EditOutcome = { sheet: 0, area: null, cells: 0 };
