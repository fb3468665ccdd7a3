/** Bounds of records and queries, each with its unit. */

/** Maximum conditions of one query, and maximum values that they compare with, together. */
export const MAX_CONDITIONS = 100;
export const MAX_LISTED_VALUES = 100_000;
/** Maximum names in one list of a query: columns, measures or sort keys. */
export const MAX_QUERY_NAMES = 1_000;
/** Maximum sort keys, the same as in Excel. Each may be compared for every pair of rows. */
export const MAX_SORT_KEYS = 64;
/** Maximum characters of a query parameter, whose URL is limited anyway, and of a cursor. */
export const MAX_QUERY_TEXT_LENGTH = 65_536;
export const MAX_CURSOR_LENGTH = 400;
/** Maximum digits of a submitted revision. */
export const MAX_REVISION_LENGTH = 15;
/**
 * Maximum groups of one query and distinct values that it counts, together. All are in memory while the rows are read.
 */
export const MAX_GROUPS = 200_000;
/** Maximum records of one request, and records that one request changes or deletes. Each is an entry of the answer. */
export const MAX_RECORDS = 100_000;
/** Maximum separate row ranges that one request deletes. Each one moves all rows below it. */
export const MAX_DELETED_RUNS = 1_000;
/** Maximum rows in record indexes of all documents, about 20 bytes each. */
export const MAX_INDEXED_RECORDS = 6_000_000;
/** Maximum memory of cached result rows for later pages of queries, of all documents, in bytes. */
export const MAX_FOUND_ROWS_BYTES = 16 * 1024 * 1024;
/** Approximate memory of a cached result besides its key and its rows, in bytes. */
export const FOUND_ROWS_OVERHEAD_BYTES = 400;
