import type { Needs } from '../../access/gate.ts';

/** What naming, undoing and restoring revisions requires. */
export const CHANGES_REVISIONS: Needs = { scope: 'sheets.write', feature: 'valueWrites', writes: true };
