/** Rows of a sheet. */
export const MAX_ROWS = 1_048_576;
/** Columns of a sheet. */
export const MAX_COLUMNS = 16_384;
