import type { Operation } from '../operation.ts';
import { applyProposal } from './apply-proposal.ts';
import { getProposal } from './get-proposal.ts';
import { listProposals } from './list-proposals.ts';
import { rebaseProposal } from './rebase-proposal.ts';
import { rejectProposal } from './reject-proposal.ts';
import { withdrawProposal } from './withdraw-proposal.ts';

export const PROPOSAL_OPERATIONS: readonly Operation[] = [
  listProposals,
  getProposal,
  applyProposal,
  rejectProposal,
  withdrawProposal,
  rebaseProposal,
];
