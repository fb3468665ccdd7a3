/** Bounds of proposals, each with its unit. */

/** Proposals of one answer, by default and at most. */
export const DEFAULT_PROPOSALS_PAGE = 50;
export const MAX_PROPOSALS_PAGE = 200;
/** Characters of a proposal's title, and of its note and the reason of a decision. */
export const MAX_PROPOSAL_TITLE_LENGTH = 200;
export const MAX_PROPOSAL_NOTE_LENGTH = 2_000;
/** Events about proposals that a stream is told at a time. */
export const PROPOSAL_NEWS_STEP = 50;
/** Proposals that end in one look, and the time between two looks. */
export const ENDED_PROPOSALS_STEP = 100;
export const ENDED_PROPOSALS_LOOK_MS = 1_000;
