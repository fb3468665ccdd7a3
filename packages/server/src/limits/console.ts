/** Bounds of sign-in, sessions and what only the console asks for, that nobody configures; each with its unit. */

/** A session ends when it was not used for so long, and after so long however much it is; in milliseconds. */
export const SESSION_IDLE_MS = 7 * 24 * 60 * 60 * 1000;
export const SESSION_LIFE_MS = 30 * 24 * 60 * 60 * 1000;
/** Sessions of one user; one more ends the one that was used longest ago. */
export const MAX_SESSIONS_PER_USER = 50;
/** Characters that are kept of the browser's name, and of an address. */
export const MAX_AGENT_LENGTH = 255;
export const MAX_ADDRESS_LENGTH = 64;
/** Requests of one session in a second: a screen of a sheet is several. */
export const SESSION_REQUESTS_PER_SECOND = 100;

/**
 * Failed attempts to sign in, in a window of so many milliseconds: at one account from one network, at it from all of
 * them, from one network at whatever accounts, and by one whose device or session is known.
 */
export const MAX_NETWORK_ATTEMPTS_PER_ACCOUNT = 10;
export const MAX_ATTEMPTS_PER_ACCOUNT = 60;
export const MAX_ATTEMPTS_PER_NETWORK = 60;
export const MAX_KNOWN_DEVICE_ATTEMPTS = 20;
export const ATTEMPT_WINDOW_MS = 15 * 60 * 1000;
/** A device is known for so long after somebody has signed in from it, in milliseconds. */
export const KNOWN_DEVICE_MS = 180 * 24 * 60 * 60 * 1000;
/** Characters of a password that somebody tries; beyond what one can have it is simply wrong. */
export const MAX_SENT_PASSWORD_LENGTH = 1_024;
/**
 * Passwords that are hashed at once (each takes a thread of the pool, and 32 MiB), half of them for one user or network
 * address, and those that may wait for it, of all and of one.
 */
export const MAX_HASHES = 2;
export const MAX_WAITING_HASHES = 34;
export const MAX_WAITING_HASHES_PER_USER = 17;

/** An invitation that nobody accepts ends after so long, in milliseconds; open ones of one workspace. */
export const INVITATION_LIFE_MS = 7 * 24 * 60 * 60 * 1000;
export const MAX_OPEN_INVITATIONS = 200;
/** The link of an invitation that ended says so for so long after its end, in milliseconds. */
export const ENDED_INVITATION_KEPT_MS = 90 * 24 * 60 * 60 * 1000;
/** Users of one workspace that may be invited until it is full. */
export const MAX_WORKSPACE_USERS = 10_000;
/** Characters of a token, or of what a link or a cookie holds; longer ones are not looked up. Ours have 43 to 46. */
export const MAX_SECRET_LENGTH = 255;
/** Documents that one request gives to another owner. */
export const MAX_TRANSFERRED_DOCUMENTS = 500;
/** Tokens that a list shows, the newest ones. */
export const MAX_LISTED_TOKENS = 1_000;

/** Uses of tokens and sessions are saved so often, in milliseconds, so many at a time; beyond, one is not noted. */
export const ACTIVITY_FLUSH_MS = 15_000;
export const MAX_BUFFERED_USES = 20_000;
export const ACTIVITY_BATCH = 500;
/** Requests are counted by periods of so long, in milliseconds, and the counts kept for so long. */
export const USAGE_PERIOD_MS = 5 * 60 * 1000;
export const USAGE_KEPT_MS = 24 * 60 * 60 * 1000;

/** Entries of a document's log that are searched, the newest ones. */
export const MAX_SEARCHED_ENTRIES = 50_000;
/** Entries of one page of a log. */
export const DEFAULT_LOG_PAGE = 50;
export const MAX_LOG_PAGE = 200;
/** Bytes of a body about accounts. */
export const MAX_ACCOUNT_BODY_BYTES = 64 * 1024;
/** Tabs of browsers that look at one document; documents of which that is remembered, and for how long, in milliseconds. */
export const MAX_VIEWERS = 100;
export const MAX_VIEWERS_PER_USER = 10;
export const MAX_VIEWED_DOCUMENTS = 2_000;
export const PRESENCE_MS = 30_000;
/** Characters of what a tab calls itself. */
export const MAX_TAB_LENGTH = 64;
/** Documents of a workspace in one answer to its owner. */
export const WORKSPACE_DOCUMENTS_PAGE = 100;
