import { randomUUID } from 'node:crypto';
import type { Database, Statement } from '@cellwire/store';
import { addProposalEvent, type ProposalEvent, type ProposalRow } from '@cellwire/store/proposals';
import { formatStructure, parseStoredList } from '@cellwire/store/stored-forms';
import { activeSubscriptions, insertDelivery, insertNotification } from '@cellwire/store/webhooks';
import type { DocumentAccess } from '../../access/access.ts';
import { describeToken } from '../../access/callers.ts';
import { toAuditOrigin } from '../history/audit-log.ts';
import { readRightsOfCreators } from '../webhooks/subscription-rights.ts';

/** A proposal at the time of an event, in the form that notifications store. */
export type AnnouncedProposal = Omit<ProposalRow, 'content' | 'preview' | 'damage'>;

/** An event of a proposal. */
interface ProposalNews {
  readonly event: ProposalEvent;
  /** The proposal after the event. */
  readonly row: ProposalRow;
  /** The user who caused the event; null: the proposal expired. */
  readonly by: DocumentAccess | null;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
  /** The document's revision. */
  readonly revision: number;
}

/** Builds the statements of a unit that opens or decides a proposal. */
export type AnnounceProposal = (news: ProposalNews) => readonly Statement[];

/** Finds the subscriptions to a document's proposals. Each gets its own delivery, without grouping; streams share one event. */
export async function createAnnouncer(database: Database, document: string, now: number): Promise<AnnounceProposal> {
  const rows = await database.read(activeSubscriptions({ document_id: document }));
  const listening = rows.filter(({ damage, events }) => damage.length === 0 && events.includes('"proposal.'));
  const rights = listening.length === 0 ? [] : await readRightsOfCreators(database, document, listening, now);
  const allowed = listening.filter((_row, i) => rights[i]?.kind === 'allowed');
  return (news) => {
    const { event, row, at } = news;
    const notified = allowed.filter(({ events }) =>
      parseStoredList(events, 'The events of a subscription').includes(event),
    );
    const streams = addProposalEvent({ document_id: document, proposal_id: row.id, event, at });
    if (notified.length === 0) return [streams];
    const id = randomUUID();
    return [
      streams,
      buildNotification(document, id, news),
      ...notified.map((subscription) =>
        insertDelivery({
          document_id: document,
          id: randomUUID(),
          webhook_id: subscription.id,
          notification_id: id,
          hidden: '[]',
          created_at: at,
        }),
      ),
    ];
  };
}

/** The statement that notifies subscribers of a new or decided proposal. */
function buildNotification(document: string, id: string, { event, row, by, at, revision }: ProposalNews): Statement {
  const { content: _content, preview: _preview, damage: _damage, ...noted } = row;
  const token = by === null ? { id: null, name: null } : describeToken(by.caller);
  const authors = by === null ? [] : [{ id: by.caller.userId, name: by.caller.userName }];
  return insertNotification({
    document_id: document,
    id,
    kind: event,
    token_id: token.id,
    token_name: token.name,
    request_id: by?.caller.requestId ?? null,
    origin: by !== null && toAuditOrigin(by.caller) === 'browser' ? 'browser' : 'api',
    from_revision: revision,
    to_revision: revision,
    changed_at: at,
    authors: JSON.stringify(authors),
    sheets: '[]',
    structure: formatStructure([]),
    records: JSON.stringify(noted satisfies AnnouncedProposal),
    created_at: at,
  });
}
