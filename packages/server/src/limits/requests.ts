/** Bounds of what one request may ask, each with its unit. Settings of an operator are in `config`. */

/** Rows of one range in one read answer. */
export const MAX_READ_ROWS = 1_000;
/** Ranges of one batchGet. */
export const MAX_BATCH_RANGES = 20;
/** Operations of one change of structure. */
export const MAX_OPERATIONS = 1_000;
/** Blocks of one batchUpdate: each is an audit entry, and an entry of the answer that an `Idempotency-Key` keeps. */
export const MAX_BATCH_BLOCKS = 10_000;
/** Bytes that the answer to a batchUpdate takes at most: names of sheets, up to 2 KiB each, stand in it for every block. */
export const MAX_REPLY_BYTES = 8 * 1024 * 1024;
/** Cells that the values of one request, given by columns, may leave out within their rows: they take room nonetheless. */
export const MAX_TRANSPOSED_GAPS = 4_000_000;
/** Characters of a range; the longest sheet name, all of it quoted, fits. */
export const MAX_RANGE_LENGTH = 4_096;
/** Characters of a sheet's name as it is sent, with the blanks around it that are not part of it. */
export const MAX_SENT_NAME_LENGTH = 1_024;
/** Characters of a text or formula that an operator can allow. */
export const MAX_CELL_LENGTH = 1_000_000;
/** Members of an object in a request, and entries of its short lists. */
export const MAX_MEMBERS = 64;
/** Unknown members and query parameters that one refusal names. */
export const MAX_UNKNOWN_FIELDS = 10;
/** Characters of an unknown name that is compared with those that are known, to suggest one. */
export const MAX_COMPARED_NAME_LENGTH = 64;
/** Characters of what a refusal says is wrong, and of where: both may name what was sent. */
export const MAX_REFUSAL_LENGTH = 1_000;
/** Code points of a sheet's name. */
export const MAX_SHEET_NAME_LENGTH = 255;
/** Characters of an `Idempotency-Key`. */
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;
/** Characters of a subscription's address, bot token and chat id. */
export const MAX_WEBHOOK_URL_LENGTH = 2_048;
export const MAX_BOT_TOKEN_LENGTH = 255;
export const MAX_CHAT_ID_LENGTH = 64;
/** Entries of one audit answer. */
export const DEFAULT_AUDIT_PAGE = 50;
export const MAX_AUDIT_PAGE = 200;
/** Cells that the answer to a dry run names. */
export const MAX_PREVIEWED_CELLS = 1_000;
/** Moves of areas that it follows to find cells that are deleted. */
export const MAX_PREVIEW_STEPS = 100_000;
/** Ranges that a write says what it expects of, cells of them all, and cells that an answer names of those that differ. */
export const MAX_EXPECTATIONS = 1_000;
export const MAX_EXPECTED_CELLS = 100_000;
export const MAX_DIFFERENCES = 100;
