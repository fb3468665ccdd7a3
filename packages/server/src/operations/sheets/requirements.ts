import type { Needs } from '../../access/gate.ts';

/** What adding, changing and deleting sheets requires. */
export const CHANGES_SHEETS: Needs = { scope: 'sheets.write', feature: 'sheetOperations', writes: true };

/** What protecting sheets requires. */
export const PROTECTS_SHEETS: Needs = { scope: 'documents.write', owner: true };
