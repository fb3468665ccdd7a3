/** Bounds of how a thread's time and memory are divided, each with its unit. */

/** Work in the thread that serves, before the event loop gets a turn, in milliseconds. */
export const SLICE_MS = 10;
/** Tasks that may wait for a thread, of one user and of all; beyond, the next is refused. */
export const MAX_WAITING_TASKS_PER_USER = 64;
export const MAX_WAITING_TASKS = 1_024;
/** What a user has consumed counts for half after so long, in milliseconds; it is known of so many users. */
export const CONSUMPTION_HALF_LIFE_MS = 30_000;
export const MAX_METERED_USERS = 10_000;
/**
 * V8's limit of a thread's heap lies so many bytes above what the thread may take: a single allocation that does not fit
 * below V8's limit ends the whole process. Twenty million numbers, which a calculation may have, take 160 MiB.
 */
export const HEAP_RESERVE_BYTES = 256 * 1024 * 1024;
/** How often the heap of a thread that works is looked at, in milliseconds. */
export const HEAP_CHECK_INTERVAL_MS = 100;
/** What a calculation in the serving thread may fill its heap to, of what V8 lets it have. */
export const SERVING_HEAP_SHARE = 3 / 4;
/** How far a heap grows over what lives in it before its garbage is collected, in percent. */
export const HEAP_GROWTH_PERCENT = 50;
/** How far calculations stand back behind serving: a process's niceness, where threads have their own. */
export const CALCULATION_NICENESS = 5;
