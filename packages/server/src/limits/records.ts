/** Bounds of records and queries, each with its unit. */

/** Comparisons of one query, and values that they compare with, together. */
export const MAX_CONDITIONS = 100;
export const MAX_LISTED_VALUES = 100_000;
/** Names in one list of a query: of columns, measures, sort keys. */
export const MAX_QUERY_NAMES = 1_000;
/** Columns that rows are sorted by, as many as in Excel: each may be compared for every pair of rows. */
export const MAX_SORT_KEYS = 64;
/** Characters of a member of a query in an address, whose line is bounded anyway, and of a cursor. */
export const MAX_QUERY_TEXT_LENGTH = 65_536;
export const MAX_CURSOR_LENGTH = 400;
/** Digits of a revision as it is sent. */
export const MAX_REVISION_LENGTH = 15;
/** Groups of one answer and different values that it counts, together: each is kept while the rows are gone through. */
export const MAX_GROUPS = 200_000;
/** Records of one request, and records that one changes or deletes: each is an entry of its answer. */
export const MAX_RECORDS = 100_000;
/** Stretches of rows that one request deletes: each is a move of all that stands below it. */
export const MAX_DELETED_STRETCHES = 1_000;
/** Rows that indexes for looking up records hold, of all documents: some 20 bytes each. */
export const MAX_INDEXED_RECORDS = 6_000_000;
/** Rows that queries have found and further pages are taken from, of all documents: 4 bytes each. */
export const MAX_FOUND_ROWS = 4_000_000;
