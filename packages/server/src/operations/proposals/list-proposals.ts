import { Type } from 'typebox';
import { listProposals as list } from '../../service/proposals/read.ts';
import { isRefusal } from '../../service/refusal.ts';
import { toJsonContent } from '../answer.ts';
import { defineRead } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { ListedProposal, PROPOSALS_TAG, ProposalsQuery } from '../schemas/proposals.ts';
import { DocumentPath } from '../schemas/requests.ts';
import { LISTED_PROPOSAL_EXAMPLE } from './examples.ts';

const Page = Type.Object({
  proposals: Type.Object({
    entries: Type.Array(ListedProposal, { description: 'Newest first.' }),
    nextCursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  }),
});

export const listProposals = defineRead({
  id: 'listProposals',
  http: { method: 'GET', path: '/documents/{document}/proposals' },
  requires: { scope: 'sheets.read' },
  tag: PROPOSALS_TAG,
  summary: 'List proposals: writes that wait for consent, and decided proposals',
  description: 'Proposals, newest first, without their changes.',
  params: DocumentPath,
  query: ProposalsQuery,
  answers: { 200: Page, ...REFUSALS },
  example: { answer: { proposals: { entries: [LISTED_PROPOSAL_EXAMPLE], nextCursor: null } } },

  async run({ context, document }, { state, limit, cursor }) {
    const page = await list(context, document, { state, limit, cursor });
    return isRefusal(page) ? page : toJsonContent({ proposals: page });
  },
});
