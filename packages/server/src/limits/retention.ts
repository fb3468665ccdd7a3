/** How long the log keeps commits, and how it is tidied; each bound with its unit. */

/** Rows that one transaction of a removal or of retention deletes; other writes wait a few milliseconds for it. */
export const DELETE_BATCH_ROWS = 250;
/** A creation that has written nothing for so long, by the clocks of two machines, is taken for dead and swept; in milliseconds. */
export const STALE_CREATION_MS = 24 * 60 * 60 * 1000;
/** Commits that a checkpoint covers are kept this long, in milliseconds … */
export const COMMIT_LOG_MS = 30 * 24 * 60 * 60 * 1000;
/** … but never more of them than this for one document. */
export const COMMIT_LOG_COUNT = 10_000;
/** A clock that has moved by more than this beside the steady one, in milliseconds, has jumped. */
export const CLOCK_TRUST_MS = 60 * 1000;
/** Between two rounds of retention, in milliseconds. */
export const RETENTION_INTERVAL_MS = 10 * 60 * 1000;
/** A document in which nothing was due is looked at again after this long, in milliseconds. */
export const IDLE_LOOK_MS = 7 * 24 * 60 * 60 * 1000;
/** One that keeps something past its time, for a named revision or a late notification, is looked at again after this. */
export const RETAINED_LOOK_MS = 24 * 60 * 60 * 1000;
/** A process that has not been seen at work for so long has none any more: another one takes it over. Milliseconds. */
export const RETENTION_LOST_MS = 3 * RETENTION_INTERVAL_MS;
