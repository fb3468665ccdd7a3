/**
 * Rows per chunk. Copying the numbers of a chunk copies about 2 KiB. A million numbers are 4,000 chunks whose fixed
 * cost is under 3 bytes per cell.
 */
export const CHUNK_ROWS = 256;
export const CHUNK_SHIFT = 8;
export const CHUNK_MASK = CHUNK_ROWS - 1;
