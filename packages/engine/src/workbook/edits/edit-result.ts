import type { Edit, EditOutcome, Refusal } from '../types.ts';

export type EditOfKind<K extends Edit['kind']> = Extract<Edit, { readonly kind: K }>;

/** The result of one edit. After a refusal the batch is dropped. */
export type EditResult = EditOutcome | Refusal;

/** The outcome of an edit of a sheet that addresses no cells. */
export function createSheetOutcome(sheet: number): EditOutcome {
  return { sheet, area: null, cells: 0 };
}

/** The outcome of an edit of the document as a whole. */
export const DOCUMENT_OUTCOME: EditOutcome = { sheet: 0, area: null, cells: 0 };
