import { areaText, type Edit } from '@cellwire/engine';
import type { Statement } from '@cellwire/store';
import { bumpAccessEpoch } from '@cellwire/store/accounts';
import { copyProtection } from '@cellwire/store/documents';
import { decideProposal, type ProposalRow, type ProposalState } from '@cellwire/store/proposals';
import type { Access, DocumentAccess } from '../../access/access.ts';
import { type AccessRefusal, ROLE_FORBIDS } from '../../access/refusal.ts';
import { canWrite } from '../../access/roles.ts';
import type { BatchResult, CommitStamp, ProposalHead } from '../../documents/types.ts';
import { buildAccessGuard } from '../access-guard.ts';
import { commitOncePerKey } from '../access-retry.ts';
import type { CommitConflict } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import { type AuditNote, buildAuditStatements } from '../history/audit-log.ts';
import { type KeyedRequest, keepReplyRow } from '../idempotency.ts';
import { openReading } from '../open-table.ts';
import { formatQualifiedRange } from '../ranges.ts';
import { isRefusal, type Refusal, SHEET_PROTECTED, VALUES_HIDDEN } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import { prepareAndWrite } from '../write.ts';
import type { ProposeWrite, WriteDescription, WriteProposal, WriteRequest } from '../write-request.ts';
import { decodeContent, type ProposalContent } from './content.ts';
import {
  type CurrentChanges,
  computeCurrentChanges,
  findConflicts,
  prepareUndoAgain,
  toProposalAuthor,
  translateEdits,
} from './current-changes.ts';
import { type AnnounceProposal, createAnnouncer } from './events.ts';
import { followExpectations, readPlacesSince } from './follow-input.ts';
import { touchesHiddenCells } from './hidden-writes.ts';
import { openApplierRights, type PlanFeature } from './proposer.ts';
import { findProposal } from './read.ts';
import { summarizeNotes } from './store-proposal.ts';
import { checkIsOpen, formatChanges, type ProposedChanges, toProposalView } from './view.ts';

/** A requested decision about a proposal. */
export interface DecisionRequest {
  readonly id: string;
  readonly reason: string | null;
  readonly access: DocumentAccess;
  readonly keyed: KeyedRequest | null;
  readonly reauthorize: () => Promise<DocumentAccess | AccessRefusal>;
}

export interface ApplyRequest extends DecisionRequest {
  /** Opens the document with the proposer's rights. */
  readonly open: Access;
  readonly ifRevision: number | null;
  /** The plan's feature that an operation needs; both users must have it. */
  readonly findFeature: (operation: string) => PlanFeature;
}

/** Refuses the proposing token, tokens whose writes need consent, agents' tokens and roles that cannot write. */
export function checkDecider({ caller, role }: DocumentAccess, row: ProposalRow): Refusal | null {
  const { principal } = caller;
  const isOwnToken = principal.kind === 'token' && principal.id === row.token_id;
  return isOwnToken || caller.proposes || caller.agent || !canWrite(role) ? ROLE_FORBIDS : null;
}

/** Rejects a proposal, or withdraws the caller's own. */
export function endProposal(
  context: ServiceContext,
  decision: DecisionRequest,
  state: Extract<ProposalState, 'rejected' | 'withdrawn'>,
): Promise<WriteReply | Refusal> {
  const { access: by, keyed, reauthorize } = decision;
  return commitOncePerKey(context, { by, keyed, reauthorize }, (access) =>
    attemptDecision(context, { ...decision, access }, state),
  );
}

/** Tries to reject or withdraw the proposal once; refused if it is not open or the caller may not decide. */
async function attemptDecision(
  context: ServiceContext,
  { id, reason, access, keyed }: DecisionRequest,
  state: 'rejected' | 'withdrawn',
): Promise<WriteReply | Refusal | CommitConflict> {
  const { caller, documentId } = access;
  const row = await findProposal(context, documentId, id);
  if (isRefusal(row)) return row;
  const refusal = state === 'rejected' ? checkDecider(access, row) : checkWithdrawer(access, row);
  if (refusal !== null) return refusal;
  const now = context.clock();
  const closed = checkIsOpen(row, now);
  if (closed !== null) return closed;
  const reading = await openReading(context, access);
  if (isRefusal(reading)) return reading;
  const content = await decodeContent(row.content);
  const { changes } = await computeCurrentChanges(context, access, row, { content, reading });
  const decided = toDecidedRow(row, { state, access, at: now, reason, revision: null, changes });
  const body = JSON.stringify({ proposal: toProposalView(decided, changes, { conflicts: [], now }, access) });
  const announce = await createAnnouncer(context.database, documentId, now);
  const action = state === 'rejected' ? 'reject' : 'withdraw';
  const outcome = await context.database.write({
    document: documentId,
    user: caller.userId,
    statements: [
      ...buildAccessGuard(access),
      buildDecision(decided),
      ...buildAuditStatements(access, [buildDecisionNote(action, row, content.notes)], now),
      ...announce({
        event: 'proposal.decided',
        row: decided,
        by: access,
        at: now,
        revision: reading.snapshot.revision,
      }),
      ...(keyed === null ? [] : [keepReplyRow(context, keyed, body, now)]),
    ],
  });
  if (outcome.kind === 'conflict') return { kind: 'conflict', conflict: outcome.conflict };
  context.commits.relayForeignCommit(documentId);
  return { kind: 'reply', body, revision: null, replayed: false };
}

/** Only the proposer may withdraw, with any token or session. */
function checkWithdrawer({ caller }: DocumentAccess, row: ProposalRow): Refusal | null {
  return caller.userId === row.user_id ? null : ROLE_FORBIDS;
}

interface DecisionRecord {
  readonly state: Exclude<ProposalState, 'open'>;
  readonly access: DocumentAccess;
  readonly at: number;
  readonly reason: string | null;
  readonly revision: number | null;
  readonly changes: ProposedChanges;
}

/** The row with its decision. */
function toDecidedRow(row: ProposalRow, { state, access, at, reason, revision, changes }: DecisionRecord): ProposalRow {
  const { userId, userName } = access.caller;
  return {
    ...row,
    ...{ state, reason, revision, decided_by: userId, decided_by_name: userName, decided_at: at },
    ...{ preview: formatChanges(changes), counts: JSON.stringify(changes.counts) },
  };
}

/** The statement that stores the decision of a row. */
function buildDecision(row: ProposalRow): Statement {
  const { document_id, id, version, state, reason, revision, preview, counts } = row;
  if (row.decided_by === null || row.decided_at === null) throw new Error('A decision without a person');
  const { decided_by, decided_at: at } = row;
  return decideProposal({ document_id, id, version, state, reason, revision, preview, counts, decided_by, at });
}

/** The audit entry of a decision, with the range and number of cells of the writes. */
function buildDecisionNote(
  action: 'apply' | 'reject' | 'withdraw',
  row: ProposalRow,
  notes: readonly AuditNote[],
): AuditNote {
  const [range, cells] = summarizeNotes(notes);
  const proposedBy = { id: row.user_id, name: row.user_name ?? '' };
  return { action, range, cells, proposal: { proposal: row.id, action: row.action, proposedBy } };
}

/** A proposal that is ready to be applied on one state of the document. */
interface PreparedApplication {
  readonly row: ProposalRow;
  readonly content: ProposalContent;
  readonly present: CurrentChanges;
  readonly announce: AnnounceProposal;
}

/** Writes what a proposal's preview showed, or nothing. */
export async function applyProposal(context: ServiceContext, application: ApplyRequest): Promise<WriteReply | Refusal> {
  const first = await readApplyRights(context, application, application.access);
  if (isRefusal(first)) return first;
  const { row: found, shared } = first;
  const content = await decodeContent(found.content);
  const expected = await readCurrentValues(context, shared, found, content);
  if (isRefusal(expected)) return expected;
  const request: WriteRequest = {
    access: shared,
    keyed: application.keyed,
    preconditions: content.preconditions,
    ifRevision: application.ifRevision,
    expected,
    bodyBytes: 0,
    reauthorize: async () => {
      const access = await application.reauthorize();
      if (isRefusal(access)) return access;
      const renewed = await readApplyRights(context, application, access);
      // The next attempt checks again and reports the missing right.
      return isRefusal(renewed) ? { ...access, lockedSheets: access.lockedSheets } : renewed.shared;
    },
  };
  let prepared: PreparedApplication | null = null;
  let refused: Refusal | null = null;
  const apply = {
    author: toProposalAuthor(found, shared.caller.requestId),
    check: (head: ProposalHead) => refused ?? (prepared && checkConditions(prepared, head)),
    describe: (described: WriteDescription, result: BatchResult, commit: CommitStamp) =>
      describeAppliedProposal(application, shared, prepared, { described, result, commit }),
  };
  const reply = await prepareAndWrite(
    context,
    { ...request, apply },
    async (access): Promise<ProposeWrite | Refusal> => {
      const renewed = await readApplyRights(context, application, access);
      if (isRefusal(renewed)) return renewed;
      const outcome = await prepareApplication(context, access, renewed.row, application);
      if (isRefusal(outcome)) {
        refused = outcome;
        return outcome;
      }
      prepared = outcome;
      return createProposalWriter(context, access, outcome);
    },
  );
  if (isRefusal(reply)) return explainApplyRefusal(context, application, reply);
  context.commits.relayForeignCommit(application.access.documentId);
  return reply;
}

/**
 * The reason why a proposal was not applied. If the proposal was decided in the meantime, the writes of that decision
 * can be what failed the preconditions.
 */
async function explainApplyRefusal(context: ServiceContext, { id, access }: ApplyRequest, refusal: Refusal) {
  if (refusal.reason !== 'preconditionFailed') return refusal;
  const row = await findProposal(context, access.documentId, id);
  return (isRefusal(row) ? null : checkIsOpen(row, context.clock())) ?? refusal;
}

/** The expected values of the original request, at the current places of their cells. */
async function readCurrentValues(
  context: ServiceContext,
  access: DocumentAccess,
  row: ProposalRow,
  { expected }: ProposalContent,
): Promise<ProposalContent['expected'] | Refusal> {
  if (expected.length === 0) return expected;
  const reading = await openReading(context, access);
  if (isRefusal(reading)) return reading;
  const places = await readPlacesSince(context, row, reading.snapshot);
  return places === null ? expected : followExpectations(expected, places);
}

interface ProposalRights {
  readonly row: ProposalRow;
  readonly shared: DocumentAccess;
}

/** The proposal, and the current rights that the proposer and the caller share. */
async function readApplyRights(
  context: ServiceContext,
  { id, open, findFeature: featureOf }: ApplyRequest,
  deciderAccess: DocumentAccess,
): Promise<ProposalRights | Refusal> {
  const row = await findProposal(context, deciderAccess.documentId, id);
  if (isRefusal(row)) return row;
  const decider = checkDecider(deciderAccess, row);
  if (decider !== null) return decider;
  const closed = checkIsOpen(row, context.clock());
  if (closed !== null) return closed;
  const { operation } = await decodeContent(row.content);
  const rights = await openApplierRights({ context, access: open, row, by: deciderAccess }, featureOf(operation.id));
  return isRefusal(rights) ? rights : { row, shared: rights.shared };
}

/** What applying a proposal needs from the newest state; refused if its sheets are hidden or locked. */
async function prepareApplication(
  context: ServiceContext,
  access: DocumentAccess,
  row: ProposalRow,
  { access: by }: ApplyRequest,
): Promise<PreparedApplication | Refusal> {
  const content = await decodeContent(row.content);
  const reading = await openReading(context, access);
  if (isRefusal(reading)) return reading;
  if (content.writes.some((sheet) => access.lockedSheets.has(sheet))) return SHEET_PROTECTED;
  if (touchesHiddenCells(row, content, by)) return VALUES_HIDDEN;
  const present = await computeCurrentChanges(context, access, row, { content, reading });
  const announce = await createAnnouncer(context.database, access.documentId, context.clock());
  return { row, content, present, announce };
}

/** Refuses the application if watched cells or the required revision have changed; null if it may be applied. */
function checkConditions(
  { content, present }: PreparedApplication,
  head: ProposalHead,
): Refusal | CommitConflict | null {
  const conflicts = findConflicts(content, present, head);
  if ('kind' in conflicts) return conflicts;
  const failed = { kind: 'refusal', reason: 'preconditionFailed', revisionId: String(head.revision) } as const;
  if (conflicts.length > 0) return { ...failed, conflicts };
  const { ifRevision } = content;
  return ifRevision === null || ifRevision === head.revision ? null : { ...failed, conflicts: [] };
}

/** A function that proposes the edits to the pipeline, at the places of the newest state. */
async function createProposalWriter(
  context: ServiceContext,
  access: DocumentAccess,
  { content, present }: PreparedApplication,
): Promise<ProposeWrite | Refusal> {
  const { moves, reading } = present;
  if (content.edits === null) {
    const again = await prepareUndoAgain(context, access, content, reading);
    if (isRefusal(again)) return again;
    return (head) => {
      const proposed = again(head);
      if ('kind' in proposed) return proposed;
      const { edits, marks } = proposed;
      return { edits, describe: (_done, commit) => ({ body: {}, notes: [], extraStatements: marks(commit) }) };
    };
  }
  return (head, rights): WriteProposal | Refusal => {
    const edits = moves === null ? null : translateEdits(content, head, moves);
    if (edits === null) {
      const revisionId = String(head.revision);
      return { kind: 'refusal', reason: 'preconditionFailed', revisionId, conflicts: present.conflicts };
    }
    const isSame = (moves ?? []).length === 0 && content.target !== null;
    const locked = [...rights.lockedSheets];
    return {
      edits: edits.map((edit) => (edit.kind === 'takeBack' ? { ...edit, locked } : edit)),
      ...(isSame && content.target !== null ? { target: content.target } : {}),
      ...((moves ?? []).length === 0 && content.structure ? { structure: content.structure } : {}),
      describe: () => ({ body: {}, notes: [], extraStatements: copyProtections(rights.documentId, edits, head) }),
    };
  };
}

/** A copy of a sheet has the protection of that sheet. */
function copyProtections(
  document_id: string,
  edits: readonly Edit[],
  { nextSheetId }: ProposalHead,
): readonly Statement[] {
  let next = nextSheetId;
  const copies: Statement[] = [];
  for (const edit of edits) {
    if (edit.kind === 'duplicateSheet') copies.push(copyProtection({ document_id, from: edit.sheet, to: next }));
    if (edit.kind === 'duplicateSheet' || edit.kind === 'addSheet') next++;
  }
  return copies.length === 0 ? [] : [...copies, bumpAccessEpoch({})];
}

/** The notes, with the current position of the written range. */
function updateNotes(notes: readonly AuditNote[], { outcomes, after }: BatchResult): readonly AuditNote[] {
  const [only, ...others] = outcomes;
  const [note] = notes;
  const name = after.find(({ id }) => id === only?.sheet)?.name;
  if (note === undefined || others.length > 0 || !only?.area || name === undefined || note.range === '') return notes;
  return [{ ...note, range: formatQualifiedRange(name, areaText(only.area)), cells: only.cells }];
}

interface AppliedWrite {
  readonly described: WriteDescription;
  readonly result: BatchResult;
  readonly commit: CommitStamp;
}

/** The reply, the audit entries and the statements of an applied proposal. */
function describeAppliedProposal(
  { reason }: ApplyRequest,
  access: DocumentAccess,
  prepared: PreparedApplication | null,
  { described, result, commit }: AppliedWrite,
): WriteDescription {
  if (prepared === null) throw new Error('A proposal is applied that was not prepared');
  const { row, content, present, announce } = prepared;
  const { changes } = present;
  const { revision, at } = commit;
  const decided = toDecidedRow(row, { state: 'applied', access, at, reason, revision, changes });
  return {
    body: { proposal: toProposalView(decided, changes, { conflicts: [], now: at }, access) },
    notes: [buildDecisionNote('apply', row, updateNotes(content.notes, result))],
    extraStatements: [
      buildDecision(decided),
      ...announce({ event: 'proposal.decided', row: decided, by: access, at, revision }),
      ...(described.extraStatements ?? []),
    ],
  };
}
