/** Fixed limits of notifications and of the change feed, each with its unit. */

/** Maximum attempts of a delivery since it was created or redelivered. */
export const MAX_ATTEMPTS = 5;
/** Maximum `Retry-After` that is honoured, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;
/** Time by which a claim outlives the time-out of its attempt, in milliseconds. Building the body must fit into it. */
export const CLAIM_MARGIN_MS = 5_000;
/** Maximum bytes of a receiver's response that are read, and maximum characters of it that are stored. */
export const MAX_ANSWER_BYTES = 16 * 1024;
export const MAX_ANSWER_HEAD_LENGTH = 500;
/** Stored attempts of a delivery, the newest ones. */
export const MAX_LOGGED_ATTEMPTS = 10;

// Maximum simultaneous attempts. A long attempt moves from its quick slot to a slow one, so that slow receivers never
// block quick ones.
export const SUBSCRIPTION_SLOTS = 2;
export const HOST_QUICK_SLOTS = 128;
export const HOST_SLOW_SLOTS = 128;
export const USER_QUICK_SLOTS = 256;
export const USER_SLOW_SLOTS = 256;
export const PROCESS_QUICK_SLOTS = 512;
export const PROCESS_SLOW_SLOTS = 512;
/** Duration from which an attempt counts as slow, in milliseconds. */
export const SLOW_ATTEMPT_MS = 300;
/** Maximum idle connections to one host. */
export const MAX_IDLE_CONNECTIONS_PER_HOST = 8;

/** Intervals of polling for due deliveries, and for commits of other processes; in milliseconds. */
export const DUE_POLL_MS = 250;
export const LOG_POLL_MS = 1_000;
/** Interval of checking whether the rights of users with an open page have changed, in milliseconds. */
export const RIGHTS_POLL_MS = 300;
/** Polling for due deliveries takes at most one part in this many of a process's time. */
export const DUE_POLL_SHARE = 20;
/** Maximum pause between two polls, in milliseconds. */
export const MAX_DUE_POLL_PAUSE_MS = 3_000;
/** Subscriptions with due deliveries that one query returns. */
export const MAX_DUE_SUBSCRIPTIONS = 5_000;
/** Difference between clocks of two machines that is ignored when a wait is checked, in milliseconds. */
export const CLOCK_TOLERANCE_MS = 1_000;
/** Delay between a commit and the processing of its document, so that more commits can join, in milliseconds. */
export const GROUPING_DELAY_MS = 20;
/** Commits that one read returns for grouping and for the change feed. */
export const GROUPING_BATCH = 500;
/**
 * Maximum time that a shutdown waits for running attempts, in milliseconds. Others are repeated after the next start.
 */
export const DELIVERY_SHUTDOWN_MS = 5_000;

/** Maximum UTF-16 units of a messenger message. */
export const MAX_MESSAGE_LENGTH = 4_096;

/** How long finished deliveries are kept, and the interval of their deletion; in milliseconds. */
export const DELIVERY_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;
export const DELIVERY_RETENTION_INTERVAL_MS = 60 * 1000;
/** Time without activity after which another process takes over the deletion of old deliveries, in milliseconds. */
export const DELIVERY_RETENTION_LOST_MS = 3 * DELIVERY_RETENTION_INTERVAL_MS;
export const DELIVERY_DELETE_ROWS = 250;
/** Waits that one poll restarts after a clock has jumped. The next poll restarts more. */
export const MAX_RESTARTED_WAITS = 1_000;
/** Maximum transactions of one deletion, so that it does not monopolize the database. */
export const DELIVERY_DELETE_STEPS = 20;

/** Entries of one page of deliveries, or of changes; by default and at most. */
export const DEFAULT_DELIVERY_PAGE = 50;
export const MAX_DELIVERY_PAGE = 200;
export const DEFAULT_CHANGES_PAGE = 100;
export const MAX_CHANGES_PAGE = 500;
/** Maximum ranges of each kind in one entry of the change feed, and their maximum characters. */
export const MAX_FEED_RANGES = 200;
export const MAX_FEED_RANGES_LENGTH = 32 * 1024;
/** Maximum characters of one response of the change feed, which always has at least one entry. */
export const FEED_PAGE_LENGTH = 1024 * 1024;
/** Commits that the change feed reads before other work may run. */
export const FEED_STEP = 20;
/** Maximum work on change feeds in one turn of the event loop, in milliseconds. */
export const FEED_SLICE_MS = 4;
/** Maximum states of a document that are shared by readers of the same commits. */
export const MAX_SHARED_STATES = 64;
/** Commits that one read returns during a search for moves of followed cells. */
export const WATCH_STEP = 1_000;
/** Maximum cells and records with values in one entry of the change feed, and their maximum characters. */
export const MAX_FEED_CELLS = 1_000;
export const MAX_FEED_RECORDS = 1_000;
export const MAX_FEED_VALUES_LENGTH = 256 * 1024;
/** Maximum rows of two states that are compared to find the changed records of one commit. */
export const MAX_COMPARED_ROWS = 20_000;
/** Maximum log bytes that are applied inline to advance a state. Longer logs are applied in a thread. */
export const MAX_WALK_BYTES = 256 * 1024;
/** Time limit for recalculating states for a reader from whom a sheet is hidden, in milliseconds. */
export const MAX_WALK_CALCULATION_MS = 10_000;
/** Maximum documents whose last published state is cached. */
export const MAX_PUBLISHED_STATES = 32;
/** Maximum characters of changes in memory for one event stream, which always holds at least one change. */
export const STREAM_PAGE_LENGTH = 64 * 1024;
/** Event streams that are processed before other work may run. */
export const STREAM_STEP = 16;
/** Time for which a rotated secret still signs along with the new one, by default and at most; in seconds. */
export const DEFAULT_SECRET_OVERLAP_S = 24 * 60 * 60;
export const MAX_SECRET_OVERLAP_S = 30 * 24 * 60 * 60;
/** Maximum rotated secrets that sign along with the newest one. */
export const MAX_OLD_SECRETS = 4;

/** Maximum open event streams, in total and of one user. */
export const MAX_STREAMS = 1_000;
export const MAX_STREAMS_PER_USER = 20;
/** Maximum interval between two messages of an event stream, in milliseconds. */
export const HEARTBEAT_MS = 15_000;
/** Revisions that one read for an event stream returns. */
export const STREAM_PAGE = 50;
/**
 * Time without progress after which an event stream is closed, in milliseconds. The reader can resume at its position.
 */
export const STREAM_STALL_MS = 20_000;
/** Maximum documents whose windows are processed at the same time. Most of them wait for the disk. */
export const MAX_GROUPING_DOCUMENTS = 64;
/** Commits that one query returns with their areas when a window closes. */
export const WINDOW_AREAS_BATCH = 10;
/** Maximum column stretches that store a window's cells. Cells beyond are only counted. */
export const MAX_WINDOW_STRETCHES = 50_000;
/** Maximum tracked subscriptions whose last attempt failed. Their next attempts do not get quick slots. */
export const MAX_TRACKED_FAILING = 20_000;
/** Time limit of one DNS query in milliseconds, and number of tries. */
export const DNS_TIMEOUT_MS = 2_000;
export const DNS_TRIES = 2;
/** Time after which an idle connection to a receiver is closed, in milliseconds. */
export const IDLE_CONNECTION_MS = 4_000;

/**
 * Time after its last heartbeat for which a `webhook listen` process counts as running, and heartbeat interval; in
 * milliseconds.
 */
export const LISTENING_MS = 60 * 1000;
export const LISTENING_INTERVAL_MS = LISTENING_MS / 4;
