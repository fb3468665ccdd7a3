export {
  CONFIRMATION_TAKEN,
  deleteOldConfirmations,
  documentsWithOldConfirmations,
  useConfirmation,
} from './confirmations.ts';
export {
  auditEntriesOfProposer,
  createUserPatterns,
  deleteRepliesShowingProposer,
  documentsOfProposals,
  eraseTokenNameOfProposals,
  proposalNotificationsOf,
  setEntryProposal,
  setProposalNotification,
} from './proposal-erasure.ts';
export {
  addProposalEvent,
  deleteOldProposalEvents,
  type ProposalEvent,
  proposalEventBefore,
  proposalEventsAfter,
} from './proposal-events.ts';
export {
  countProposals,
  decideProposal,
  deleteOldProposals,
  documentsWithOldProposals,
  expiredProposals,
  expireProposal,
  insertProposal,
  listedProposals,
  PROPOSAL_CHANGED,
  PROPOSALS_FULL,
  type ProposalRow,
  type ProposalState,
  proposalById,
  rebaseProposal,
} from './proposals.ts';
