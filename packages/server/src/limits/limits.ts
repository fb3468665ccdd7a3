/** Bounds that nobody configures, each with its unit. What an operator may change stands in `config`. */

// Requests
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

// Records
/** Comparisons of one query, and values that they compare with, together. */
export const MAX_CONDITIONS = 100;
export const MAX_LISTED_VALUES = 100_000;
/** Names in one list of a query: of columns, measures, sort keys. */
export const MAX_QUERY_NAMES = 1_000;
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

// Store
/** How long SQLite itself waits for another process's write lock, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5_000;
/** How long one who must be alone in a data folder waits for commands to end, in milliseconds. */
export const FOLDER_TAKING_MS = 1_000;
/** How often a transaction that still found the database locked is tried again. */
export const MAX_BUSY_RETRIES = 5;
/** Units that share one transaction. */
export const MAX_UNITS_PER_TRANSACTION = 512;
/** Parameter bytes that share one transaction; a larger single unit still gets one of its own. */
export const MAX_BYTES_PER_TRANSACTION = 32 * 1024 * 1024;
/** Units that may wait for the writer; beyond, a write fails rather than take more memory. */
export const MAX_WAITING_UNITS = 20_000;
/** Prepared statements kept by one connection. */
export const MAX_PREPARED_STATEMENTS = 500;
/** Pages that one connection keeps in memory, in KiB. */
export const SQLITE_CACHE_KIB = 16_000;
/** The same of one that a thread has to read documents as wholes: it comes by each page once. */
export const SQLITE_READER_CACHE_KIB = 2_000;
/** The write-ahead log is cut back to this size after a checkpoint of SQLite's, in bytes. */
export const SQLITE_WAL_LIMIT_BYTES = 64 * 1024 * 1024;

/** The file with the newest commits is written at most this often, in milliseconds, and names so many documents. */
export const NEWEST_COMMITS_MS = 1_000;
export const MAX_NEWEST_COMMITS = 32;

// PostgreSQL
/**
 * A connection on which nothing came for so long while a statement is unanswered is examined, and looked for so often;
 * an answer that is on its way gets the grace; in milliseconds. With a new connection (`POSTGRES_CONNECT_MS`), and
 * another to do the statement again, a caller has an answer within 10 s.
 */
export const POSTGRES_SILENCE_MS = 1_500;
export const POSTGRES_LOOK_MS = 250;
export const POSTGRES_GRACE_MS = 250;
/** What making a connection may take, and the answer to a statement, network included; in milliseconds. */
export const POSTGRES_CONNECT_MS = 3_000;
export const POSTGRES_ANSWER_MS = 40_000;
/** What the server gives a statement, and one that waits for a lock, before it breaks off; in milliseconds. */
export const POSTGRES_STATEMENT_MS = 30_000;
export const POSTGRES_LOCK_MS = 10_000;
/** The server ends a transaction whose node does nothing for so long, as one that was stopped; in milliseconds. */
export const POSTGRES_IDLE_TRANSACTION_MS = 10_000;
/** A connection on which nothing has come for so long is asked for the other end, by the operating systems of both; in milliseconds. */
export const POSTGRES_KEEPALIVE_MS = 20_000;
/** Callers that may wait for a connection, and how long, in milliseconds; beyond, a call fails rather than take more of either. */
export const MAX_WAITING_FOR_CONNECTION = 20_000;
export const MAX_WAIT_FOR_CONNECTION_MS = 15_000;
/** Where the server takes no more connections, the next is asked for so much later, in milliseconds. */
export const POSTGRES_FULL_MS = 1_000;
/** How often a transaction that the server undid for no fault of its own is tried, and the pause before it, in milliseconds. */
export const MAX_TRANSACTION_ATTEMPTS = 5;
export const POSTGRES_RETRY_MS = 20;
/** Connections on which a node counts requests. */
export const RATE_CONNECTIONS = 2;
/** Nodes tell each other of commits so long after the first one, in milliseconds, so many documents (36 bytes each) at once. */
export const RELAY_DELAY_MS = 2;
export const RELAY_MESSAGE_DOCUMENTS = 150;
/** PostgreSQL takes no longer notifications. */
export const RELAY_MESSAGE_BYTES = 7_999;
/** … and connect again so long after the connection for that broke, in milliseconds. */
export const RELAY_RECONNECT_MS = 1_000;
/** … and how often that connection has to show that it is alive, in milliseconds: one that does not is made anew. */
export const RELAY_BEAT_MS = 5_000;
/** How long after a transaction began it is asked what became of it, if its answer was lost, and how often; in milliseconds. */
export const POSTGRES_FIND_OUT_MS = 6_000;
export const POSTGRES_STATUS_MS = 50;

// Failures in the background
/** The same failure of the store is told in the log once in so many milliseconds; so many different ones are known. */
export const FAILURE_AGAIN_MS = 60_000;
export const MAX_KNOWN_FAILURES = 100;

// Backups, moving and bundles
/** Rows, and bytes of them, that are carried at a time from one database to another, or to a file. */
export const TRANSFER_BATCH_ROWS = 512;
export const TRANSFER_BATCH_BYTES = 4 * 1024 * 1024;
/** Bytes of what a file begins with, and of one row; what says that it is longer is refused. */
export const MAX_ARCHIVE_HEAD_BYTES = 1024 * 1024;
export const MAX_ARCHIVE_ROW_BYTES = 1024 * 1024 * 1024;
/** The same of a bundle, which anybody may have made, and bytes of all that is in it. */
export const MAX_BUNDLE_ROW_BYTES = 256 * 1024 * 1024;
export const MAX_ARCHIVE_BUNDLE_BYTES = 4 * 1024 * 1024 * 1024;
/** Users that a bundle names, sheets that it protects, and characters of a name in it. */
export const MAX_BUNDLE_USERS = 10_000;
export const MAX_BUNDLE_NAME_LENGTH = 1_000;

// Documents
/** Commits that moved cells over which the addresses of an earlier revision are followed, and bytes that tell of them. */
export const MAX_REBASED_COMMITS = 1_000;
export const MAX_REBASED_BYTES = 8 * 1024 * 1024;
/** Cells of a request times steps that are followed one by one: a fraction of a second. */
export const MAX_FOLLOWED_CELLS = 1_000_000;
/** Commits among which someone else's writes of the same cells are looked for; read so many at a time. */
export const MAX_COMPARED_COMMITS = 1_000;
export const COMPARED_STEP = 50;
/** Areas that the log keeps of what a commit wrote, and of what was recalculated; as many as a notification has cells. */
export const MAX_COMMIT_AREAS = 1_000;
/** Characters of these areas as they are stored, rest and named ones included: a longer text is one of before the bound. */
export const MAX_AREAS_LENGTH = 1_000_000;
/** Commits of one document that may be on their way to the disk at once. */
export const MAX_PIPELINED_COMMITS = 128;
/** … and their deltas together, in bytes. */
export const MAX_PIPELINED_BYTES = 32 * 1024 * 1024;
/** Commits of an open document of which is remembered what they touched, and characters that tell it of one. */
export const MAX_RECENT_COMMITS = 64;
export const MAX_RECENT_AREAS_LENGTH = 4_096;
/** Work in the thread that serves, before the event loop gets a turn, in milliseconds. */
export const SLICE_MS = 10;
/** Commits back to the one that a caller's ETag names; one from before counts as changed. */
export const MAX_TAG_COMMITS = 1_000;
/** Commits of one process in a row after which it writes on without asking whether another has written. */
export const TRUSTING_COMMITS = 3;
/** How often a write that lost the race for its revision is applied again. */
export const MAX_WRITE_ATTEMPTS = 50;
/** Bodies of the writes that wait, of all documents, of one, and of one user's; beyond, a write is refused. Bytes. */
export const MAX_WAITING_BYTES = 48 * 1024 * 1024;
export const MAX_WAITING_BYTES_PER_DOCUMENT = 24 * 1024 * 1024;
export const MAX_WAITING_BYTES_PER_USER = 24 * 1024 * 1024;
/** What a write that waits takes besides its body, in bytes. */
export const WAITING_WRITE_BYTES = 2 * 1024;
/** Whoever is refused because too much waits may come again after so long, in seconds. */
export const BUSY_RETRY_SECONDS = 1;
/** A checkpoint is due after this many commits, or this many bytes of log (or the size of the last one's head). */
export const CHECKPOINT_COMMITS = 500;
export const CHECKPOINT_LOG_BYTES = 1024 * 1024;
/**
 * A checkpoint is kept for history once the log since the last one that was, each commit counted with so many bytes more,
 * is as long as this, and as the document is large. Bytes.
 */
export const BASE_LOG_BYTES = 1024 * 1024;
export const BASE_COMMIT_BYTES = 512;
/** Whether it is due is found out in a thread where the document takes more memory than this, in bytes. */
export const INLINE_BASE_BYTES = 8 * 1024 * 1024;
/** Chunks of it that one transaction copies. */
export const BASE_COPY_CHUNKS = 1_000;
/** Times that a way to an old revision is looked for while what leads there is being tidied away. */
export const MAX_BASE_READS = 5;
/** What moving an old revision's cells as later ones moved them may take, in milliseconds. */
export const FOLLOWING_MS = 10_000;
/** Commits taken back since that are taken back in old states, too, to follow one; and the log that leads through them, in bytes. */
export const MAX_HELD_COMMITS = 200;
export const MAX_FOLLOWED_BYTES = 64 * 1024 * 1024;
/** Old revisions kept in memory, of all documents, and what they may take together, in bytes. */
export const MAX_PAST_STATES = 16;
export const MAX_PAST_BYTES = 64 * 1024 * 1024;
/** At a clean shutdown a document gets a checkpoint when at least this many commits are not in one. */
export const CHECKPOINT_ON_CLOSE_COMMITS = 16;
/** Documents kept open, and what they may take together, in bytes. */
export const MAX_OPEN_DOCUMENTS = 2_000;
export const MAX_OPEN_BYTES = 512 * 1024 * 1024;
/** Documents that keep their formula graph ready for the next write. */
export const MAX_OPEN_WORKBOOKS = 200;

/** Filled cells of a file that goes into an open document, and cells from A1 to the last one, empty ones included. */
export const MAX_SHEET_FILE_CELLS = 1_000_000;
export const MAX_SHEET_FILE_AREA = 4_000_000;
/** Areas of equal format of such a file; the formats of others are left out. */
export const MAX_FILE_AREAS = 20_000;
/** Times that such a file is read again because the rows that its formulas were written for are taken. */
export const MAX_SHEET_FILE_READS = 3;

// Calculation
/** A batch is calculated in the thread that serves for so long; one that takes more is done again in another. */
export const INLINE_CALCULATION_MS = 4;
/** … while no thread can be started, as the program files have changed. */
export const INLINE_WITHOUT_THREADS_MS = 200;
/** Values of a batch that are entered there at most; a formula counts as so many. */
export const INLINE_VALUES = 30_000;
export const INLINE_FORMULA_VALUES = 20;
/** Runs of formulas whose graph is built there. */
export const INLINE_RUNS = 1_000;
/** States of a document that a calculation thread can go back to, when a batch did not reach the disk. */
export const MAX_KEPT_STATES = 16;
/** Stored bytes of a document that are read and written there. */
export const INLINE_LOAD_BYTES = 128 * 1024;
/** Chunks of a state of the past that is read there: to add up what thousands take would be long itself. */
export const INLINE_LOAD_CHUNKS = 512;
/** A document comes back there after so many batches in a row that took next to nothing. */
export const CALM_WRITES = 256;
/** What a thread gets beyond a calculation's own budget before it is ended, in milliseconds. */
export const CALCULATION_GRACE_MS = 2_000;
/** Threads work for others meanwhile, or the machine does: a task may take so many times what it is given. */
export const CALCULATION_PATIENCE = 3;
/** Threads that read and write stored forms of documents. */
export const READING_THREADS = 3;
/** Calculation threads for each of the threads that one user may have at once (`workers`): the others are for others. */
export const THREADS_PER_WORKER = 2;
/** What reading or writing a stored form probably takes before it is known, in milliseconds for each of its bytes. */
export const EXPECTED_MS_PER_STORED_BYTE = 1e-4;
/** Copies of one document for trials (dry runs, formulas of queries) that take long; one user has one of them at a time. */
export const TRIAL_COPIES = 2;
/** Tasks that may wait for a thread, of one user and of all; beyond, the next is refused. */
export const MAX_WAITING_TASKS_PER_USER = 64;
export const MAX_WAITING_TASKS = 1_024;
/** What a user has consumed counts for half after so long, in milliseconds; it is known of so many users. */
export const CONSUMPTION_HALF_LIFE_MS = 30_000;
export const MAX_METERED_USERS = 10_000;
/** A document's writers who have consumed more than this stand back behind others, in milliseconds. */
export const HEAVY_WRITER_MS = 250;
/** Waiting writes of a document among which the next one is looked for. */
export const MAX_LOOKED_AT_WRITES = 1_000;
/** A thread that had nothing to do for so long is ended, with all that it holds, in milliseconds. */
export const IDLE_THREAD_MS = 60_000;
/**
 * What the heap of any other thread may take of what the serving one's may: with the whole for each, a process with two
 * calculation threads, the one that reads stored forms and two that make files could take six times what bounds it. Of
 * 512 MiB a quarter does for 100,000 different formulas, and kept resident memory no lower than half, which holds more.
 */
export const THREAD_HEAP_SHARE = 1 / 2;
/**
 * V8's limit of a thread's heap lies so many bytes above what the thread may take: a single allocation that does not fit
 * below V8's limit ends the whole process. Twenty million numbers, which a calculation may have, take 160 MiB.
 */
export const HEAP_RESERVE_BYTES = 256 * 1024 * 1024;
/** How often the heap of a thread that works is looked at, in milliseconds. */
export const HEAP_WATCH_MS = 100;
/** What a calculation in the serving thread may fill its heap to, of what V8 lets it have. */
export const SERVING_HEAP_SHARE = 3 / 4;
/** How far a heap grows over what lives in it before its garbage is collected, in percent. */
export const HEAP_GROWTH_PERCENT = 50;
/** A thread with more garbage than this collects it when it has had nothing to do for so long; bytes, milliseconds. */
export const COLLECTED_GARBAGE_BYTES = 32 * 1024 * 1024;
export const COLLECTION_DELAY_MS = 500;
/** What a thread gets for building a document's formula graph, and for reading or writing its stored form, in milliseconds. */
export const ADOPTION_MS = 60_000;
export const LOADING_MS = 120_000;
/** Threads that fail one after another under the same batch before it fails, too. */
export const MAX_CALCULATION_ATTEMPTS = 3;
/** How far calculations stand back behind serving: a process's niceness, where threads have their own. */
export const CALCULATION_NICENESS = 5;

// Documents in memory
/** Clocks of machines that share data may differ by so much, in milliseconds, without working against each other: more than the hour of a clock set to the wrong season. */
export const MAX_CLOCK_SKEW_MS = 90 * 60 * 1000;
/** After a new day's recalculation was refused or failed, readers get the day before for so long, in milliseconds. */
export const CLOCK_RETRY_MS = 60 * 1000;
/** Readers of one document who may wait for that recalculation, and for how long, in milliseconds. */
export const MAX_NEW_DAY_READERS = 256;
export const NEW_DAY_WAIT_MS = 5_000;
/** What an open document takes beside its cells and formulas, in bytes. */
export const OPEN_DOCUMENT_BASE_BYTES = 32 * 1024;
/** After writes, room is made this long after the last time at the earliest, in milliseconds. */
export const MAKE_ROOM_MS = 500;
/** Chunks of a document that are read at a time, and bytes of them unless a single one has more. */
export const CHUNK_PAGE_ROWS = 128;
export const CHUNK_PAGE_BYTES = 1024 * 1024;
/** Stored chunk bytes, or chunks, from which on a document that is gone through once is not held in memory. */
export const LARGE_DOCUMENT_BYTES = 4 * 1024 * 1024;
export const LARGE_DOCUMENT_CHUNKS = 2_048;
/** Times that a document is read in parts and another checkpoint comes meanwhile; then it is read at once. */
export const MAX_PAGED_READS = 3;
/** Chunk bytes that one transaction of a document's creation writes, and what a chunk takes in memory beside its bytes meanwhile. */
export const CREATE_TRANSACTION_BYTES = 4 * 1024 * 1024;
export const CHUNK_OVERHEAD_BYTES = 320;
/** Documents of one page of the list of documents, at most. */
export const MAX_DOCUMENTS_PAGE = 1_000;
/** Documents of the whole list that are written out at a time; others are served in between. */
export const DOCUMENT_LIST_PART = 500;
/** Rows that one transaction of a removal or of retention deletes; other writes wait a few milliseconds for it. */
export const DELETE_BATCH_ROWS = 250;
/** A creation that has written nothing for so long, by the clocks of two machines, is taken for dead and swept; in milliseconds. */
export const STALE_CREATION_MS = 24 * 60 * 60 * 1000;
/** Calculation bounds of an import, which nobody waits for at a request. */
export const IMPORT_CALCULATION_MS = 10 * 60 * 1000;
export const IMPORT_CALCULATION_CELLS = 1_000_000_000;
/**
 * Imports (and copies that are calculated again) at a time, each in a thread of its own, and exports at a time. Of each
 * kind so many may be large, and one user has at most half.
 */
export const JOB_PLACES = { places: 4, largePlaces: 2 };
/** Bytes of a file, or of a document in memory, from which on its import or export is large. */
export const LARGE_JOB_BYTES = 4 * 1024 * 1024;
/** A job that has run for this long goes on with a lower priority, in milliseconds. */
export const LONG_JOB_MS = 1_000;
/** What jobs probably take before it is known: milliseconds for each MiB of a file, or of a document in memory. */
export const EXPECTED_MS_PER_MIB = 500;
/**
 * What such a thread makes before it looks what of that is still needed, in MiB: with V8's own 48 a service took 35 to 65 MiB
 * more for a million rows in and out, and no less time.
 */
export const MAKING_YOUNG_MIB = 12;

// Retention
/** Revisions of one document that may have a name, and characters of it. */
export const MAX_NAMED_REVISIONS = 1_000;
export const MAX_REVISION_NAME_LENGTH = 255;
/** Revisions of one answer, by default and at most. */
export const DEFAULT_REVISIONS_PAGE = 50;
export const MAX_REVISIONS_PAGE = 200;
/** Commits that one look through the log for conflicts reads at a time. */
export const CONFLICT_STEP = 200;
/** Cells that the answer to a dry run names. */
export const MAX_PREVIEWED_CELLS = 1_000;
/** Moves of areas that it follows to find cells that are deleted. */
export const MAX_PREVIEW_STEPS = 100_000;
/** Ranges that a write says what it expects of, cells of them all, and cells that an answer names of those that differ. */
export const MAX_EXPECTATIONS = 1_000;
export const MAX_EXPECTED_CELLS = 100_000;
export const MAX_DIFFERENCES = 100;
/** Ranges that an answer names of what conflicts. */
export const MAX_CONFLICTS = 100;
/** Proposals of one answer, by default and at most. */
export const DEFAULT_PROPOSALS_PAGE = 50;
export const MAX_PROPOSALS_PAGE = 200;
/** Characters of a proposal's title, and of its note and the reason of a decision. */
export const MAX_PROPOSAL_TITLE_LENGTH = 200;
export const MAX_PROPOSAL_NOTE_LENGTH = 2_000;
/** Events about proposals that a stream is told at a time. */
export const PROPOSAL_NEWS_STEP = 50;
/** Proposals that end in one look, and the time between two looks. */
export const ENDED_PROPOSALS_STEP = 100;
export const ENDED_PROPOSALS_LOOK_MS = 1_000;
/** Commits that a checkpoint covers are kept this long, in milliseconds … */
export const COMMIT_LOG_MS = 30 * 24 * 60 * 60 * 1000;
/** … but never more of them than this for one document. */
export const COMMIT_LOG_COUNT = 10_000;
/** A clock that has moved by more than this beside the steady one, in milliseconds, has jumped. */
export const CLOCK_TRUST_MS = 60 * 1000;
/** Between two rounds of retention, in milliseconds. */
export const RETENTION_INTERVAL_MS = 10 * 60 * 1000;
/** A document in which nothing was due is looked at again after this long, in milliseconds. */
export const IDLE_LOOK_MS = 7 * 24 * 60 * 60 * 1000;
/** One that keeps something past its time, for a named revision or a late notification, is looked at again after this. */
export const RETAINED_LOOK_MS = 24 * 60 * 60 * 1000;
/** A process that has not been seen at work for so long has none any more: another one takes it over. Milliseconds. */
export const RETENTION_LOST_MS = 3 * RETENTION_INTERVAL_MS;
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

/** Documents of a person's bin that the console lists. */
export const MAX_LISTED_TRASH = 1_000;
/** Rows that one statement of a command line list reads. */
export const MAX_COMMAND_PAGE = 1_000;
/** Audit entries that one transaction of an erasure changes. */
export const AUDIT_ERASE_BATCH = 500;
/** A node looks this often whether the key for secrets was rotated, in milliseconds. */
export const KEY_REFRESH_MS = 500;
/** Program files are compared with those of the start this often, in milliseconds. */
export const SOURCES_CHECK_MS = 5_000;
/** Open file descriptors are counted this often, in milliseconds. */
export const DESCRIPTORS_CHECK_MS = 2_000;
/** From this share of the limit on they are said to run out, and below the other there are enough again. */
export const DESCRIPTORS_SHORT_SHARE = 0.95;
export const DESCRIPTORS_ENOUGH_SHARE = 0.8;
