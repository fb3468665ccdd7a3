import type { AllocationMeter } from './context.ts';

/** Minimum length of a list whose memory is checked when it grows; a power of two. */
const LARGE_LIST = 65_536;
/** The size of a map or set entry, in array elements. */
const ENTRY_ELEMENTS = 2;
/** Maximum number of entries of V8's maps and sets, which throw if there are more. */
const MAX_ENTRIES = 2 ** 24;

/**
 * Checks the memory of a list whose capacity doubles when it is full. Call it before adding each element. `length`:
 * number of elements so far.
 */
export function reserveList(context: AllocationMeter, length: number): void {
  if (isDoubling(length)) context.checkMemory(length * 2);
}

/**
 * Checks the memory of a map or set whose capacity doubles when it is full. Call it before adding each entry. Ends the
 * calculation before `MAX_ENTRIES` is reached.
 */
export function reserveMap(context: AllocationMeter, size: number): void {
  if (size === MAX_ENTRIES) context.checkMemory(Number.POSITIVE_INFINITY);
  else if (isDoubling(size)) context.checkMemory(size * 2 * ENTRY_ELEMENTS);
}

/** True if a list of this size is full and will double its capacity. */
function isDoubling(size: number): boolean {
  return size >= LARGE_LIST && (size & (size - 1)) === 0;
}
