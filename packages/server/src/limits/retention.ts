/** Limits of the retention of commits in the log. */

/** Rows that one transaction of a removal or of retention deletes; other writes wait a few milliseconds for it. */
export const DELETE_BATCH_ROWS = 250;
/**
 * Time without writes, by the clocks of two machines, after which a creation counts as dead and is deleted; in
 * milliseconds.
 */
export const STALE_CREATION_MS = 24 * 60 * 60 * 1000;
/** Time for which commits are kept although a checkpoint covers them, in milliseconds. */
export const COMMIT_LOG_MS = 30 * 24 * 60 * 60 * 1000;
/** Maximum commits that the log keeps of one document. */
export const COMMIT_LOG_COUNT = 10_000;
/** Difference to the monotonic clock from which the wall clock counts as having jumped, in milliseconds. */
export const CLOCK_TRUST_MS = 60 * 1000;
/** Time between two rounds that delete expired rows, in milliseconds. */
export const RETENTION_INTERVAL_MS = 10 * 60 * 1000;
/** Time until a document without due deletions is checked again, in milliseconds. */
export const IDLE_LOOK_MS = 7 * 24 * 60 * 60 * 1000;
/** The same for a document that retains old data for a named revision or a late notification, in milliseconds. */
export const RETAINED_LOOK_MS = 24 * 60 * 60 * 1000;
/** Time without activity after which another process takes over retention, in milliseconds. */
export const RETENTION_LOST_MS = 3 * RETENTION_INTERVAL_MS;
