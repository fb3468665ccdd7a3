/** Bounds of the HTTP surface and of who may use it, that nobody configures; each with its unit. */
import { MAX_RANGE_LENGTH } from './requests.ts';

/** Tokens, and users' rights to documents, that are kept in memory. */
export const MAX_CACHED_CALLERS = 10_000;
export const MAX_CACHED_DOCUMENT_RIGHTS = 50_000;
/** Counts of agents' requests are saved this often, in milliseconds. */
export const AGENT_USAGE_FLUSH_MS = 1_000;
/** Levels of brackets in a JSON body; no valid request is nearly as deep. */
export const MAX_BODY_DEPTH = 16;
/** Lists and objects in a JSON body: the rows of a whole sheet, and the blocks of a batch. */
export const MAX_BODY_LISTS = 1_200_000;
/** Names of members in a JSON body, all of its objects together. */
export const MAX_BODY_NAMES = 500_000;
/** Warnings about formulas in one answer. */
export const MAX_WARNINGS = 100;
/** Code points of a document's title, a token's, a user's and a workspace's name. */
export const MAX_NAME_LENGTH = 255;
/** Characters of an e-mail address, RFC 5321 §4.5.3.1.3. */
export const MAX_EMAIL_LENGTH = 254;
/** Characters of a path segment, percent-encoding undone. */
export const MAX_PATH_SEGMENT_LENGTH = MAX_RANGE_LENGTH;
/** Bytes of a request's header, its address included: 20 ranges with the longest sheet names fit. */
export const MAX_HEADER_BYTES = 64 * 1024;
/** A refused body of at most so many bytes is read to its end and dropped; a longer one ends the connection. */
export const MAX_DRAINED_BODY_BYTES = 128 * 1024 * 1024;
/** Bytes of one line of a body of lines. */
export const MAX_LINE_BYTES = 1024 * 1024;
/** Characters of an answer in lines that is held back until its request's body has ended: about 40,000 batches. */
export const MAX_BUFFERED_CHARACTERS = 4 * 1024 * 1024;
/** Connections that are open at once. */
export const MAX_CONNECTIONS = 10_000;
/** … to the port of metrics, where it has one of its own. */
export const MAX_METRICS_CONNECTIONS = 20;
/** An idle connection is closed after so long, in milliseconds; longer than the usual proxies' own (60 s). */
export const KEEP_ALIVE_MS = 72_000;
/**
 * A request's header must have come within this time, its body within that, in milliseconds: a million records that are
 * written while they come take minutes on a machine that is busy.
 */
export const HEADERS_TIMEOUT_MS = 30_000;
export const REQUEST_TIMEOUT_MS = 900_000;
/** Requests that do not come in time are looked for this often, in milliseconds. */
export const TIMEOUT_SWEEP_MS = 5_000;
/** A shutdown waits so long for requests under way, in milliseconds. */
export const SHUTDOWN_MS = 30_000;
/** While shutting down, connections that have become idle are looked for this often, in milliseconds. */
export const IDLE_SWEEP_MS = 20;
/** While shutting down, a reader that takes nothing of its answer for so long is not waited for, in milliseconds. */
export const STALLED_READER_MS = 3_000;
/** … nor is a request of which nothing more comes for so long, in milliseconds. */
export const STALLED_SENDER_MS = 5_000;
/** Characters of a path that the log shows. */
export const MAX_LOGGED_PATH_LENGTH = 500;
/** Characters of an incoming `X-Request-Id` that is taken over. */
export const MAX_REQUEST_ID_LENGTH = 128;
/** Characters of a password; longer ones only cost time to hash. */
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 256;
/** Documents that one token can be limited to. */
export const MAX_TOKEN_DOCUMENTS = 1_000;
/** Users that a sheet's protection lets through, as one request names them. */
export const MAX_ALLOWED_USERS = 1_000;
/** What `/readyz` found out holds for so long; a write that takes longer than this means no; in milliseconds. */
export const READINESS_CACHE_MS = 1_000;
export const READINESS_TIMEOUT_MS = 2_000;
/** With less free space on the disk of the data folder it means no, too; in bytes. */
export const MIN_FREE_DISK_BYTES = 4 * 1024 * 1024;
/** A figure of `/metrics` that takes longer is left out of the page, in milliseconds. */
export const METRIC_TIMEOUT_MS = 2_000;
/** Bytes of bodies that are coming or worked on: of all requests, and of one user's; beyond, 503. Parsed they take more. */
export const BODY_CAPACITY_BYTES = { all: 64 * 1024 * 1024, perUser: 32 * 1024 * 1024, uncounted: 16 * 1024 };
/** Bytes of answers that their readers have not taken yet: of all connections, and of one user's; beyond, 503. */
export const ANSWER_CAPACITY_BYTES = { all: 256 * 1024 * 1024, perUser: 64 * 1024 * 1024, uncounted: 64 * 1024 };
/** Short answers kept to be sent again, in bytes: of all of them, of one, and what each takes besides key and body. */
export const RESPONSE_CACHE_BYTES = { all: 16 * 1024 * 1024, perAnswer: 64 * 1024, overhead: 256 };
/** Reads that are known by their address, and the longest such address, in characters. */
export const READ_ROUTE_CACHE = { maxEntries: 4_096, maxAddressLength: 2 * 1024 };
/** The longest address of a write that passes before the framework, in characters. */
export const FAST_WRITES = { maxAddressLength: 512 };
/** Requests that came together are taken up for so long before everybody else has a turn, in milliseconds. */
export const BATCH_SLICE_MS = 4;
/** When so many wait they are taken up before another is read: nobody can send faster than that goes. */
export const MAX_BATCHED_REQUESTS = 256;
/** After a request that came alone so many reads are taken up as they come, before it is seen again whether others come. */
export const MAX_UNBATCHED_READS = 8;
/** A connection whose reader takes nothing of its answer for so long is ended; looked for this often; in milliseconds. */
export const STALLED_ANSWER_MS = 20_000;
export const STALLED_SWEEP_MS = 5_000;
/** A long answer is handed to the system in pieces of so many bytes: a reader that takes one has not stalled. */
export const ANSWER_PIECE_BYTES = 256 * 1024;
/** What is made of a long answer before everybody else has a turn: bytes of a page, and milliseconds of any answer. */
export const PAGE_SLICE_BYTES = 256 * 1024;
export const ANSWER_SLICE_MS = 4;
/** Bytes of a file that a document is made of, as the readers of files bound it. */
export const MAX_UPLOAD_BYTES = 512 * 1024 * 1024;
/** Bytes of a JSON body of a request that may carry a file in its place. */
export const MAX_SMALL_BODY_BYTES = 64 * 1024;
/** Bytes on the disk of files that come or go: of all requests, and of one user's; beyond, 503. */
export const FILE_CAPACITY_BYTES = { all: 4 * 1024 ** 3, perUser: 1024 ** 3, uncounted: 1024 * 1024 };
/** Characters of what a request says of a file's columns. */
export const MAX_COLUMNS_LENGTH = 32 * 1024;
/** A browser asks again after so long whether a page may use the API, in seconds. */
export const PREFLIGHT_SECONDS = 600;
