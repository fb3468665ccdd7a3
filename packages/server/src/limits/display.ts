/** Bounds of what the console asks of a sheet: cells, filters and layout. */

/** Maximum areas of a selection for which sums and counts are shown. */
export const MAX_COUNTED_AREAS = 100;
/** Maximum distinct texts of a column in a filter menu, the same as in Excel. */
export const MAX_FILTER_VALUES = 10_000;
/** Maximum columns with a condition in one filter. */
export const MAX_FILTER_COLUMNS = 256;
/** Maximum tests of one filter column. */
export const MAX_FILTER_TESTS = 16;
/** Maximum UTF-16 units of a filter test's operand. */
export const MAX_FILTER_OPERAND_LENGTH = 1_000;
/** Maximum UTF-16 units of all texts of a column in a filter menu. */
export const MAX_FILTER_TEXT = 1_000_000;
/** Maximum cells whose styles one request reads, and maximum cells whose number format one request sets. */
export const MAX_DISPLAY_CELLS = 200_000;
export const MAX_FORMATTED_CELLS = 200_000;
/** Maximum cells that one fill operation writes. */
export const MAX_FILLED_CELLS = 200_000;
/** Maximum width of a column that is resized in the console, in CSS pixels: 255 characters, as in Excel. */
export const MAX_PULLED_WIDTH = 1_790;
/** Maximum height of a row that is resized in the console, in CSS pixels: 409 points, as in Excel. */
export const MAX_PULLED_HEIGHT = 545;
/** Maximum cells of a range that is shown with notes, rules and conditional formats. The console asks for 2,048. */
export const MAX_RULE_CELLS = 20_000;
/** Maximum areas of conditional formats, of validation rules, and of banded ranges, in one range. */
export const MAX_RULE_AREAS = 1_000;
/** Maximum conditional formats of one cell. */
export const MAX_RULES_OF_CELL = 40;
/** Maximum rectangles of cells with the same conditional formats in one range. */
export const MAX_RULE_BLOCKS = 500;
/** Maximum UTF-16 units of conditional formats that are read for one range; a rule counts once for each rectangle. */
export const MAX_RULE_CHARACTERS = 2_000_000;
/** Maximum UTF-16 units of an input that is checked against a validation rule. */
export const MAX_CHECKED_INPUT = 50_000;
/** Maximum values of a validation rule's list. */
export const MAX_LISTED_VALUES = 1_000;
/** Maximum bands of rows or columns, and merged ranges, in the layout of a sheet. */
export const MAX_DISPLAY_BANDS = 20_000;
