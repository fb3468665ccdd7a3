import type { Unit } from './database.ts';
import { MAX_BYTES_PER_TRANSACTION, MAX_UNITS_PER_TRANSACTION } from './limits.ts';

/** Number of queued units, at least one, that the next transaction takes from the front of the queue. */
export function countUnitsOfNextBatch(queue: readonly { readonly bytes: number }[]): number {
  let total = 0;
  let count = 0;
  for (const { bytes } of queue) {
    total += bytes;
    if (count === MAX_UNITS_PER_TRANSACTION || (count > 0 && total > MAX_BYTES_PER_TRANSACTION)) break;
    count++;
  }
  return count;
}

/**
 * Approximate size of a unit's parameters, in bytes. Call it when the unit is created: later its parameters are no longer
 * in the processor's cache, and reading them takes several times as long.
 */
export function countParameterBytes({ statements }: Unit): number {
  let bytes = 0;
  for (const { parameters } of statements) {
    for (const value of parameters) {
      if (typeof value === 'string') bytes += value.length;
      else if (typeof value === 'object' && value !== null) bytes += value.byteLength;
    }
  }
  return bytes;
}
