/** Bounds of lists and changes of the command line. */

/** Maximum documents of a user's trash that the console lists. */
export const MAX_LISTED_TRASH = 1_000;
/** Rows that one query of a command line list reads. */
export const MAX_COMMAND_PAGE = 1_000;
/** Audit entries that one transaction of an erasure changes. */
export const AUDIT_ERASE_BATCH = 500;
