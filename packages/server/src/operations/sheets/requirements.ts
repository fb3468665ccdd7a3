import type { AccessRequirements } from '../../access/gate.ts';

/** Requirements for adding, changing and deleting sheets. */
export const SHEET_REQUIREMENTS: AccessRequirements = {
  scope: 'sheets.write',
  feature: 'sheetOperations',
  writes: true,
};

/** Requirements for protecting sheets. */
export const PROTECTION_REQUIREMENTS: AccessRequirements = { scope: 'documents.write', owner: true };
