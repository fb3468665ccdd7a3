import type { ProposalRow } from '@cellwire/store/proposals';
import type { DocumentAccess } from '../../access/access.ts';
import { ROLE_FORBIDS } from '../../access/refusal.ts';
import { grantsScope } from '../../access/scopes.ts';
import { MAX_WRITE_ATTEMPTS } from '../../limits/documents.ts';
import { resolveInputLocale } from '../../service/cells/input-locale.ts';
import { openReading } from '../../service/open-table.ts';
import { decodeContent } from '../../service/proposals/content.ts';
import { computeCurrentState } from '../../service/proposals/current-changes.ts';
import { checkDecider } from '../../service/proposals/decide.ts';
import {
  followExpectations,
  followOperation,
  readInputLocale,
  readPlacesSince,
} from '../../service/proposals/follow-input.ts';
import { touchesHiddenCells } from '../../service/proposals/hidden-writes.ts';
import { checkWriter, openProposerAccess } from '../../service/proposals/proposer.ts';
import { findProposal, showProposal } from '../../service/proposals/read.ts';
import { checkIsOpen } from '../../service/proposals/view.ts';
import { BUSY, isRefusal, type Refusal, VALUES_HIDDEN } from '../../service/refusal.ts';
import { toJsonContent } from '../answer.ts';
import type { Call } from '../call.ts';
import { defineChange } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { DECISION_ANSWERS, DecisionBody, PROPOSALS_TAG, ProposalPath } from '../schemas/proposals.ts';
import { PROPOSER_REQUIREMENTS } from './decisions.ts';
import { PROPOSAL_EXAMPLE } from './examples.ts';
import { findPlanFeature, findProposedOperation } from './proposed-operation.ts';
import { toStoredCall } from './stored-call.ts';

export const rebaseProposal = defineChange({
  id: 'rebaseProposal',
  isKeyed: false,
  http: { method: 'POST', path: '/documents/{document}/proposals/{proposal}/rebase' },
  requires: PROPOSER_REQUIREMENTS,
  tag: PROPOSALS_TAG,
  summary: 'Compute a proposal’s preview again on the newest state',
  description:
    'Runs the proposed request again as a proposal, with the document’s present revision as its `ifRevision` and `If-Match`. Values of cells that are deleted since are left out; if none of the cells remains, the answer is 412. If the request would now be refused, the answer is this refusal, and the proposal does not change. Allowed for the user who proposed it and for users who may apply it.',
  params: ProposalPath,
  body: DecisionBody,
  answers: { ...REFUSALS, ...DECISION_ANSWERS },
  example: { request: {}, answer: { proposal: PROPOSAL_EXAMPLE } },

  async run(call, { proposal: id }) {
    const { context, document } = call;
    const refusal = await rebaseNewestProposal(call, id);
    if (refusal !== null) return refusal;
    const row = await findProposal(context, document.documentId, id);
    if (isRefusal(row)) return row;
    const proposal = await showProposal(context, document, row);
    return isRefusal(proposal) ? proposal : toJsonContent({ proposal });
  },
});

/** Rebases a proposal. If a decision or another rebase comes first, it begins again with what that left. */
async function rebaseNewestProposal(call: Call, id: string): Promise<Refusal | null> {
  const { context, document } = call;
  for (let attempt = 1; ; attempt++) {
    const row = await findProposal(context, document.documentId, id);
    if (isRefusal(row)) return row;
    const refusal = await rebaseStoredProposal(call, row);
    if (refusal?.reason !== 'busy' || attempt === MAX_WRITE_ATTEMPTS) return refusal;
    const present = await findProposal(context, document.documentId, id);
    if (isRefusal(present)) return present;
    if (present.version === row.version && checkIsOpen(present, context.clock()) === null) return refusal;
  }
}

/** Repeats a proposed request on the newest state and stores the result. Null on success. */
async function rebaseStoredProposal(call: Call, row: ProposalRow): Promise<Refusal | null> {
  const { context, document } = call;
  const forbidden = checkRebaser(document, row);
  if (forbidden !== null) return forbidden;
  const closed = checkIsOpen(row, context.clock());
  if (closed !== null) return closed;
  const content = await decodeContent(row.content);
  if (touchesHiddenCells(row, content, document)) return VALUES_HIDDEN;
  const operation = findProposedOperation(content.operation.id);
  if (operation === null) return BUSY;
  const renew = async () => {
    const by = await call.renewDocument();
    return isRefusal(by) ? by : openProposerAccess({ context, access: call.access, row, by });
  };
  const proposer = await renew();
  if (isRefusal(proposer)) return proposer;
  const lacking = checkWriter(proposer, findPlanFeature(operation.id));
  if (lacking !== null) return lacking;
  const reading = await openReading(context, proposer);
  if (isRefusal(reading)) return reading;
  const { snapshot } = reading;
  const places = await readPlacesSince(context, row, snapshot);
  const locale = resolveInputLocale(readInputLocale(content.operation.input), proposer, snapshot);
  const followed = places === null ? content.operation : followOperation(content.operation, { places, locale });
  if (isRefusal(followed)) {
    const { conflicts } = await computeCurrentState(context, row.document_id, row, content, reading);
    return { kind: 'refusal', reason: 'preconditionFailed', revisionId: String(snapshot.revision), conflicts };
  }
  const expected = places === null ? content.expected : followExpectations(content.expected, places);
  const rebased = {
    ...{ id: row.id, version: row.version },
    hasRevision: content.ifRevision !== null,
    hasMatch: content.preconditions !== null,
  };
  const propose = { title: row.title, note: row.note, operation: followed, rebased };
  const conditions = {
    ...{ preconditions: null, ifRevision: null, expected },
    ...{ dryRun: false, keyed: null, base: null, propose },
  };
  const stored = toStoredCall(call, { document: proposer, conditions, renew: renew as Call['renewDocument'] });
  const answer = await operation.run(stored, followed.input);
  return isRefusal(answer) ? answer : null;
}

/** Allows the user who proposed, with any credentials, and users who may apply the proposal. */
function checkRebaser(access: DocumentAccess, row: ProposalRow): Refusal | null {
  if (access.caller.userId === row.user_id) return null;
  return grantsScope(access.caller.scopes, 'sheets.write') ? checkDecider(access, row) : ROLE_FORBIDS;
}
