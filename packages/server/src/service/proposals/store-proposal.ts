import { randomUUID } from 'node:crypto';
import { listNamedSheets } from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import type { Statement } from '@cellwire/store';
import {
  insertProposal,
  PROPOSAL_CHANGED,
  PROPOSALS_FULL,
  type ProposalRow,
  rebaseProposal,
} from '@cellwire/store/proposals';
import type { DocumentAccess } from '../../access/access.ts';
import { describeToken } from '../../access/callers.ts';
import type { BatchResult, ProposalHead } from '../../documents/types.ts';
import { buildAccessGuard } from '../access-guard.ts';
import type { CommitConflict } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import { type AuditNote, buildAuditStatements, toAuditOrigin } from '../history/audit-log.ts';
import { keepReplyRow } from '../idempotency.ts';
import type { Preconditions } from '../preconditions.ts';
import { BUSY, isRefusal, PROPOSAL_LIMIT, type Refusal } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import type { PreviewedWrite, ProposeRequest, WriteProposal, WriteRequest } from '../write-request.ts';
import { encodeContent, type ProposalContent } from './content.ts';
import { createAnnouncer } from './events.ts';
import { formatChanges, type ProposedChanges, toProposalView, toProposedChanges } from './view.ts';
import { listCellsOfEdits, watchCells } from './watched-cells.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Stores a previewed write as a new proposal, or as the new preview of an open one. */
export async function storeProposal(
  context: ServiceContext,
  request: WriteRequest,
  proposed: ProposeRequest,
  previewed: PreviewedWrite,
): Promise<WriteReply | Refusal | CommitConflict> {
  const { access } = request;
  const content = await buildProposalContent(request, proposed, previewed);
  if (proposed.onPreview !== undefined) {
    proposed.onPreview(previewed, content);
    return { kind: 'reply', body: '{}', revision: null, replayed: false };
  }
  const changes = toProposedChanges(previewed.preview);
  const now = context.clock();
  const shared = {
    document_id: access.documentId,
    base_revision: previewed.head.revision,
    counts: JSON.stringify(changes.counts),
    preview: formatChanges(changes),
    content: await encodeContent(content),
  };
  if (proposed.rebased === null) {
    return storeNewProposal(context, request, proposed, { shared, changes, notes: content.notes, now });
  }
  const { id, version } = proposed.rebased;
  const statement = rebaseProposal({ ...shared, id, version, next: version + 1, now });
  const stored = await commitProposal(context, access, [statement], () => ({
    kind: 'reply',
    body: '{}',
    revision: null,
    replayed: false,
  }));
  // The version is fixed, so another attempt would fail, too. The caller reads the proposal again.
  return !isRefusal(stored) && stored.kind === 'conflict' && stored.conflict === PROPOSAL_CHANGED ? BUSY : stored;
}

/** A proposal to store: columns that new and renewed proposals share, and what they were made from. */
interface ProposalToStore {
  readonly shared: Pick<ProposalRow, 'document_id' | 'base_revision' | 'counts' | 'preview' | 'content'>;
  readonly changes: ProposedChanges;
  readonly notes: readonly AuditNote[];
  readonly now: number;
}

/** Stores a new proposal with its audit entry, its event and its kept reply. */
async function storeNewProposal(
  context: ServiceContext,
  { access, keyed }: WriteRequest,
  { title, note: text }: ProposeRequest,
  { shared, changes, notes, now }: ProposalToStore,
): Promise<WriteReply | Refusal | CommitConflict> {
  const id = randomUUID();
  const { caller, documentId } = access;
  const token = describeToken(caller);
  const [range, cells] = summarizeNotes(notes);
  const action = notes[0]?.action ?? 'update';
  const inserted = {
    ...shared,
    id,
    title,
    note: text,
    action,
    user_id: caller.userId,
    token_id: token.id,
    token_name: token.name,
    origin: toAuditOrigin(caller),
    created_at: now,
    expires_at: Math.ceil(now + context.config.proposals.days * DAY_MS),
  };
  const row = {
    ...inserted,
    ...{ state: 'open' as const, version: 0, decided_by: null, decided_at: null, reason: null, revision: null },
    ...{ user_name: caller.userName, decided_by_name: null, damage: [] },
  };
  const body = JSON.stringify({ proposal: toProposalView(row, changes, { conflicts: [], now }, access) });
  const proposedBy = { id: caller.userId, name: caller.userName };
  const note: AuditNote = { action: 'propose', range, cells, proposal: { proposal: id, action, proposedBy } };
  const announce = await createAnnouncer(context.database, documentId, now);
  const news = { event: 'proposal.opened', row, by: access, at: now, revision: shared.base_revision } as const;
  const statements = [
    insertProposal({ ...inserted, now, limit: context.config.proposals.open }),
    ...buildAuditStatements(access, [note], now),
    ...announce(news),
    ...(keyed === null ? [] : [keepReplyRow(context, keyed, body, now, { status: 202 })]),
  ];
  return commitProposal(context, access, statements, () => {
    context.commits.relayForeignCommit(documentId);
    return { kind: 'reply', body, revision: null, replayed: false, isProposal: true };
  });
}

/** Stores a proposal in one unit; refused if the document has too many open ones. */
async function commitProposal(
  { database }: ServiceContext,
  access: DocumentAccess,
  statements: readonly Statement[],
  createReply: () => WriteReply,
): Promise<WriteReply | Refusal | CommitConflict> {
  const unit = { document: access.documentId, user: access.caller.userId };
  const outcome = await database.write({ ...unit, statements: [...buildAccessGuard(access), ...statements] });
  if (outcome.kind === 'committed') return createReply();
  return outcome.conflict === PROPOSALS_FULL ? PROPOSAL_LIMIT : { kind: 'conflict', conflict: outcome.conflict };
}

/** What is stored of a proposal: its edits, its conditions, and the cells it depends on. */
async function buildProposalContent(
  { ifRevision, preconditions, expected }: WriteRequest,
  { operation, rebased }: ProposeRequest,
  { head, proposed, preview }: PreviewedWrite,
): Promise<ProposalContent> {
  const done: BatchResult = {
    outcomes: preview.outcomes,
    warnings: preview.warnings,
    before: head.sheets,
    after: preview.sheets,
  };
  const { redo } = preview;
  const edits = redo === null ? proposed.edits : [{ kind: 'takeBack' as const, inverse: redo, locked: [] }];
  const cells = [...listCellsOfEdits(edits, head.snapshot), ...(proposed.decidedBy ?? [])];
  const { notes } = proposed.describe(done, { revision: head.revision, at: 0 });
  return {
    operation,
    edits: proposed.followsChanges ? null : edits,
    ...(proposed.structure ? { structure: proposed.structure } : {}),
    sheets: head.sheets.map(({ id, name }) => ({ id, name })),
    nextSheetId: head.nextSheetId,
    watched: await runInSlices(watchCells(head.snapshot, cells)),
    writes: listWrittenSheets(proposed, preview),
    notes,
    ifRevision: rebased?.hasRevision ? head.revision : ifRevision,
    preconditions: rebased?.hasMatch ? renewPreconditions(proposed, head) : preconditions,
    target: proposed.target ?? null,
    expected,
    ...(proposed.form === undefined ? {} : { form: proposed.form }),
  };
}

/** The precondition of a rebased proposal: `If-Match` with the state on which the rebase was calculated. */
function renewPreconditions({ target }: WriteProposal, { revision, head }: ProposalHead): Preconditions {
  const position = { revision, commit: head };
  return { any: false, commits: [head], ranges: target === undefined ? [] : [{ target, position, page: '' }] };
}

/** The sheets that a write changes: their cells, their names or their place. */
function listWrittenSheets({ edits }: WriteProposal, { counts }: PreviewedWrite['preview']): readonly number[] {
  const namedSheets = edits.flatMap((edit) => {
    if (edit.kind === 'copy') return [edit.toSheet];
    return edit.kind === 'duplicateSheet' ? [] : listNamedSheets(edit);
  });
  const counted = counts.filter(({ written }) => written > 0).map(({ sheet }) => sheet);
  return [...new Set([...namedSheets, ...counted])];
}

/** The range of a write, or an empty text if it has several; and the number of cells that it writes. */
export function summarizeNotes(notes: readonly AuditNote[]): readonly [range: string, cells: number] {
  const cells = notes.reduce((sum, note) => sum + note.cells, 0);
  return [notes.length === 1 ? (notes[0]?.range ?? '') : '', cells];
}
