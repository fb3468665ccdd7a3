/** Bounds of what the console asks of a sheet: cells, filters and layout. */

/** Areas of a selection whose cells are counted and added up. */
export const MAX_COUNTED_AREAS = 100;
/** Texts that a filter shows of one column, as many as in Excel. */
export const MAX_FILTER_VALUES = 10_000;
/** Columns of a filter with a condition. */
export const MAX_FILTER_COLUMNS = 256;
/** Tests of one column of a filter. */
export const MAX_FILTER_TESTS = 16;
/** UTF-16 units of what a test of a filter compares with. */
export const MAX_FILTER_OPERAND_LENGTH = 1_000;
/** UTF-16 units of all texts that a filter shows of one column. */
export const MAX_FILTER_TEXT = 1_000_000;
/** Cells whose looks one request is told, and that one request gives a number format. */
export const MAX_DISPLAY_CELLS = 200_000;
export const MAX_FORMATTED_CELLS = 200_000;
/** Cells that one request fills. */
export const MAX_FILLED_CELLS = 200_000;
/** The widest that a column is pulled, in CSS pixels: 255 characters, as in Excel. */
export const MAX_PULLED_WIDTH = 1_790;
/** The highest that a row is pulled, in CSS pixels: 409 points, as in Excel. */
export const MAX_PULLED_HEIGHT = 545;
/** Bands of rows or columns, and merged ranges, that are told of a sheet's layout. */
export const MAX_DISPLAY_BANDS = 20_000;
