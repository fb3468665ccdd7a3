/** Bounds of how the process watches itself, each with its unit. */

/** Minimum interval between log lines about the same store failure, in milliseconds, and failures that are tracked. */
export const FAILURE_REPORT_INTERVAL_MS = 60_000;
export const MAX_TRACKED_FAILURES = 100;
/** Interval in which the program files are compared with their state at the start, in milliseconds. */
export const SOURCES_CHECK_MS = 5_000;
/** Interval in which open file descriptors are counted, in milliseconds. */
export const DESCRIPTORS_CHECK_MS = 2_000;
/** Share of the limit from which a shortage is logged, and share below which it is over. */
export const DESCRIPTORS_LOW_SHARE = 0.95;
export const DESCRIPTORS_RECOVERED_SHARE = 0.8;
