/** Bounds of documents in memory, each with its unit. */

/** Minimum interval between writes of the file with the newest commits, in milliseconds, and documents in the file. */
export const NEWEST_COMMITS_MS = 1_000;
export const MAX_NEWEST_COMMITS = 32;
/**
 * Recent commits of an open document whose changed areas are kept in memory, and maximum characters for one of them.
 */
export const MAX_RECENT_COMMITS = 64;
export const MAX_RECENT_AREAS_LENGTH = 4_096;
/** Maximum old revisions in memory, of all documents, and their maximum total size in bytes. */
export const MAX_PAST_STATES = 16;
export const MAX_PAST_BYTES = 64 * 1024 * 1024;
/** Maximum open documents, and their maximum total size in bytes. */
export const MAX_OPEN_DOCUMENTS = 2_000;
export const MAX_OPEN_BYTES = 512 * 1024 * 1024;
/** Maximum documents whose formula graphs are kept in memory for the next write. */
export const MAX_OPEN_WORKBOOKS = 200;
/**
 * Time after a failed recalculation for a new day during which readers get the results of the day before, in
 * milliseconds.
 */
export const CLOCK_RETRY_MS = 60 * 1000;
/**
 * Maximum readers of one document that wait for the recalculation of a new day, and their maximum wait in milliseconds.
 */
export const MAX_NEW_DAY_READERS = 256;
export const NEW_DAY_WAIT_MS = 5_000;
/** Memory of an open document besides its cells and formulas, in bytes. */
export const OPEN_DOCUMENT_BASE_BYTES = 32 * 1024;
/** Minimum interval between evictions of open documents after writes, in milliseconds. */
export const EVICTION_INTERVAL_MS = 500;
/** Chunks of a document that one query returns, and their maximum bytes (a single larger chunk is returned alone). */
export const CHUNK_PAGE_ROWS = 128;
export const CHUNK_PAGE_BYTES = 1024 * 1024;
/** Stored chunk bytes, or chunks, above which a document is streamed and not loaded for a full read. */
export const LARGE_DOCUMENT_BYTES = 4 * 1024 * 1024;
export const LARGE_DOCUMENT_CHUNKS = 2_048;
/**
 * Documents whose chunks are read from the store when they are needed, at a time; the bytes of a chunk above which a
 * document is read before it is used, because 64 chunks are read without a pause; and the columns whose first chunk is
 * measured for that.
 */
export const MAX_STORED_STATES = 4;
export const MAX_STORED_CHUNK_BYTES = 64 * 1024;
export const MAX_SAMPLED_COLUMNS = 64;
/**
 * Bounds of a state that is read in part while its document is opened. Columns and blocks: of the whole document. Chunks
 * and bytes: loaded. Faults: additional loads, because a commit of the log or a moved row needs other chunks than the read.
 */
export const MAX_PARTIAL_COLUMNS = 1_024;
export const MAX_PARTIAL_BLOCKS = 1_000_000;
export const MAX_PARTIAL_CHUNKS = 2_048;
export const MAX_PARTIAL_BYTES = 8 * 1024 * 1024;
export const MAX_PARTIAL_FAULTS = 64;
/** Maximum restarts of a paged read because of a new checkpoint. Then the document is read in one query. */
export const MAX_PAGED_READS = 3;
/** Chunk bytes that one transaction of a document's creation writes, and memory of a chunk besides its bytes. */
export const CREATE_TRANSACTION_BYTES = 4 * 1024 * 1024;
export const CHUNK_OVERHEAD_BYTES = 320;
