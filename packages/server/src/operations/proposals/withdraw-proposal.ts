import { endProposal } from '../../service/proposals/decide.ts';
import { defineChange } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { DECISION_ANSWERS, DecisionBody, PROPOSALS_TAG, ProposalPath } from '../schemas/proposals.ts';
import { PROPOSER_REQUIREMENTS, toDecisionRequest } from './decisions.ts';
import { createDecidedExample } from './examples.ts';

export const withdrawProposal = defineChange({
  id: 'withdrawProposal',
  isKeyed: true,
  http: { method: 'POST', path: '/documents/{document}/proposals/{proposal}/withdraw' },
  requires: PROPOSER_REQUIREMENTS,
  tag: PROPOSALS_TAG,
  summary: 'Withdraw the caller’s own proposal',
  description: 'Nothing is written. Only for the user who proposed it, with any token.',
  params: ProposalPath,
  body: DecisionBody,
  answers: { ...REFUSALS, ...DECISION_ANSWERS },
  example: { request: { reason: 'Checked with accounting' }, answer: { proposal: createDecidedExample('withdrawn') } },

  run: (call, { proposal: id, ...body }) => endProposal(call.context, toDecisionRequest(call, id, body), 'withdrawn'),
});
