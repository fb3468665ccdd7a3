/** Bounds of imports, exports and copies, each with its unit. */

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
export const JOB_YOUNG_HEAP_MIB = 12;
