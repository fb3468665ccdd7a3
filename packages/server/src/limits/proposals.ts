/** Limits of proposals. */

/** Proposals of one page, by default and at most. */
export const DEFAULT_PROPOSALS_PAGE = 50;
export const MAX_PROPOSALS_PAGE = 200;
/** Maximum characters of a proposal's title, and of its note and of a decision's reason. */
export const MAX_PROPOSAL_TITLE_LENGTH = 200;
export const MAX_PROPOSAL_NOTE_LENGTH = 2_000;
/** Watched cells that are compared without a pause when a proposal is applied. */
export const MAX_COMPARED_AT_ONCE = 20_000;
/** Cells of an area that are watched one by one. Cells of a larger area are watched in blocks. */
export const MAX_WATCHED_SINGLY = 65_536;
/** Events about proposals that one read for an event stream returns. */
export const PROPOSAL_NEWS_STEP = 50;
/** Proposals that one check expires, and the interval of the checks in milliseconds. */
export const ENDED_PROPOSALS_STEP = 100;
export const ENDED_PROPOSALS_LOOK_MS = 1_000;
/** Cells of the result of a proposal that one request reads. */
export const MAX_PROPOSED_CELLS = 20_000;
