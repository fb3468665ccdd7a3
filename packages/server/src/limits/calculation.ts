/** Limits of calculations and their threads. */

/**
 * Time limit of a calculation in the serving thread, in milliseconds. A longer one is repeated in a calculation thread.
 */
export const INLINE_CALCULATION_MS = 4;
/** The same limit while no thread can be started because the program files have changed. */
export const INLINE_WITHOUT_THREADS_MS = 200;
/** Maximum values of a batch that the serving thread writes, and the number of values that a formula counts as. */
export const INLINE_VALUES = 30_000;
export const INLINE_FORMULA_VALUES = 20;
/** Maximum runs of formulas whose graph the serving thread builds. */
export const INLINE_RUNS = 1_000;
/** Earlier states of a document to which a calculation thread can return after a batch could not be stored. */
export const MAX_KEPT_STATES = 16;
/** Maximum stored bytes of a document that the serving thread reads or writes. */
export const INLINE_LOAD_BYTES = 128 * 1024;
/**
 * Maximum chunks of an old state that the serving thread reads. For thousands of chunks, adding up their sizes is slow.
 */
export const INLINE_LOAD_CHUNKS = 512;
/**
 * Consecutive cheap batches after which a document returns from a calculation thread to the serving thread. A small
 * document returns after as many as it has chunks and runs of formulas.
 */
export const CALM_WRITES = 256;
/** Extra time beyond a calculation's budget before its thread is terminated, in milliseconds. */
export const CALCULATION_GRACE_MS = 2_000;
/** Factor by which a task may exceed its time, because the thread or the machine also does other work. */
export const CALCULATION_PATIENCE = 3;
/** Threads that read and write stored forms of documents. */
export const READING_THREADS = 3;
/**
 * Calculation threads per configured worker. One user may occupy only `workers` of them; the rest serve other users.
 */
export const THREADS_PER_WORKER = 2;
/** Estimated time of reading or writing a stored form, in milliseconds for each byte. */
export const EXPECTED_MS_PER_STORED_BYTE = 1e-4;
/** Copies of one document for long trials (dry runs, formulas of queries). One user gets one copy at a time. */
export const TRIAL_COPIES = 2;
/** Milliseconds that all calculations of one working copy may take. */
export const MAX_WORKING_COPY_MS = 30_000;
/** Users with more recent processor time than this wait behind other writers of a document, in milliseconds. */
export const HEAVY_WRITER_MS = 250;
/** Maximum waiting writes of a document that are examined to choose the next one. */
export const MAX_EXAMINED_WRITES = 1_000;
/** Idle time after which a thread is terminated, in milliseconds. */
export const IDLE_THREAD_MS = 60_000;
/**
 * Maximum heap of another thread as a share of the serving thread's maximum. With the full size for each, a process
 * with two calculation threads, a reading thread and two import threads could use six times the configured memory. A
 * quarter of 512 MiB is enough for 100,000 different formulas, but did not reduce resident memory compared to half.
 */
export const THREAD_HEAP_SHARE = 1 / 2;
/**
 * Size of the young generation of a thread's heap, in MiB. With V8's default of 48 MiB, an upload of a million records
 * took 88 MiB more and was not faster.
 */
export const THREAD_YOUNG_HEAP_MIB = 12;
/** An idle thread with more garbage than this (bytes) collects it after this time (milliseconds). */
export const COLLECTED_GARBAGE_BYTES = 32 * 1024 * 1024;
export const COLLECTION_DELAY_MS = 500;
/** Time limits for building a document's formula graph, and for reading or writing its stored form; in milliseconds. */
export const ADOPTION_MS = 60_000;
export const LOADING_MS = 120_000;
/** Number of threads that may fail with the same batch before the batch fails. */
export const MAX_CALCULATION_ATTEMPTS = 3;
