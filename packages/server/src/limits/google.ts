/** Maximum characters of a field mask. */
export const MAX_MASK_LENGTH = 10_000;
/** Maximum levels of a field mask. */
export const MAX_MASK_DEPTH = 20;
/** Maximum requests of one batchUpdate. */
export const MAX_BATCH_REQUESTS = 10_000;
/**
 * Milliseconds of processor time that the thread that serves requests may spend on the structure after each request of
 * one batchUpdate.
 */
export const MAX_BATCH_STRUCTURE_MS = 5_000;
/** Edits of a batchUpdate that are applied to its structure before other work may have its turn. */
export const EDITS_PER_STEP = 32;
/** Groups in the replies of one batchUpdate. The reply to each group that is added or deleted lists all groups of its axis. */
export const MAX_LISTED_GROUPS = 1_000_000;
/** Maximum cells that the requests of one batchUpdate may examine one by one. */
export const MAX_SCANNED_CELLS = 1_000_000;
/**
 * Maximum steps of the searches of one `findReplace`: characters times instructions of the pattern. A step takes up to
 * 40 ns.
 */
export const MAX_SEARCH_STEPS = 250_000_000;
/** Steps of a search that take as long as examining one cell. */
export const SEARCH_STEPS_PER_CELL = 250;
/** Cells that a request of a batchUpdate examines before other work may have its turn. */
export const CELLS_PER_STEP = 512;
/** Cells of values that a request of a batchUpdate writes with one edit. A single row may have more. */
export const CELLS_PER_EDIT = 1_000;
/**
 * Milliseconds that the plan of a batch may take inside a commit, where other writes of the document wait. A longer plan
 * runs before the commit.
 */
export const MAX_PLAN_IN_COMMIT_MS = 5;
/** Ranges of one request for values or cells. */
export const MAX_GOOGLE_RANGES = 1_000;
/** Cells of one answer with values. */
export const MAX_VALUE_CELLS = 5_000_000;
/** Maximum cells whose formats or other properties one batchUpdate may set. */
export const MAX_FORMATTED_GOOGLE_CELLS = 1_000_000;
/** Rows and columns of the grid of a new sheet. */
export const NEW_GRID = { rows: 1_000, columns: 26 } as const;
/** Maximum levels of a JSON body. */
export const MAX_JSON_DEPTH = 100;
/** Maximum formulas of one sheet whose typed texts are stored. */
export const MAX_KEPT_FORMULAS = 2_000;
/** Developer metadata of one document. */
export const MAX_METADATA = 10_000;
/** Capacity of the cache of responses with values, in bytes. */
export const VALUES_CACHE_BYTES = 32 * 1024 * 1024;
/** Maximum characters of a link's address. */
export const MAX_LINK_LENGTH = 2_000;
/** Seconds that an access token of a service-account key lasts. */
export const ACCESS_TOKEN_SECONDS = 3_600;
/** Maximum difference to the clock of a JWT's signer, in seconds. */
export const JWT_SKEW_SECONDS = 300;
/** Maximum characters of a JWT. */
export const MAX_JWT_LENGTH = 8_192;
/** Days that a certificate of the local proxy's authority lasts. */
export const PROXY_CERTIFICATE_DAYS = 90;
/** Files of one page of a Drive list. */
export const MAX_DRIVE_PAGE = 1_000;
/** Maximum characters of an alias of a document. */
export const ALIAS_LENGTH = { min: 20, max: 64 } as const;
/** Maximum cached JWTs whose signatures are verified. */
export const MAX_CACHED_JWTS = 1_000;
/** Capacity of the cache of row texts, in characters, for all documents together. */
export const ROW_CACHE_CHARACTERS = 16 * 1024 * 1024;
