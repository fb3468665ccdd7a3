import type { Unit } from './database.ts';
import { MAX_BYTES_PER_TRANSACTION, MAX_UNITS_PER_TRANSACTION } from './limits.ts';

interface BatchSize {
  readonly units: number;
  readonly bytes: number;
}

const NOTHING: BatchSize = { units: 0, bytes: 0 };

/**
 * Number of queued units that the next transaction takes from the front of the queue. `taken`: the units that the
 * transaction already has. Without such units, it takes at least one unit of a queue that is not empty.
 */
export function countUnitsOfNextBatch(queue: readonly { readonly bytes: number }[], taken = NOTHING): number {
  let { units, bytes: total } = taken;
  for (const { bytes } of queue) {
    total += bytes;
    if (units === MAX_UNITS_PER_TRANSACTION || (units > 0 && total > MAX_BYTES_PER_TRANSACTION)) break;
    units++;
  }
  return units - taken.units;
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
