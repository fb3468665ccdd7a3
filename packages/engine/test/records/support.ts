import assert from 'node:assert/strict';
import type { Snapshot } from '../../src/index.ts';
import { type Region, readRegion } from '../../src/records/index.ts';

/** Reads the first columns of the first sheet, with all rows. */
export function readColumns(snapshot: Snapshot, columns: number): Region {
  const [sheet] = snapshot.sheets;
  assert.ok(sheet);
  const area = { top: 0, left: 0, bottom: 1_048_575, right: columns - 1, openColumns: false, openRows: true };
  const region = readRegion(snapshot, sheet, area);
  assert.ok(!('kind' in region));
  return region;
}

/** Runs work with pauses to its end and returns its result. */
export function runToEnd<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
