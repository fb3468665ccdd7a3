/** Limits of the time and memory of threads, each with its unit. */

/** Longest time that work blocks the event loop of the serving thread, in milliseconds. */
export const SLICE_MS = 6;
/** Maximum number of tasks that wait for a thread, of one user and of all users; further tasks are refused. */
export const MAX_WAITING_TASKS_PER_USER = 64;
export const MAX_WAITING_TASKS = 1_024;
/** Half-life of a user's consumption, in milliseconds, and the maximum number of users with a reading. */
export const CONSUMPTION_HALF_LIFE_MS = 30_000;
export const MAX_METERED_USERS = 10_000;
/**
 * Distance between the bound of a thread's heap and V8's limit, in bytes. A single allocation that exceeds V8's limit
 * ends the whole process. A calculation may allocate twenty million numbers, which take 160 MiB.
 */
export const HEAP_RESERVE_BYTES = 256 * 1024 * 1024;
/** Interval between two checks of a working thread's heap, in milliseconds. */
export const HEAP_CHECK_INTERVAL_MS = 100;
/** Share of V8's heap limit that calculations in the serving thread may fill. */
export const SERVING_HEAP_SHARE = 3 / 4;
/** Niceness (Unix) that is added to calculation threads, so that serving has priority. */
export const CALCULATION_NICENESS = 5;
