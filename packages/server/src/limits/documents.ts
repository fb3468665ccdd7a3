/** Bounds of the writes to a document and of its checkpoints, each with its unit. */

/** Commits of one document that may be on their way to the disk at once. */
export const MAX_PIPELINED_COMMITS = 128;
/** … and their deltas together, in bytes. */
export const MAX_PIPELINED_BYTES = 32 * 1024 * 1024;
/** Commits of one process in a row after which it writes on without asking whether another has written. */
export const TRUSTING_COMMITS = 3;
/** How often a write that lost the race for its revision is applied again. */
export const MAX_WRITE_ATTEMPTS = 50;
/** Bodies of the writes that wait, of all documents, of one, and of one user's; beyond, a write is refused. Bytes. */
export const MAX_WAITING_BYTES = 48 * 1024 * 1024;
export const MAX_WAITING_BYTES_PER_DOCUMENT = 24 * 1024 * 1024;
export const MAX_WAITING_BYTES_PER_USER = 24 * 1024 * 1024;
/** What a write that waits takes besides its body, in bytes. */
export const WAITING_WRITE_BYTES = 2 * 1024;
/** Whoever is refused because too much waits may come again after so long, in seconds. */
export const BUSY_RETRY_SECONDS = 1;
/** A checkpoint is due after this many commits, or this many bytes of log (or the size of the last one's head). */
export const CHECKPOINT_COMMITS = 500;
export const CHECKPOINT_LOG_BYTES = 1024 * 1024;
/**
 * A checkpoint is kept for history once the log since the last one that was, each commit counted with so many bytes more,
 * is as long as this, and as the document is large. Bytes.
 */
export const BASE_LOG_BYTES = 1024 * 1024;
export const BASE_COMMIT_BYTES = 512;
/** Whether it is due is found out in a thread where the document takes more memory than this, in bytes. */
export const INLINE_BASE_BYTES = 8 * 1024 * 1024;
/** Chunks of it that one transaction copies. */
export const BASE_COPY_CHUNKS = 1_000;
/** At a clean shutdown a document gets a checkpoint when at least this many commits are not in one. */
export const CHECKPOINT_ON_CLOSE_COMMITS = 16;
/** Documents of one page of the list of documents, at most. */
export const MAX_DOCUMENTS_PAGE = 1_000;
/** Documents of the whole list that are written out at a time; others are served in between. */
export const DOCUMENT_LIST_PART = 500;
/** Lists of documents whose hashes are remembered; commits since one was made that are looked through; open proposals. */
export const MAX_REMEMBERED_LISTS = 1_000;
export const MAX_COMMITS_SINCE_LIST = 500;
export const MAX_PROPOSALS_OF_LISTS = 5_000;
