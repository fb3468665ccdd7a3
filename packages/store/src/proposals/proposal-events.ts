import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

export type ProposalEvent = 'proposal.opened' | 'proposal.decided';

/** Adds an event for event streams. The unit that opens or decides the proposal must contain this statement. */
export const addProposalEvent = prepareStatement(
  (p: { document_id: string; proposal_id: string; event: ProposalEvent; at: number }) =>
    sql
      .insertInto('proposal_events')
      .columns(['document_id', 'number', 'proposal_id', 'event', 'at'])
      .expression(
        sql
          .selectFrom('documents')
          .select(({ ref, val, eb, fn, selectFrom, lit, cast }) => [
            ref('documents.id').as('document_id'),
            eb(
              fn.coalesce(
                selectFrom('proposal_events')
                  .select((eb) => eb.fn.max<number>('proposal_events.number').as('last'))
                  .where('proposal_events.document_id', '=', p.document_id)
                  .$asScalar(),
                lit(0),
              ),
              '+',
              lit(1),
            ).as('number'),
            val(p.proposal_id).as('proposal_id'),
            val(p.event).as('event'),
            cast<number>(val(p.at), 'bigint').as('at'),
          ])
          .where('documents.id', '=', p.document_id),
      ),
);

/** The last event before a time; null if there is none. */
export const proposalEventBefore = prepareQuery((p: { document_id: string; at: number }) =>
  sql
    .selectFrom('proposal_events')
    .select(({ fn }) => fn.max<number | null>('number').as('number'))
    .where('document_id', '=', p.document_id)
    .where('at', '<', p.at),
);

export const proposalEventsAfter = prepareQuery((p: { document_id: string; after: number; limit: number }) =>
  sql
    .selectFrom('proposal_events')
    .select(['number', 'proposal_id', 'event'])
    .where('document_id', '=', p.document_id)
    .where('number', '>', p.after)
    .orderBy('number')
    .limit(p.limit),
);

/** Deletes old events. The newest event is kept, because later events continue its numbers. */
export const deleteOldProposalEvents = prepareStatement((p: { id: string; before: number }) =>
  sql
    .deleteFrom('proposal_events')
    .where('document_id', '=', p.id)
    .where('at', '<', p.before)
    .where(({ eb, selectFrom }) =>
      eb(
        'number',
        '<',
        selectFrom('proposal_events as newest')
          .select(({ fn }) => fn.max<number>('newest.number').as('number'))
          .where('newest.document_id', '=', p.id),
      ),
    ),
);

/** Deletes the events of a deleted document. */
export const deleteProposalEvents = prepareStatement((p: { id: string }) =>
  sql.deleteFrom('proposal_events').where('document_id', '=', p.id),
);
