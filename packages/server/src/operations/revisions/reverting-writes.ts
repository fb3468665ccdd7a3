import type { DocumentAccess } from '../../access/access.ts';
import type { BatchResult, CommitStamp, ProposalHead } from '../../documents/types.ts';
import type { PreparedProposer, UndoRestrictions } from '../../service/history/undo.ts';

/** Restrictions of the caller for undoing and restoring. */
export function toUndoRestrictions({ lockedSheets, hiddenSheets, caller }: DocumentAccess): UndoRestrictions {
  return {
    user: caller.userId,
    locked: lockedSheets,
    hiddenSheets: hiddenSheets,
    mayRestructure: caller.plan.sheetOperations,
  };
}

/** The write that performs an undo or a restore, with its answer and its entry in the audit log. */
export function toProposeWrite(action: 'undo' | 'restore', propose: PreparedProposer) {
  return (head: ProposalHead) => {
    const proposed = propose(head);
    if ('kind' in proposed) return proposed;
    const { edits, body, range, marks } = proposed;
    const describe = (done: BatchResult, commit: CommitStamp) => ({
      body: body(commit),
      notes: [{ action, range, cells: done.outcomes.reduce((sum, { cells }) => sum + cells, 0) }],
      extraStatements: marks(commit),
    });
    const preview = (revision: number) => body({ revision });
    return { edits, describe, preview, followsChanges: action === 'undo' };
  };
}
