import type { Statement } from '@cellwire/store';
import { countEntries, insertNumberedAudits, type NewAuditEntry } from '@cellwire/store/audit';
import { advanceDocument, insertCommit, recalculateDocument } from '@cellwire/store/documents';
import type { StructureText } from '@cellwire/store/stored-forms';
import type { DocumentState } from '../state.ts';
import { type CommitAuthor, RECALCULATIONS } from '../types.ts';

/** A commit's changes in the form of the log. */
interface LoggedChange {
  readonly delta: Uint8Array;
  readonly areas: string;
  readonly rowOrders: string | null;
  readonly structure: StructureText | null;
  readonly inverse: Uint8Array;
  /** Entries for the audit log. */
  readonly audited: readonly NewAuditEntry[];
}

/** The new commit, the state it is based on, and the access epoch of the rights used in its calculation. */
interface CommitTransition {
  readonly state: DocumentState;
  readonly base: DocumentState;
  readonly epoch: number;
}

/**
 * The guard comes first, so that a unit on an outdated base reports exactly that, even if other statements would fail
 * as well.
 */
export function buildCommitStatements(
  id: string,
  { userId, origin, tokenId, tokenName, requestId }: CommitAuthor,
  { state, base, epoch }: CommitTransition,
  { delta, areas, rowOrders, structure, inverse, audited }: LoggedChange,
): readonly Statement[] {
  const { head, committedAt } = state;
  const { revision } = state.snapshot;
  const { all, api } = countEntries(audited);
  const move = {
    id,
    revision: base.snapshot.revision,
    head: base.head,
    nextRevision: revision,
    nextHead: head,
    calculatedAt: state.calculatedAt,
    committedAt,
    epoch,
    audited: all,
    apiAudited: api,
  };
  return [
    RECALCULATIONS.has(origin) ? recalculateDocument(move) : advanceDocument(move),
    insertCommit({
      document_id: id,
      revision,
      head,
      parent: base.head,
      at: committedAt,
      author_id: userId,
      origin,
      token_id: tokenId,
      token_name: tokenName,
      request_id: requestId ?? null,
      delta,
      areas,
      row_orders: rowOrders,
      structure,
      inverse,
    }),
    ...insertNumberedAudits(audited),
  ];
}
