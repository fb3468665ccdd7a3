import { endProposal } from '../../service/proposals/decide.ts';
import { defineChange } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { DECISION_ANSWERS, DecisionBody, PROPOSALS_TAG, ProposalPath } from '../schemas/proposals.ts';
import { DECIDER_REQUIREMENTS, toDecisionRequest } from './decisions.ts';
import { createDecidedExample } from './examples.ts';

export const rejectProposal = defineChange({
  id: 'rejectProposal',
  isKeyed: true,
  http: { method: 'POST', path: '/documents/{document}/proposals/{proposal}/reject' },
  requires: DECIDER_REQUIREMENTS,
  tag: PROPOSALS_TAG,
  summary: 'Reject a proposal',
  description:
    'Nothing is written. Not allowed for the token that proposed it, for tokens whose writes need consent, and for agents.',
  params: ProposalPath,
  body: DecisionBody,
  answers: { ...REFUSALS, ...DECISION_ANSWERS },
  example: { request: { reason: 'Checked with accounting' }, answer: { proposal: createDecidedExample('rejected') } },

  run: (call, { proposal: id, ...body }) => endProposal(call.context, toDecisionRequest(call, id, body), 'rejected'),
});
