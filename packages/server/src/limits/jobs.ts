/** Bounds of imports, exports and copies, each with its unit. */

/** Calculation limits of an import, in milliseconds and in cells. */
export const IMPORT_CALCULATION_MS = 10 * 60 * 1000;
export const IMPORT_CALCULATION_CELLS = 1_000_000_000;
/**
 * Places for imports (including copies that are recalculated), each in its own thread, and for exports. For each kind,
 * `places` jobs run at the same time, at most `largePlaces` of them large, and one user gets at most half.
 */
export const JOB_PLACES = { places: 4, largePlaces: 2 };
/** Size of a file, or of a document in memory, from which its import or export counts as large, in bytes. */
export const LARGE_JOB_BYTES = 4 * 1024 * 1024;
/** Processor time after which a job continues with a lower priority, in milliseconds. */
export const LONG_JOB_MS = 1_000;
/** Estimated time of a job, in milliseconds for each MiB of its file or document in memory. */
export const EXPECTED_MS_PER_MIB = 500;
/**
 * Size of the young generation of a job thread's heap, in MiB. With V8's default of 48 MiB, importing and exporting a
 * million rows took 35 to 65 MiB more and was not faster.
 */
export const JOB_YOUNG_HEAP_MIB = 12;
