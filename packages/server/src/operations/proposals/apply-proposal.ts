import { parsePreconditions } from '../../service/preconditions.ts';
import { applyProposal as apply } from '../../service/proposals/decide.ts';
import { isRefusal } from '../../service/refusal.ts';
import { defineChange } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { ApplyBody, ApplyQuery, DECISION_ANSWERS, PROPOSALS_TAG, ProposalPath } from '../schemas/proposals.ts';
import { DECIDER_REQUIREMENTS, toDecisionRequest } from './decisions.ts';
import { createDecidedExample } from './examples.ts';
import { findPlanFeature } from './proposed-operation.ts';

export const applyProposal = defineChange({
  id: 'applyProposal',
  isKeyed: true,
  http: { method: 'POST', path: '/documents/{document}/proposals/{proposal}/apply' },
  requires: DECIDER_REQUIREMENTS,
  tag: PROPOSALS_TAG,
  summary: 'Apply a proposal',
  description:
    'Writes exactly what the preview shows, in one revision, by the present rights of the proposer and the caller. Answers 412 with `conflicts` if cells that it writes, or that decided where it writes, have changed. Not allowed for the token that proposed it, for tokens whose writes need consent, and for agents.',
  params: ProposalPath,
  query: ApplyQuery,
  body: ApplyBody,
  answers: { ...REFUSALS, ...DECISION_ANSWERS },
  example: { request: { reason: 'Checked with accounting' }, answer: { proposal: createDecidedExample('applied') } },

  run(call, { proposal: id, ...body }) {
    const conditions = parsePreconditions(undefined, body.ifRevision, undefined);
    if (isRefusal(conditions)) return conditions;
    const { ifRevision } = conditions;
    return apply(call.context, {
      ...toDecisionRequest(call, id, body),
      open: call.access,
      ifRevision,
      findFeature: findPlanFeature,
    });
  },
});
