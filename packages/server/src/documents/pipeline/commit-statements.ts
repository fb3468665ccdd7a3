import type { Statement } from '@cellwire/store';
import { countEntries, insertNumbered, type NewAuditEntry } from '@cellwire/store/audit';
import { advanceDocument, insertCommit, recalculateDocument } from '@cellwire/store/documents';
import type { StructureText } from '@cellwire/store/stored-forms';
import type { State } from '../state.ts';
import { type Author, RECALCULATIONS } from '../types.ts';

/** What a commit changed, as the log keeps it. */
interface Logged {
  readonly delta: Uint8Array;
  readonly areas: string;
  readonly rowOrders: string | null;
  readonly structure: StructureText | null;
  readonly inverse: Uint8Array;
  /** What the audit log says of it. */
  readonly audited: readonly NewAuditEntry[];
}

/** The commit that is to be, the state it stands on, and the access epoch of the rights it was calculated with. */
interface Move {
  readonly state: State;
  readonly base: State;
  readonly epoch: number;
}

/** The guard comes first, so that a unit without ground says so whatever else is wrong with it. */
export function commitStatements(
  id: string,
  { userId, origin, tokenId, tokenName, requestId }: Author,
  { state, base, epoch }: Move,
  { delta, areas, rowOrders, structure, inverse, audited }: Logged,
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
    ...insertNumbered(audited),
  ];
}
