/** Bounds of documents in memory, each with its unit. */

/** The file with the newest commits is written at most this often, in milliseconds, and names so many documents. */
export const NEWEST_COMMITS_MS = 1_000;
export const MAX_NEWEST_COMMITS = 32;
/** Commits of an open document of which is remembered what they touched, and characters that tell it of one. */
export const MAX_RECENT_COMMITS = 64;
export const MAX_RECENT_AREAS_LENGTH = 4_096;
/** Old revisions kept in memory, of all documents, and what they may take together, in bytes. */
export const MAX_PAST_STATES = 16;
export const MAX_PAST_BYTES = 64 * 1024 * 1024;
/** Documents kept open, and what they may take together, in bytes. */
export const MAX_OPEN_DOCUMENTS = 2_000;
export const MAX_OPEN_BYTES = 512 * 1024 * 1024;
/** Documents that keep their formula graph ready for the next write. */
export const MAX_OPEN_WORKBOOKS = 200;
/** After a new day's recalculation was refused or failed, readers get the day before for so long, in milliseconds. */
export const CLOCK_RETRY_MS = 60 * 1000;
/** Readers of one document who may wait for that recalculation, and for how long, in milliseconds. */
export const MAX_NEW_DAY_READERS = 256;
export const NEW_DAY_WAIT_MS = 5_000;
/** What an open document takes beside its cells and formulas, in bytes. */
export const OPEN_DOCUMENT_BASE_BYTES = 32 * 1024;
/** After writes, room is made this long after the last time at the earliest, in milliseconds. */
export const EVICTION_INTERVAL_MS = 500;
/** Chunks of a document that are read at a time, and bytes of them unless a single one has more. */
export const CHUNK_PAGE_ROWS = 128;
export const CHUNK_PAGE_BYTES = 1024 * 1024;
/** Stored chunk bytes, or chunks, from which on a document that is gone through once is not held in memory. */
export const LARGE_DOCUMENT_BYTES = 4 * 1024 * 1024;
export const LARGE_DOCUMENT_CHUNKS = 2_048;
/** Times that a document is read in parts and another checkpoint comes meanwhile; then it is read at once. */
export const MAX_PAGED_READS = 3;
/** Chunk bytes that one transaction of a document's creation writes, and what a chunk takes in memory beside its bytes meanwhile. */
export const CREATE_TRANSACTION_BYTES = 4 * 1024 * 1024;
export const CHUNK_OVERHEAD_BYTES = 320;
