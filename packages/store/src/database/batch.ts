import type { Unit } from './database.ts';
import { MAX_BYTES_PER_TRANSACTION, MAX_UNITS_PER_TRANSACTION } from './limits.ts';

/** Number of queued units, at least one, that the next transaction takes from the front of the queue. */
export function batchSize(queue: readonly { readonly unit: Unit }[]): number {
  // A single unit always forms a transaction, even if it has more than 16,384 statements.
  if (queue.length === 1) return 1;
  let bytes = 0;
  let count = 0;
  for (const { unit } of queue) {
    bytes += countParameterBytes(unit);
    if (count === MAX_UNITS_PER_TRANSACTION || (count > 0 && bytes > MAX_BYTES_PER_TRANSACTION)) break;
    count++;
  }
  return count;
}

/** Approximate size of a unit's parameters, in bytes. */
function countParameterBytes({ statements }: Unit): number {
  let bytes = 0;
  for (const { parameters } of statements) {
    for (const value of parameters) {
      if (typeof value === 'string') bytes += value.length;
      else if (typeof value === 'object' && value !== null) bytes += value.byteLength;
    }
  }
  return bytes;
}
