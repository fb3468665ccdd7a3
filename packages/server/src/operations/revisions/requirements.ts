import type { AccessRequirements } from '../../access/gate.ts';

/** What naming, undoing and restoring revisions requires. */
export const REVISION_REQUIREMENTS: AccessRequirements = {
  scope: 'sheets.write',
  feature: 'valueWrites',
  writes: true,
};
