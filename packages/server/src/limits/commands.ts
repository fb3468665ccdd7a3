/** Bounds of lists and changes of the command line. */

/** Maximum documents of a user's trash that the console lists. */
export const MAX_LISTED_TRASH = 1_000;
/** Rows that one query reads for a list on the command line. */
export const MAX_COMMAND_PAGE = 1_000;
/** Audit entries that one transaction changes when a user is erased. */
export const AUDIT_ERASE_BATCH = 500;
