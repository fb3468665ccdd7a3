/** Bounds of notifications and the change feed that nobody configures, each with its unit. */

/** Attempts of one delivery since it was made, or since it was asked for again (contract, Delivery outcomes). */
export const MAX_ATTEMPTS = 5;
/** The longest `Retry-After` that is honoured, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;
/** A claim outlives the time-out of its attempt by this; building the body must fit in it. In milliseconds. */
export const CLAIM_MARGIN_MS = 5_000;
/** Bytes of a receiver's answer that are read at most, and characters of it that are kept. */
export const MAX_ANSWER_BYTES = 16 * 1024;
export const MAX_ANSWER_HEAD_LENGTH = 500;
/** Attempts that a delivery remembers. */
export const MAX_LOGGED_ATTEMPTS = 10;

// Who may send at once. An attempt that takes long leaves its quick slot for a slow one, so that slow receivers never
// hold up quick ones.
export const SUBSCRIPTION_SLOTS = 2;
export const HOST_QUICK_SLOTS = 128;
export const HOST_SLOW_SLOTS = 128;
export const USER_QUICK_SLOTS = 256;
export const USER_SLOW_SLOTS = 256;
export const PROCESS_QUICK_SLOTS = 512;
export const PROCESS_SLOW_SLOTS = 512;
/** An attempt is slow when it has taken this long, in milliseconds. */
export const SLOW_ATTEMPT_MS = 300;
/** Idle connections kept to one host. */
export const MAX_IDLE_CONNECTIONS_PER_HOST = 8;

/** How often due deliveries, and commits of other processes, are looked for, in milliseconds. */
export const DUE_POLL_MS = 250;
export const LOG_POLL_MS = 1_000;
/** Between looks whether the rights of people with an open page have changed, in milliseconds. */
export const RIGHTS_POLL_MS = 300;
/** Looking for what is due takes one part in so many of a process's time at most, however much is due. */
export const DUE_POLL_SHARE = 20;
/** The longest pause between two looks, in milliseconds, however long the last one took. */
export const MAX_DUE_POLL_PAUSE_MS = 3_000;
/** Subscriptions with due deliveries that one query gives. */
export const MAX_DUE_SUBSCRIPTIONS = 5_000;
/** Clocks that differ by less than this, in milliseconds, count as equal where a wait was decided by another one. */
export const CLOCK_TOLERANCE_MS = 1_000;
/** After a commit, others may join before its document is looked at, in milliseconds. */
export const GROUPING_DELAY_MS = 20;
/** Commits read in one step of grouping, and of the change feed. */
export const GROUPING_BATCH = 500;
/** A shutdown waits so long for attempts under way, in milliseconds; the others are repeated after the next start. */
export const DELIVERY_SHUTDOWN_MS = 5_000;

/** UTF-16 units of a message in the messenger. */
export const MAX_MESSAGE_LENGTH = 4_096;

/** Finished deliveries are kept this long, in milliseconds, and cleared in steps of so many rows, so often. */
export const DELIVERY_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;
export const DELIVERY_RETENTION_INTERVAL_MS = 60 * 1000;
/** As `RETENTION_LOST_MS`, for these. */
export const DELIVERY_RETENTION_LOST_MS = 3 * DELIVERY_RETENTION_INTERVAL_MS;
export const DELIVERY_DELETE_ROWS = 250;
/** Waits that one look restarts after a clock has jumped; the next look restarts more. */
export const MAX_RESTARTED_WAITS = 1_000;
/** Steps of one clearing, so that it never takes the database for itself. */
export const DELIVERY_DELETE_STEPS = 20;

/** Entries of one answer that lists deliveries, or changes. */
export const DEFAULT_DELIVERY_PAGE = 50;
export const MAX_DELIVERY_PAGE = 200;
export const DEFAULT_CHANGES_PAGE = 100;
export const MAX_CHANGES_PAGE = 500;
/** Ranges of each kind that one entry of the change feed spells out, and their characters. */
export const MAX_FEED_RANGES = 200;
export const MAX_FEED_RANGES_LENGTH = 32 * 1024;
/** Characters of one answer of the change feed, one entry at least. */
export const FEED_PAGE_LENGTH = 1024 * 1024;
/** Commits that the change feed reads before others get a turn. */
export const FEED_STEP = 20;
/** Work of telling of changes in one turn of the event loop, in milliseconds. */
export const FEED_SLICE_MS = 4;
/** States of a document that readers who are told of the same commits share. */
export const MAX_SHARED_STATES = 64;
/** Commits that are looked through at a time for moves of followed cells. */
export const WATCH_STEP = 1_000;
/** Cells, and records, that one entry of the change feed tells with their values, and their characters. */
export const MAX_FEED_CELLS = 1_000;
export const MAX_FEED_RECORDS = 1_000;
export const MAX_FEED_VALUES_LENGTH = 256 * 1024;
/** Rows of one state that are compared with another state's for the records of one commit. */
export const MAX_COMPARED_ROWS = 20_000;
/** Bytes of the log that are applied at once to come from one state to a later one; a longer way is gone in a thread. */
export const MAX_WALK_BYTES = 256 * 1024;
/** A walk through states calculates no more of them for somebody from whom a sheet is hidden once that took so long. */
export const MAX_WALK_CALCULATION_MS = 10_000;
/** Documents of which the newest state is kept that followers were told of. */
export const MAX_PUBLISHED_STATES = 32;
/** Characters of changes that a stream of events has in memory, one change at least. */
export const STREAM_PAGE_LENGTH = 64 * 1024;
/** Streams that are looked after before others get a turn. */
export const STREAM_STEP = 16;
/** A rotated secret signs this long beside the new one, in seconds, and at most so long. */
export const DEFAULT_SECRET_OVERLAP_S = 24 * 60 * 60;
export const MAX_SECRET_OVERLAP_S = 30 * 24 * 60 * 60;
/** Rotated secrets that may sign at once beside the newest one. */
export const MAX_OLD_SECRETS = 4;

/** Streams of events that are open at once, and those of one user. */
export const MAX_STREAMS = 1_000;
export const MAX_STREAMS_PER_USER = 20;
/** A stream sends something at least this often, in milliseconds. */
export const HEARTBEAT_MS = 15_000;
/** Revisions that a stream reads from the log at a time. */
export const STREAM_PAGE = 50;
/** A reader that takes nothing for so long is let go, in milliseconds; it may come back where it was. */
export const STREAM_STALL_MS = 20_000;
/** Documents whose windows are worked on at once: most of the time they wait for the disk. */
export const MAX_GROUPING_DOCUMENTS = 64;
/** Commits whose areas are read in one step of closing a window. */
export const WINDOW_AREAS_BATCH = 10;
/** Stretches of a column by which a window's cells are gathered; of what goes beyond only the number is known. */
export const MAX_WINDOW_STRETCHES = 50_000;
/** Subscriptions whose last attempt failed that are remembered, so that their next one does not start in a quick slot. */
export const MAX_TRACKED_FAILING = 20_000;
/** One question to a name server, in milliseconds, and how often it is asked. */
export const DNS_TIMEOUT_MS = 2_000;
export const DNS_TRIES = 2;
/** An idle connection to a receiver is closed after so long, in milliseconds. */
export const IDLE_CONNECTION_MS = 4_000;

/** How long a `webhook listen` process counts as running after it last said so, and how often it says so. */
export const LISTENING_MS = 60 * 1000;
export const LISTENING_INTERVAL_MS = LISTENING_MS / 4;
