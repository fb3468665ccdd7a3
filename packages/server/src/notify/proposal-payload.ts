import { jsonText } from '@cellwire/engine';
import type { NotificationsTable } from '@cellwire/store';
import { parseStoredJson, parseStoredList } from '@cellwire/store/stored-forms';
import type { StoredAuthor } from '@cellwire/store/webhooks';
import type { SheetCount } from '../documents/preview.ts';
import type { AnnouncedProposal } from '../service/proposals/events.ts';
import { type ProposalListEntry, toListEntry } from '../service/proposals/view.ts';
import { type AttemptFacts, buildCommonHead, type DocumentFacts } from './payload.ts';

/** Whether a notification is about a proposal and not about changes. */
export function isAboutProposal({ kind }: NotificationsTable): boolean {
  return kind === 'proposal.opened' || kind === 'proposal.decided';
}

/** The payload of a notification about a proposal, without the content of the `hidden` sheets. */
export class ProposalPayload {
  readonly isEmpty = false;
  readonly event: string;
  private readonly notification: NotificationsTable;
  private readonly document: DocumentFacts;
  private readonly proposal: ProposalListEntry;

  constructor(notification: NotificationsTable, document: DocumentFacts, hidden: ReadonlySet<number>, now: number) {
    this.notification = notification;
    this.event = notification.kind;
    const announced = parseStoredJson<AnnouncedProposal>(notification.records ?? '{}', 'The details of a notification');
    const row = { ...announced, content: new Uint8Array(), preview: '', damage: [] };
    const counts = parseStoredList<SheetCount>(announced.counts, 'The counts of a notification');
    // A late notification of an opened proposal still shows it as open.
    const at = announced.state === 'open' ? announced.created_at : now;
    this.proposal = toListEntry(row, { counts, conflicts: [], now: at }, { hiddenSheets: hidden });
    const { url } = document;
    this.document = { ...document, url: url === null ? null : `${url}?proposal=${this.proposal.id}` };
  }

  /** The body, as the bytes that are signed and sent. */
  buildBody({ deliveryId, attempt, at }: AttemptFacts): Buffer {
    const { notification } = this;
    const authors = parseStoredList<StoredAuthor>(notification.authors, 'The authors of a notification');
    return Buffer.from(
      jsonText({
        ...buildCommonHead(this.event, notification, this.document, authors),
        proposal: this.proposal,
        deliveryId,
        attempt,
        deliveredAt: new Date(at).toISOString(),
      }),
    );
  }

  /** What the proposal would do, after “to”. */
  private describeAction(): string {
    const { action, summary, hidden } = this.proposal;
    if (summary.written === 0 && hidden) return 'change cells that are hidden from you';
    if (summary.written === 1) return 'change 1 cell';
    return summary.written > 1
      ? `change ${summary.written} cells`
      : (ACTIONS_WITHOUT_CELLS[action] ?? 'change no values');
  }

  /** The message in a chat. */
  formatChatText(): string {
    const { title, proposedBy, state, decidedBy, reason, summary } = this.proposal;
    const inSheets = summary.sheets.length === 0 ? '' : ` in ${summary.sheets.join(', ')}`;
    const headline =
      this.event === 'proposal.opened'
        ? `${proposedBy.name} proposes to ${this.describeAction()}${inSheets}`
        : `Proposal of ${proposedBy.name} ${state}${decidedBy === null ? '' : ` by ${decidedBy.name}`}`;
    const lines = [this.document.title, title ?? '', headline, reason ?? '', this.document.url ?? ''];
    return lines
      .filter((line) => line !== '')
      .map((line) => (line.length > MAX_LINE_LENGTH ? `${[...line].slice(0, MAX_LINE_LENGTH).join('')}…` : line))
      .join('\n');
  }
}

/** What writes do that change no cell, by their action. */
const ACTIONS_WITHOUT_CELLS: Readonly<Record<string, string>> = {
  format: 'change formats or sizes',
  structure: 'change rows, columns or sheets',
  'sheet.create': 'add a sheet',
  'sheet.rename': 'rename a sheet',
  'sheet.delete': 'delete an empty sheet',
  'sheet.hide': 'hide a sheet',
  'sheet.show': 'show a hidden sheet',
};

/** Maximum characters of a line, so that a message never exceeds the messenger's limit. */
const MAX_LINE_LENGTH = 700;
