import { withSealing } from '../database/checksum.ts';
import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

/** SQL `like` patterns for records that mention a user as proposer or decider. */
type UserPatterns = {
  /** Pattern for an audit entry or a reply. */
  readonly proposer: string;
  /** Patterns for a notification. */
  readonly by: string;
  readonly decider: string;
  readonly user_id: number;
};

/** `LIKE` patterns that find a user's id in stored JSON. */
export function createUserPatterns(user: number): UserPatterns {
  return {
    user_id: user,
    proposer: `%"proposedBy":{"id":${user},%`,
    by: `%"user_id":${user},%`,
    decider: `%"decided_by":${user},%`,
  };
}

const PROPOSAL_EVENTS = ['proposal.opened', 'proposal.decided'] as const;

/** Documents with proposal records that mention a user. */
export const documentsOfProposals = [
  prepareQuery((p: UserPatterns) =>
    sql.selectFrom('audit').select('document_id').distinct().where('proposal', 'like', p.proposer),
  ),
  prepareQuery((p: UserPatterns) =>
    sql
      .selectFrom('notifications')
      .select('document_id')
      .distinct()
      .where('kind', 'in', PROPOSAL_EVENTS)
      .where(({ or, eb }) => or([eb('records', 'like', p.by), eb('records', 'like', p.decider)])),
  ),
  prepareQuery((p: UserPatterns) =>
    sql
      .selectFrom('proposals')
      .select('document_id')
      .distinct()
      .where(({ or, eb }) => or([eb('user_id', '=', p.user_id), eb('decided_by', '=', p.user_id)])),
  ),
] as const;

export const auditEntriesOfProposer = prepareQuery(
  (p: { document: string; proposer: string; after: number; limit: number }) =>
    sql
      .selectFrom('audit')
      .select(['id', 'proposal'])
      .where('document_id', '=', p.document)
      .where('id', '>', p.after)
      .where('proposal', 'like', p.proposer)
      .orderBy('id')
      .limit(p.limit),
);

export const setEntryProposal = prepareStatement((p: { document_id: string; id: number; proposal: string }) =>
  sql
    .updateTable('audit')
    .set({ proposal: p.proposal })
    .where('document_id', '=', p.document_id)
    .where('id', '=', p.id),
);

export const proposalNotificationsOf = prepareQuery(
  (p: Pick<UserPatterns, 'by' | 'decider'> & { document: string; after: string; limit: number }) =>
    sql
      .selectFrom('notifications')
      .select(['id', 'records'])
      .where('document_id', '=', p.document)
      .where('id', '>', p.after)
      .where('kind', 'in', PROPOSAL_EVENTS)
      .where(({ or, eb }) => or([eb('records', 'like', p.by), eb('records', 'like', p.decider)]))
      .orderBy('id')
      .limit(p.limit),
);

export const setProposalNotification = prepareStatement((p: { document_id: string; id: string; records: string }) =>
  sql
    .updateTable('notifications')
    .set({ records: p.records })
    .where('document_id', '=', p.document_id)
    .where('id', '=', p.id),
);

/** Stored replies to other users that contain proposals of a user. */
export const deleteRepliesShowingProposer = prepareStatement((p: { document_id: string; proposer: string }) =>
  sql.deleteFrom('idempotency').where('document_id', '=', p.document_id).where('reply', 'like', p.proposer),
);

export const eraseTokenNameOfProposals = withSealing(
  'proposals',
  prepareStatement((p: { document_id: string; user_id: number; token: string; name_sum: number | null }) =>
    sql
      .updateTable('proposals')
      .set({ token_name: p.token, name_sum: p.name_sum })
      .where('document_id', '=', p.document_id)
      .where('user_id', '=', p.user_id)
      .where('token_name', 'is not', null),
  ),
  ({ token }) => ({ token_name: token }),
  { name_sum: 'name_sum' },
);
