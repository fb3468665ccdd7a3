/** Limits of revisions, and of searches for changes since a revision. */

/** Maximum commits with moved cells across which old addresses are followed, and maximum bytes of their moves. */
export const MAX_REBASED_COMMITS = 1_000;
export const MAX_REBASED_BYTES = 8 * 1024 * 1024;
/** Maximum cells of a request multiplied by the moves they are followed across: a fraction of a second. */
export const MAX_FOLLOWED_CELLS = 1_000_000;
/**
 * Maximum commits that are searched for other users' writes of the same cells, and commits that one query reads. A
 * program that writes 20 times a second makes this many in a quarter of an hour.
 */
export const MAX_COMPARED_COMMITS = 20_000;
export const COMPARED_STEP = 100;
/** Maximum ranges of a page's own revisions that one request names. */
export const MAX_OWN_REVISION_RANGES = 500;
/** Maximum blocks of cells that other users wrote. With more, all cells of a write count as changed. */
export const MAX_COMPARED_BLOCKS = 10_000;
/** Maximum commits since the one named by a caller's ETag. An older ETag counts as changed. */
export const MAX_TAG_COMMITS = 1_000;
/** Maximum attempts to load an old revision while retention deletes parts of its history. */
export const MAX_BASE_READS = 5;
/** Time limit for repeating later moves on the cells of an old revision, in milliseconds. */
export const FOLLOWING_MS = 10_000;
/**
 * Maximum commits that are undone again in old states because they were undone later, and maximum bytes of the log
 * across them. Only with this step can cells be followed through these states.
 */
export const MAX_HELD_COMMITS = 200;
export const MAX_FOLLOWED_BYTES = 64 * 1024 * 1024;
/** Maximum named revisions of one document, and maximum characters of a name. */
export const MAX_NAMED_REVISIONS = 1_000;
export const MAX_REVISION_NAME_LENGTH = 255;
/** Revisions of one page, by default and at most. */
export const DEFAULT_REVISIONS_PAGE = 50;
export const MAX_REVISIONS_PAGE = 200;
/** Commits that one read of the log returns during a search for conflicts. */
export const CONFLICT_STEP = 200;
/** Maximum number and bytes of commits that the serving thread reads columns of: about a millisecond. */
export const INLINE_LOG_COMMITS = 1_000;
export const INLINE_LOG_BYTES = 1024 * 1024;
/** Maximum conflicting ranges in an answer. */
export const MAX_CONFLICTS = 100;
