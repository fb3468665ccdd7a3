/**
 * Rows of a chunk. Making its numbers anew copies about 2 KiB; 1M numbers are 4,000 chunks whose fixed cost is under
 * 3 bytes a cell.
 */
export const CHUNK_ROWS = 256;
export const CHUNK_SHIFT = 8;
export const CHUNK_MASK = CHUNK_ROWS - 1;
