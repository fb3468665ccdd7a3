import type { AccessRequirements } from '../../access/gate.ts';

/** Requirements for naming, undoing and restoring revisions. */
export const REVISION_REQUIREMENTS: AccessRequirements = {
  scope: 'sheets.write',
  feature: 'valueWrites',
  writes: true,
};
