/** Fixed limits of sign-in, sessions and other features of the console. */

/** Time without use after which a session ends, and its maximum lifetime; in milliseconds. */
export const SESSION_IDLE_MS = 7 * 24 * 60 * 60 * 1000;
export const SESSION_LIFE_MS = 30 * 24 * 60 * 60 * 1000;
/** Maximum sessions of one user. One more session ends the least recently used one. */
export const MAX_SESSIONS_PER_USER = 50;
/** Maximum stored characters of a browser's name (`User-Agent`), and of a network address. */
export const MAX_AGENT_LENGTH = 255;
export const MAX_ADDRESS_LENGTH = 64;
/** Maximum requests of one session per second. Showing one screen of a sheet takes several. */
export const SESSION_REQUESTS_PER_SECOND = 100;

/**
 * Maximum failed sign-ins within `ATTEMPT_WINDOW_MS`: for one account from one network, for one account from all
 * networks, from one network for all accounts, and from a known device or session.
 */
export const MAX_NETWORK_ATTEMPTS_PER_ACCOUNT = 10;
export const MAX_ATTEMPTS_PER_ACCOUNT = 60;
export const MAX_ATTEMPTS_PER_NETWORK = 60;
export const MAX_KNOWN_DEVICE_ATTEMPTS = 20;
export const ATTEMPT_WINDOW_MS = 15 * 60 * 1000;
/** Time after a sign-in for which the device counts as known, in milliseconds. */
export const KNOWN_DEVICE_MS = 180 * 24 * 60 * 60 * 1000;
/** Maximum characters of a submitted password. Passwords longer than `MAX_PASSWORD_LENGTH` are always wrong. */
export const MAX_SENT_PASSWORD_LENGTH = 1_024;
/**
 * Passwords that are hashed at the same time (each takes a pool thread and 32 MiB; at most half for one user or network
 * address), and requests that may wait for this, in total and for one user or address.
 */
export const MAX_HASHES = 2;
export const MAX_WAITING_HASHES = 34;
export const MAX_WAITING_HASHES_PER_USER = 17;

/** Lifetime of an invitation in milliseconds, and maximum open invitations of one workspace. */
export const INVITATION_LIFE_MS = 7 * 24 * 60 * 60 * 1000;
export const MAX_OPEN_INVITATIONS = 200;
/** Time for which the link of an ended invitation still says that it has ended, in milliseconds. */
export const ENDED_INVITATION_KEPT_MS = 90 * 24 * 60 * 60 * 1000;
/**
 * Maximum characters of a secret in a token, link or cookie. Longer ones are not looked up. Valid ones have 43 to 46.
 */
export const MAX_SECRET_LENGTH = 255;
/** Maximum documents that one request transfers to another owner. */
export const MAX_TRANSFERRED_DOCUMENTS = 500;
/** Maximum tokens in a list, the newest ones. */
export const MAX_LISTED_TOKENS = 1_000;

/**
 * Interval in which uses of tokens and sessions are saved, in milliseconds, maximum unsaved uses, and rows per
 * transaction.
 */
export const ACTIVITY_FLUSH_MS = 15_000;
export const MAX_BUFFERED_USES = 20_000;
export const ACTIVITY_BATCH = 500;
/** Length of the periods in which requests are counted, and how long the counts are kept; in milliseconds. */
export const USAGE_PERIOD_MS = 5 * 60 * 1000;
export const USAGE_KEPT_MS = 24 * 60 * 60 * 1000;

/** Maximum entries of a document's audit log that a search reads, the newest ones. */
export const MAX_SEARCHED_ENTRIES = 50_000;
/** Entries of one page of an audit log. */
export const DEFAULT_LOG_PAGE = 50;
export const MAX_LOG_PAGE = 200;
/** Maximum bytes of a request body about accounts. */
export const MAX_ACCOUNT_BODY_BYTES = 64 * 1024;
/**
 * Presence of viewers: maximum browser tabs on one document, of all users and of one; documents with viewers; and the
 * time after which a silent viewer is removed, in milliseconds.
 */
export const MAX_VIEWERS = 100;
export const MAX_VIEWERS_PER_USER = 10;
export const MAX_VIEWED_DOCUMENTS = 2_000;
export const PRESENCE_MS = 30_000;
/** Maximum characters of a browser tab's id. */
export const MAX_TAB_LENGTH = 64;
/** Documents in one page of a workspace's list for its owner. */
export const WORKSPACE_DOCUMENTS_PAGE = 100;
