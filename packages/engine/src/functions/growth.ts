import type { AllocationMeter } from './context.ts';

/** From this length on, the memory of a growing list is checked. A power of two. */
const LARGE_LIST = 65_536;
/** The size of a map or set entry, in array elements. */
const ENTRY_ELEMENTS = 2;
/** V8's maps and sets throw beyond this. */
const MAX_ENTRIES = 2 ** 24;

/** Checks the memory of a list that doubles. Call before adding each element. `length`: elements so far. */
export function reserveList(context: AllocationMeter, length: number): void {
  if (isDoubling(length)) context.reserve(length * 2);
}

/** The same for a map or set. Ends the calculation before it is full. */
export function reserveMap(context: AllocationMeter, size: number): void {
  if (size === MAX_ENTRIES) context.reserve(Number.POSITIVE_INFINITY);
  else if (isDoubling(size)) context.reserve(size * 2 * ENTRY_ELEMENTS);
}

function isDoubling(size: number): boolean {
  return size >= LARGE_LIST && (size & (size - 1)) === 0;
}
