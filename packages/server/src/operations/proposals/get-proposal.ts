import { findProposal, showProposal } from '../../service/proposals/read.ts';
import { isRefusal } from '../../service/refusal.ts';
import { toJsonContent } from '../answer.ts';
import { defineRead } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { PROPOSALS_TAG, ProposalAnswer, ProposalPath } from '../schemas/proposals.ts';
import { PROPOSAL_EXAMPLE } from './examples.ts';

export const getProposal = defineRead({
  id: 'getProposal',
  http: { method: 'GET', path: '/documents/{document}/proposals/{proposal}' },
  requires: { scope: 'sheets.read' },
  tag: PROPOSALS_TAG,
  summary: 'Show a proposal with the cells that it would change',
  description:
    'An open proposal is evaluated on the newest state: `changes` are the cells that would change, `conflicts` are ranges that prevent it. Cells of sheets that are hidden from the caller are left out.',
  params: ProposalPath,
  answers: { 200: ProposalAnswer, ...REFUSALS },
  example: { answer: { proposal: PROPOSAL_EXAMPLE } },

  async run({ context, document }, { proposal: id }) {
    const row = await findProposal(context, document.documentId, id);
    if (isRefusal(row)) return row;
    const proposal = await showProposal(context, document, row);
    return isRefusal(proposal) ? proposal : toJsonContent({ proposal });
  },
});
