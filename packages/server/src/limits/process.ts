/** Bounds of how the process watches itself, each with its unit. */

/** The same failure of the store is told in the log once in so many milliseconds; so many different ones are known. */
export const FAILURE_REPORT_INTERVAL_MS = 60_000;
export const MAX_TRACKED_FAILURES = 100;
/** Program files are compared with those of the start this often, in milliseconds. */
export const SOURCES_CHECK_MS = 5_000;
/** Open file descriptors are counted this often, in milliseconds. */
export const DESCRIPTORS_CHECK_MS = 2_000;
/** From this share of the limit on they are said to run out, and below the other there are enough again. */
export const DESCRIPTORS_LOW_SHARE = 0.95;
export const DESCRIPTORS_RECOVERED_SHARE = 0.8;
