/** Bounds of revisions and of following what changed since one; each with its unit. */

/** Commits that moved cells over which the addresses of an earlier revision are followed, and bytes that tell of them. */
export const MAX_REBASED_COMMITS = 1_000;
export const MAX_REBASED_BYTES = 8 * 1024 * 1024;
/** Cells of a request times steps that are followed one by one: a fraction of a second. */
export const MAX_FOLLOWED_CELLS = 1_000_000;
/** Commits among which someone else's writes of the same cells are looked for; read so many at a time. */
export const MAX_COMPARED_COMMITS = 1_000;
export const COMPARED_STEP = 50;
/** Commits back to the one that a caller's ETag names; one from before counts as changed. */
export const MAX_TAG_COMMITS = 1_000;
/** Times that a way to an old revision is looked for while what leads there is being tidied away. */
export const MAX_BASE_READS = 5;
/** What moving an old revision's cells as later ones moved them may take, in milliseconds. */
export const FOLLOWING_MS = 10_000;
/** Commits taken back since that are taken back in old states, too, to follow one; and the log that leads through them, in bytes. */
export const MAX_HELD_COMMITS = 200;
export const MAX_FOLLOWED_BYTES = 64 * 1024 * 1024;
/** Revisions of one document that may have a name, and characters of it. */
export const MAX_NAMED_REVISIONS = 1_000;
export const MAX_REVISION_NAME_LENGTH = 255;
/** Revisions of one answer, by default and at most. */
export const DEFAULT_REVISIONS_PAGE = 50;
export const MAX_REVISIONS_PAGE = 200;
/** Commits that one look through the log for conflicts reads at a time. */
export const CONFLICT_STEP = 200;
/** Commits, and bytes of them, that the serving thread goes through to read what is stored beside: about a millisecond. */
export const INLINE_LOG_COMMITS = 1_000;
export const INLINE_LOG_BYTES = 1024 * 1024;
/** Ranges that an answer names of what conflicts. */
export const MAX_CONFLICTS = 100;
