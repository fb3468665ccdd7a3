/** Bounds of the writes to a document and of its checkpoints, each with its unit. */

/** Maximum unsynced commits of one document. */
export const MAX_PIPELINED_COMMITS = 128;
/** Maximum bytes of the deltas of unsynced commits of one document. */
export const MAX_PIPELINED_BYTES = 32 * 1024 * 1024;
/** Consecutive commits of one process after which it stops checking for commits of other processes before a write. */
export const TRUSTING_COMMITS = 3;
/** Maximum attempts of a write that loses the race for its revision. */
export const MAX_WRITE_ATTEMPTS = 50;
/** A write that loses the race more often is still retried for this time: a faster process can win often in a row. */
export const WRITE_RETRY_MS = 5_000;
/**
 * Maximum bytes of waiting writes' bodies: of all documents, of one document, and of one user. Above, writes are
 * refused.
 */
export const MAX_WAITING_BYTES = 48 * 1024 * 1024;
export const MAX_WAITING_BYTES_PER_DOCUMENT = 24 * 1024 * 1024;
export const MAX_WAITING_BYTES_PER_USER = 24 * 1024 * 1024;
/** Memory of a waiting write besides its body, in bytes. */
export const WAITING_WRITE_BYTES = 2 * 1024;
/** `Retry-After` of requests that are refused because the service is busy, in seconds. */
export const BUSY_RETRY_SECONDS = 1;
/**
 * A checkpoint is due after this many commits, or this many bytes of log (or the size of the last checkpoint's head).
 */
export const CHECKPOINT_COMMITS = 500;
export const CHECKPOINT_LOG_BYTES = 1024 * 1024;
/**
 * A checkpoint is retained for history if the log since the last retained one is at least as long as this and as the
 * document, in bytes. Each commit adds `BASE_COMMIT_BYTES` to the length of the log.
 */
export const BASE_LOG_BYTES = 1024 * 1024;
export const BASE_COMMIT_BYTES = 512;
/** For documents above this size in memory, a thread decides whether a retained checkpoint is due. In bytes. */
export const INLINE_BASE_BYTES = 8 * 1024 * 1024;
/** Chunks of a retained checkpoint that one transaction copies. */
export const BASE_COPY_CHUNKS = 1_000;
/** A clean shutdown writes a checkpoint of a document with at least this many commits since the last one. */
export const CHECKPOINT_ON_CLOSE_COMMITS = 16;
/** Maximum documents of one page of the document list. */
export const MAX_DOCUMENTS_PAGE = 1_000;
/** Documents of the full list that are serialized before other work may run. */
export const DOCUMENT_LIST_PART = 500;
/**
 * Cached document lists, and maximum later commits and open proposals that are checked to find out whether one changed.
 */
export const MAX_REMEMBERED_LISTS = 1_000;
export const MAX_COMMITS_SINCE_LIST = 500;
export const MAX_PROPOSALS_OF_LISTS = 5_000;

/** Filled cells of a file that is dropped on an open document, and cells from A1 to the last one, empty ones included. */
export const MAX_SHEET_FILE_CELLS = 1_000_000;
export const MAX_SHEET_FILE_AREA = 4_000_000;
/** Areas of equal format of such a file; the formats of others are left out. */
export const MAX_FILE_AREAS = 20_000;
/** Times that such a file is read again because the rows that its formulas were written for are taken. */
export const MAX_SHEET_FILE_READS = 3;
