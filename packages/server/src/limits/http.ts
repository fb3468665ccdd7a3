/** Fixed limits of HTTP and of access, each with its unit. */
import { MAX_RANGE_LENGTH } from './requests.ts';

/** Maximum cached callers, and cached rights of users to documents. */
export const MAX_CACHED_CALLERS = 10_000;
export const MAX_CACHED_DOCUMENT_RIGHTS = 50_000;
/** Interval in which counts of agents' requests are saved, in milliseconds. */
export const AGENT_USAGE_FLUSH_MS = 1_000;
/** Maximum nesting levels of a JSON body. Valid requests need far fewer. */
export const MAX_BODY_DEPTH = 16;
/** Maximum lists and objects in a JSON body: the rows of a whole sheet and the blocks of a batch fit. */
export const MAX_BODY_LISTS = 1_200_000;
/** Maximum member names in a JSON body, in all of its objects together. */
export const MAX_BODY_NAMES = 500_000;
/** Maximum warnings about formulas in one response. */
export const MAX_WARNINGS = 100;
/** Code points of a document's title, a token's, a user's and a workspace's name. */
export const MAX_NAME_LENGTH = 255;
/** Characters of an e-mail address, RFC 5321 §4.5.3.1.3. */
export const MAX_EMAIL_LENGTH = 254;
/** Maximum characters of a decoded path segment. */
export const MAX_PATH_SEGMENT_LENGTH = MAX_RANGE_LENGTH;
/** Maximum bytes of a request's headers including the URL: 20 ranges with the longest sheet names fit. */
export const MAX_HEADER_BYTES = 64 * 1024;
/** A refused body up to this size (bytes) is read and discarded. For a longer one the connection is closed. */
export const MAX_DRAINED_BODY_BYTES = 128 * 1024 * 1024;
/** Maximum bytes of one line of an NDJSON body. */
export const MAX_LINE_BYTES = 1024 * 1024;
/** Maximum buffered characters of an NDJSON response until its request body has ended: about 40,000 batches. */
export const MAX_BUFFERED_CHARACTERS = 4 * 1024 * 1024;
/** Maximum bytes of a request's headers including the URL that is read without the parser of `node:http`. */
export const MAX_DIRECT_HEADER_BYTES = 4 * 1024;
/** Size of the buffer into which all connections are read, in bytes: the most that libuv reads at once. */
export const SHARED_READ_BYTES = 64 * 1024;
/** Maximum open connections. */
export const MAX_CONNECTIONS = 10_000;
/** Maximum open connections to a separate metrics port. */
export const MAX_METRICS_CONNECTIONS = 20;
/** Time after which an idle connection is closed, in milliseconds; longer than that of common proxies (60 s). */
export const KEEP_ALIVE_MS = 72_000;
/**
 * Time limits for receiving a request's headers and the whole request, in milliseconds. A million records that are
 * written while they arrive take minutes on a busy machine.
 */
export const HEADERS_TIMEOUT_MS = 30_000;
export const REQUEST_TIMEOUT_MS = 900_000;
/** Interval of the check for requests that exceed these limits, in milliseconds. */
export const TIMEOUT_SWEEP_MS = 5_000;
/** Maximum time that a shutdown waits for running requests, in milliseconds. */
export const SHUTDOWN_MS = 30_000;
/** Interval in which a shutdown checks for idle connections, in milliseconds. */
export const IDLE_SWEEP_MS = 20;
/** Time without progress after which a shutdown no longer waits for a response to be read, in milliseconds. */
export const STALLED_READER_MS = 3_000;
/** Time without progress after which a shutdown no longer waits for a request to arrive, in milliseconds. */
export const STALLED_SENDER_MS = 5_000;
/** Maximum characters of a path in the log. */
export const MAX_LOGGED_PATH_LENGTH = 500;
/** Maximum characters of an incoming `X-Request-Id` that is used. */
export const MAX_REQUEST_ID_LENGTH = 128;
/** Minimum and maximum characters of a password. Longer ones only take more time to hash. */
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 256;
/** Maximum documents that one token can be limited to. */
export const MAX_TOKEN_DOCUMENTS = 1_000;
/** Maximum users that one request allows for a protected sheet. */
export const MAX_ALLOWED_USERS = 1_000;
/** How long a result of `/readyz` is reused, and the time limit of its test write; in milliseconds. */
export const READINESS_CACHE_MS = 1_000;
export const READINESS_TIMEOUT_MS = 2_000;
/** Free space of the data folder's disk below which `/readyz` answers 503, in bytes. */
export const MIN_FREE_DISK_BYTES = 4 * 1024 * 1024;
/** Time limit of one metric. A slower one is left out of `/metrics`. In milliseconds. */
export const METRIC_TIMEOUT_MS = 2_000;
/**
 * Maximum bytes of request bodies that are being received or processed, in total and for one user; above, 503. Bodies up to
 * `uncounted` bytes are not counted. A parsed body takes more memory.
 */
export const BODY_CAPACITY_BYTES = { all: 64 * 1024 * 1024, perUser: 32 * 1024 * 1024, uncounted: 16 * 1024 };
/**
 * Bytes that an NDJSON body of unknown length counts for. If a batch is larger, the body counts for the maximum length of a
 * body from then on.
 */
export const LINES_RESERVE_BYTES = 4 * 1024 * 1024;
/** Maximum bytes of responses that have not been read yet, in total and for one user; above, 503. */
export const ANSWER_CAPACITY_BYTES = { all: 256 * 1024 * 1024, perUser: 64 * 1024 * 1024, uncounted: 64 * 1024 };
/**
 * Cache of short responses, in bytes: total, maximum of one response, and overhead of an entry besides key and body.
 */
export const RESPONSE_CACHE_BYTES = { all: 16 * 1024 * 1024, perAnswer: 64 * 1024, overhead: 256 };
/** Cache of parsed read addresses: maximum entries, and maximum characters of an address. */
export const READ_ROUTE_CACHE = { maxEntries: 4_096, maxAddressLength: 2 * 1024 };
/** Maximum characters of the address of a request with a body on the fast path. */
export const FAST_CALLS = { maxAddressLength: 512 };
/** Time for dispatching a batch of requests before other work may run, in milliseconds. */
export const BATCH_SLICE_MS = 4;
/**
 * Number of waiting requests at which they are dispatched before more are read, so that no client can overload the
 * queue.
 */
export const MAX_BATCHED_REQUESTS = 256;
/** After a request that arrived alone, this many reads are dispatched immediately before batching is tried again. */
export const MAX_UNBATCHED_READS = 8;
/**
 * Time without progress after which a connection with an unread response is closed, and interval of the check; in
 * milliseconds.
 */
export const STALLED_ANSWER_MS = 20_000;
export const STALLED_SWEEP_MS = 5_000;
/** Bytes of the pieces in which a long response is sent. A client that reads one piece has not stalled. */
export const ANSWER_PIECE_BYTES = 256 * 1024;
/** Work on a long response before other work may run: bytes of a page, and milliseconds of any response. */
export const PAGE_SLICE_BYTES = 256 * 1024;
export const ANSWER_SLICE_MS = 4;
/** Maximum bytes of an imported file, the same as in the file readers. */
export const MAX_UPLOAD_BYTES = 512 * 1024 * 1024;
/** Maximum bytes of a JSON body of a request that may have a file as its body instead. */
export const MAX_SMALL_BODY_BYTES = 64 * 1024;
/** Maximum disk bytes of files that are being uploaded or downloaded, in total and for one user; above, 503. */
export const FILE_CAPACITY_BYTES = { all: 4 * 1024 ** 3, perUser: 1024 ** 3, uncounted: 1024 * 1024 };
/** Maximum characters of a request's description of a file's columns. */
export const MAX_COLUMNS_LENGTH = 32 * 1024;
/** How long browsers cache the result of a CORS preflight request, in seconds. */
export const PREFLIGHT_SECONDS = 600;
