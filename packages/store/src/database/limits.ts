/** Bounds of the store, each with its unit. */

// SQLite, and what writes to it
/** How long SQLite itself waits for another process's write lock, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5_000;
/** How long one who must be alone in a data folder waits for commands to end, in milliseconds. */
export const FOLDER_LOCK_MS = 1_000;
/** How often a transaction that still found the database locked is tried again. */
export const MAX_BUSY_RETRIES = 5;
/** Units that share one transaction. */
export const MAX_UNITS_PER_TRANSACTION = 512;
/** Parameter bytes that share one transaction; a larger single unit still gets one of its own. */
export const MAX_BYTES_PER_TRANSACTION = 32 * 1024 * 1024;
/** Units that may wait for the writer; beyond, a write fails rather than take more memory. */
export const MAX_WAITING_UNITS = 20_000;
/** Prepared statements kept by one connection. */
export const MAX_PREPARED_STATEMENTS = 500;
/** Pages that one connection keeps in memory, in KiB. */
export const SQLITE_CACHE_KIB = 16_000;
/** The same of one that a thread has to read documents as wholes: it comes by each page once. */
export const SQLITE_READER_CACHE_KIB = 2_000;
/** The write-ahead log is cut back to this size after a checkpoint of SQLite's, in bytes. */
export const SQLITE_WAL_LIMIT_BYTES = 64 * 1024 * 1024;

// PostgreSQL
/**
 * A connection on which nothing came for so long while a statement is unanswered is examined, and looked for so often;
 * an answer that is on its way gets the grace; in milliseconds. With a new connection (`POSTGRES_CONNECT_MS`), and
 * another to do the statement again, a caller has an answer within 10 s.
 */
export const POSTGRES_MAX_SILENCE_MS = 1_500;
export const POSTGRES_LIVENESS_CHECK_MS = 250;
export const POSTGRES_LIVENESS_GRACE_MS = 250;
/** What making a connection may take, and the answer to a statement, network included; in milliseconds. */
export const POSTGRES_CONNECT_MS = 3_000;
export const POSTGRES_ANSWER_MS = 40_000;
/** What the server gives a statement, and one that waits for a lock, before it breaks off; in milliseconds. */
export const POSTGRES_STATEMENT_MS = 30_000;
export const POSTGRES_LOCK_MS = 10_000;
/** The server ends a transaction whose node does nothing for so long, as one that was stopped; in milliseconds. */
export const POSTGRES_IDLE_TRANSACTION_MS = 10_000;
/** A connection on which nothing has come for so long is asked for the other end, by the operating systems of both; in milliseconds. */
export const POSTGRES_KEEPALIVE_MS = 20_000;
/** Callers that may wait for a connection, and how long, in milliseconds; beyond, a call fails rather than take more of either. */
export const MAX_WAITING_FOR_CONNECTION = 20_000;
export const MAX_WAIT_FOR_CONNECTION_MS = 15_000;
/** Where the server takes no more connections, the next is asked for so much later, in milliseconds. */
export const POSTGRES_FULL_RETRY_MS = 1_000;
/** How often a transaction that the server undid for no fault of its own is tried, and the pause before it, in milliseconds. */
export const MAX_TRANSACTION_ATTEMPTS = 5;
export const POSTGRES_RETRY_MS = 20;
/** Connections on which a node counts requests. */
export const RATE_CONNECTIONS = 2;
/** Nodes tell each other of commits so long after the first one, in milliseconds, so many documents (36 bytes each) at once. */
export const RELAY_DELAY_MS = 2;
export const RELAY_MESSAGE_DOCUMENTS = 150;
/** PostgreSQL takes no longer notifications. */
export const RELAY_MESSAGE_BYTES = 7_999;
/** … and connect again so long after the connection for that broke, in milliseconds. */
export const RELAY_RECONNECT_MS = 1_000;
/** … and how often that connection has to show that it is alive, in milliseconds: one that does not is made anew. */
export const RELAY_CHECK_MS = 5_000;
/** How long after a transaction began it is asked what became of it, if its answer was lost, and how often; in milliseconds. */
export const POSTGRES_OUTCOME_MS = 6_000;
export const POSTGRES_OUTCOME_CHECK_MS = 50;

// Transfer
/** Rows, and bytes of them, that are carried at a time from one database to another, or to a file. */
export const TRANSFER_BATCH_ROWS = 512;
export const TRANSFER_BATCH_BYTES = 4 * 1024 * 1024;
/** Bytes of what a file begins with, and of one row; what says that it is longer is refused. */
export const MAX_ARCHIVE_HEAD_BYTES = 1024 * 1024;
export const MAX_ARCHIVE_ROW_BYTES = 1024 * 1024 * 1024;

// Stored values
/** Areas that the log keeps of what a commit wrote, and of what was recalculated; as many as a notification has cells. */
export const MAX_COMMIT_AREAS = 1_000;
/** Characters of these areas as they are stored, rest and named ones included: a longer text is one of before the bound. */
export const MAX_AREAS_LENGTH = 1_000_000;
/** A node looks this often whether the key for secrets was rotated, in milliseconds. */
export const KEY_REFRESH_MS = 500;
/** Clocks of machines that share data may differ by so much, in milliseconds, without working against each other: more than the hour of a clock set to the wrong season. */
export const MAX_CLOCK_SKEW_MS = 90 * 60 * 1000;
