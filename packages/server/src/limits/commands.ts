/** Bounds of lists and changes of the command line. */

/** Documents of a person's bin that the console lists. */
export const MAX_LISTED_TRASH = 1_000;
/** Rows that one statement of a command line list reads. */
export const MAX_COMMAND_PAGE = 1_000;
/** Audit entries that one transaction of an erasure changes. */
export const AUDIT_ERASE_BATCH = 500;
