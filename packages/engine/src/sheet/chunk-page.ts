import { CHUNK_ROWS } from './chunk-rows.ts';

/** Number of consecutive chunks whose figures are combined once for all ranges that contain them. A power of two. */
export const CHUNKS_PER_PAGE = 64;
export const PAGE_ROWS: number = CHUNKS_PER_PAGE * CHUNK_ROWS;

/** True if a page begins at the first row of a block. */
export function isPageStart(block: number): boolean {
  return (block & (CHUNKS_PER_PAGE - 1)) === 0;
}
