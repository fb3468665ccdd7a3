/** Bounds of calculation and of its threads, each with its unit. */

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
/** A document's writers who have consumed more than this stand back behind others, in milliseconds. */
export const HEAVY_WRITER_MS = 250;
/** Waiting writes of a document among which the next one is looked for. */
export const MAX_EXAMINED_WRITES = 1_000;
/** A thread that had nothing to do for so long is ended, with all that it holds, in milliseconds. */
export const IDLE_THREAD_MS = 60_000;
/**
 * What the heap of any other thread may take of what the serving one's may: with the whole for each, a process with two
 * calculation threads, the one that reads stored forms and two that make files could take six times what bounds it. Of
 * 512 MiB a quarter does for 100,000 different formulas, and kept resident memory no lower than half, which holds more.
 */
export const THREAD_HEAP_SHARE = 1 / 2;
/** A thread with more garbage than this collects it when it has had nothing to do for so long; bytes, milliseconds. */
export const COLLECTED_GARBAGE_BYTES = 32 * 1024 * 1024;
export const COLLECTION_DELAY_MS = 500;
/** What a thread gets for building a document's formula graph, and for reading or writing its stored form, in milliseconds. */
export const ADOPTION_MS = 60_000;
export const LOADING_MS = 120_000;
/** Threads that fail one after another under the same batch before it fails, too. */
export const MAX_CALCULATION_ATTEMPTS = 3;
