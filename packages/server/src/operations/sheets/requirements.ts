import type { AccessRequirements } from '../../access/gate.ts';

/** What adding, changing and deleting sheets requires. */
export const SHEET_REQUIREMENTS: AccessRequirements = {
  scope: 'sheets.write',
  feature: 'sheetOperations',
  writes: true,
};

/** What protecting sheets requires. */
export const PROTECTION_REQUIREMENTS: AccessRequirements = { scope: 'documents.write', owner: true };
