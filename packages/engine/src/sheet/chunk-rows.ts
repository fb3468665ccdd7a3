/**
 * Number of rows per chunk. Changing a cell copies the numbers of its chunk, about 2 KiB. A million numbers need 4,000
 * chunks, whose fixed cost is less than 3 bytes per cell.
 */
export const CHUNK_ROWS = 256;
export const CHUNK_SHIFT = 8;
export const CHUNK_MASK = CHUNK_ROWS - 1;
