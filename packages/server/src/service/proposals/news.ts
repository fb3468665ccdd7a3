import { type ProposalEvent, proposalById, proposalEventBefore, proposalEventsAfter } from '@cellwire/store/proposals';
import type { DocumentAccess } from '../../access/access.ts';
import { PROPOSAL_NEWS_STEP } from '../../limits/proposals.ts';
import type { ServiceContext } from '../context.ts';
import { type ProposalListEntry, parseListedCounts, toListEntry } from './view.ts';

/** A reader's position among the events of a document's proposals. */
export type NewsPosition =
  /** Starts with events after a time. */
  | { readonly since: number }
  /** The last event that was sent. */
  | { readonly after: number };

interface ProposalNewsPage {
  readonly entries: readonly { readonly event: ProposalEvent; readonly proposal: ProposalListEntry }[];
  readonly place: NewsPosition;
  readonly hasMore: boolean;
}

/** Events after a position that the reader may see. */
export async function readProposalNews(
  { database, clock }: Pick<ServiceContext, 'database' | 'clock'>,
  reader: Pick<DocumentAccess, 'documentId' | 'hiddenSheets'>,
  position: NewsPosition,
): Promise<ProposalNewsPage> {
  const { documentId: document_id } = reader;
  const after = 'after' in position ? position.after : await readLastEventBefore(database, document_id, position.since);
  const rows = await database.read(proposalEventsAfter({ document_id, after, limit: PROPOSAL_NEWS_STEP }));
  const now = clock();
  const entries: { readonly event: ProposalEvent; readonly proposal: ProposalListEntry }[] = [];
  for (const { proposal_id: id, event } of rows) {
    const row = await database.readOne(proposalById({ document_id, id }));
    if (row === null) continue;
    const counts = parseListedCounts(row);
    entries.push({ event, proposal: toListEntry(row, { counts, conflicts: [], now }, reader) });
  }
  return { entries, place: { after: rows.at(-1)?.number ?? after }, hasMore: rows.length === PROPOSAL_NEWS_STEP };
}

/** The number of the newest event about proposals before a time; 0 if there is none. */
async function readLastEventBefore(
  database: ServiceContext['database'],
  document_id: string,
  time: number,
): Promise<number> {
  return (await database.readOne(proposalEventBefore({ document_id, at: time })))?.number ?? 0;
}
