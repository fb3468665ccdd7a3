/** Limits of the store, each with its unit. */

// SQLite
/** How long SQLite waits for another process's write lock, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5_000;
/** How long a process that needs exclusive use of a data folder waits for other processes, in milliseconds. */
export const FOLDER_LOCK_MS = 1_000;
/** How often a transaction is retried if the database is still locked. */
export const MAX_BUSY_RETRIES = 5;
/** Maximum number of units in one transaction. */
export const MAX_UNITS_PER_TRANSACTION = 512;
/** Maximum size of the parameters in one transaction, in bytes. A larger unit gets its own transaction. */
export const MAX_BYTES_PER_TRANSACTION = 32 * 1024 * 1024;
/** Maximum number of units that wait for the writer; further writes fail. */
export const MAX_WAITING_UNITS = 20_000;
/** Maximum number of prepared statements per connection. */
export const MAX_PREPARED_STATEMENTS = 500;
/** Page cache of a connection, in KiB. */
export const SQLITE_CACHE_KIB = 16_000;
/** Page cache of a connection that reads whole documents, in KiB. It reads each page once. */
export const SQLITE_READER_CACHE_KIB = 2_000;
/**
 * Number of pages in the write-ahead log after which a commit copies it to the database file; 4 KiB each. Writing to 64
 * documents in turn changes the same pages repeatedly: with 4,000 pages instead of SQLite’s 1,000 a write took 84 µs of
 * processor time in the writer instead of 95. More pages make single commits slower. Opening the file after a crash
 * reads the log, which takes less than 0.1 s.
 */
export const SQLITE_CHECKPOINT_PAGES = 4_000;
/** Size to which the write-ahead log is truncated after a checkpoint of SQLite, in bytes. */
export const SQLITE_WAL_LIMIT_BYTES = 64 * 1024 * 1024;

// PostgreSQL
/**
 * Liveness checks of a connection, in milliseconds. Every `POSTGRES_LIVENESS_CHECK_MS`, connections are examined that
 * have an unanswered statement and received no data for `POSTGRES_MAX_SILENCE_MS`. An answer that is already on its way
 * has another `POSTGRES_LIVENESS_GRACE_MS`. Together with a new connection (`POSTGRES_CONNECT_MS`) and a retry, a
 * caller gets its result within 10 s.
 */
export const POSTGRES_MAX_SILENCE_MS = 1_500;
export const POSTGRES_LIVENESS_CHECK_MS = 250;
export const POSTGRES_LIVENESS_GRACE_MS = 250;
/** Time limits for opening a connection and for the answer to a statement, including the network; in milliseconds. */
export const POSTGRES_CONNECT_MS = 3_000;
export const POSTGRES_ANSWER_MS = 40_000;
/** The server's time limits for a statement and for waiting for a lock, in milliseconds. */
export const POSTGRES_STATEMENT_MS = 30_000;
export const POSTGRES_LOCK_MS = 10_000;
/**
 * The server ends a transaction whose client is idle for this long, for example because its node was stopped; in
 * milliseconds.
 */
export const POSTGRES_IDLE_TRANSACTION_MS = 10_000;
/** Idle time after which both operating systems probe a connection (TCP keep-alive), in milliseconds. */
export const POSTGRES_KEEPALIVE_MS = 20_000;
/**
 * Maximum number of callers that wait for a connection, and their longest wait, in milliseconds; further calls fail.
 */
export const MAX_WAITING_FOR_CONNECTION = 20_000;
export const MAX_WAIT_FOR_CONNECTION_MS = 15_000;
/** Pause before the next connection attempt if the server accepts no more connections, in milliseconds. */
export const POSTGRES_FULL_RETRY_MS = 1_000;
/**
 * Number of attempts of a transaction that the server rolled back because of other transactions, and the longest pause
 * between them, in milliseconds.
 */
export const MAX_TRANSACTION_ATTEMPTS = 5;
export const POSTGRES_RETRY_MS = 20;
/**
 * Commits of several documents in one transaction: maximum number of documents, of commits of one document, and of
 * bytes of all their parameters. A document with more waiting commits, or larger ones, has transactions of its own.
 */
export const MAX_GROUP_DOCUMENTS = 64;
export const MAX_GROUP_COMMITS_PER_DOCUMENT = 4;
export const MAX_GROUP_BYTES = 256 * 1024;
/**
 * How long commits wait for the end of the previous group, in milliseconds. The time is longer than a usual transaction
 * takes, and bounds the delay by a slow one: a document that is alone in its turn may have to wait for a writer on
 * another node.
 */
export const MAX_GROUP_WAIT_MS = 50;
/** How long a document that another node writes, too, is left out of groups, in milliseconds. */
export const CONTENTION_MS = 1_000;
/** Connections that a node uses to count requests. */
export const RATE_CONNECTIONS = 2;
/**
 * Delay from the first commit to its announcement to other nodes, in milliseconds, and maximum number of documents (36
 * bytes each) in one message.
 */
export const RELAY_DELAY_MS = 2;
export const RELAY_MESSAGE_DOCUMENTS = 150;
/** Maximum size of a PostgreSQL notification. */
export const RELAY_MESSAGE_BYTES = 7_999;
/** Pause before a broken connection between nodes is opened again, in milliseconds. */
export const RELAY_RECONNECT_MS = 1_000;
/**
 * Interval of the liveness checks of the connection between nodes, in milliseconds. A connection that does not answer
 * is replaced.
 */
export const RELAY_CHECK_MS = 5_000;
/**
 * How long a node tries to find the outcome of a transaction whose answer was lost, and the interval of its queries; in
 * milliseconds.
 */
export const POSTGRES_OUTCOME_MS = 6_000;
export const POSTGRES_OUTCOME_CHECK_MS = 50;

// Transfer
/** Maximum number and size of the rows in one batch of a copy to another database or to a file. */
export const TRANSFER_BATCH_ROWS = 512;
export const TRANSFER_BATCH_BYTES = 4 * 1024 * 1024;
/** Maximum size of an archive's head and of one row, in bytes. Longer records are refused. */
export const MAX_ARCHIVE_HEAD_BYTES = 1024 * 1024;
export const MAX_ARCHIVE_ROW_BYTES = 1024 * 1024 * 1024;

// Stored values
/**
 * Maximum number of written areas, and of recalculated areas, in the log of one commit. It equals the number of cells
 * of a notification.
 */
export const MAX_COMMIT_AREAS = 1_000;
/**
 * Maximum length of the stored areas, including `rest` and `named`. Longer texts were written by versions without this
 * limit.
 */
export const MAX_AREAS_LENGTH = 1_000_000;
/** Interval in which a node checks whether the secrets key was rotated, in milliseconds. */
export const KEY_REFRESH_MS = 500;
/**
 * Tolerated difference between the clocks of nodes, in milliseconds. It is more than one hour, which is the error of a
 * clock with the wrong daylight-saving setting.
 */
export const MAX_CLOCK_SKEW_MS = 90 * 60 * 1000;
