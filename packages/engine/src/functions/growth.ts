import type { Allocating } from './context.ts';

/** Elements from which on the memory of a growing list is asked for. A power of two. */
const LARGE_LIST = 65_536;
/** What an entry of a map or set takes, in elements of an array. */
const ENTRY_ELEMENTS = 2;
/** V8's maps and sets throw beyond this. */
const MAX_ENTRIES = 2 ** 24;

/** To be called before each element is added: asks for the memory of a list that doubles. `length`: elements so far. */
export function reserveList(context: Allocating, length: number): void {
  if (isDoubling(length)) context.reserve(length * 2);
}

/** The same for a map or a set; ends the calculation before it is full. */
export function reserveMap(context: Allocating, size: number): void {
  if (size === MAX_ENTRIES) context.reserve(Number.POSITIVE_INFINITY);
  else if (isDoubling(size)) context.reserve(size * 2 * ENTRY_ELEMENTS);
}

function isDoubling(size: number): boolean {
  return size >= LARGE_LIST && (size & (size - 1)) === 0;
}
