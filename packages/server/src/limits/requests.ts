/** Limits of one request. Settings of an operator are in `config`. */

/** Rows of one range in one read answer. */
export const MAX_READ_ROWS = 1_000;
/** Maximum ranges of one `batchGet`. */
export const MAX_BATCH_RANGES = 20;
/** Maximum operations of one structure change. */
export const MAX_OPERATIONS = 1_000;
/**
 * Maximum blocks of one batchUpdate. Each is an audit entry, and an entry of the reply stored for an `Idempotency-Key`.
 */
export const MAX_BATCH_BLOCKS = 10_000;
/** Maximum bytes of the reply to a batchUpdate. It contains the sheet's name, up to 2 KiB, for every block. */
export const MAX_REPLY_BYTES = 8 * 1024 * 1024;
/** Maximum empty cells that arise when one request's columns of different lengths are converted to rows. */
export const MAX_TRANSPOSED_GAPS = 4_000_000;
/** Maximum characters of a range. The longest quoted sheet name fits. */
export const MAX_RANGE_LENGTH = 4_096;
/** Maximum characters of a submitted name, including surrounding blanks that are removed. */
export const MAX_SENT_NAME_LENGTH = 1_024;
/** Upper bound of the configurable maximum length of texts and formulas, in characters. */
export const MAX_CELL_LENGTH = 1_000_000;
/** Maximum members of an object in a request, and maximum entries of its short lists. */
export const MAX_MEMBERS = 64;
/** Maximum unknown members and query parameters that one refusal names. */
export const MAX_UNKNOWN_FIELDS = 10;
/** Maximum characters of an unknown name for which a similar known name is suggested. */
export const MAX_COMPARED_NAME_LENGTH = 64;
/** Maximum characters of a refusal's message, and of its field: both may repeat submitted text. */
export const MAX_REFUSAL_LENGTH = 1_000;
/** Maximum code points of a sheet's name. */
export const MAX_SHEET_NAME_LENGTH = 255;
/** Maximum characters of an `Idempotency-Key`. */
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;
/** Maximum characters of a subscription's address, bot token and chat id. */
export const MAX_WEBHOOK_URL_LENGTH = 2_048;
export const MAX_BOT_TOKEN_LENGTH = 255;
export const MAX_CHAT_ID_LENGTH = 64;
/** Entries of one audit answer. */
export const DEFAULT_AUDIT_PAGE = 50;
export const MAX_AUDIT_PAGE = 200;
/** Maximum cells in the answer to a dry run. */
export const MAX_PREVIEWED_CELLS = 1_000;
/** Maximum inserted, deleted and moved areas in a proposal. */
export const MAX_PREVIEWED_MOVES = 100;
/** Maximum changed names, tables, filters and layouts in a proposal. */
export const MAX_PREVIEWED_SETTINGS = 100;
/** Maximum moved areas that a dry run follows to find deleted cells. */
export const MAX_PREVIEW_STEPS = 100_000;
/** Maximum ranges in `expect`, maximum cells in all of them, and maximum differing cells in the answer. */
export const MAX_EXPECTATIONS = 1_000;
export const MAX_EXPECTED_CELLS = 100_000;
export const MAX_DIFFERENCES = 100;
