import assert from 'node:assert/strict';
import type { Snapshot } from '../../src/index.ts';
import { type Region, readRegion } from '../../src/records/index.ts';

/** The given number of columns of the first sheet, with all their rows. */
export function readColumns(snapshot: Snapshot, columns: number): Region {
  const [sheet] = snapshot.sheets;
  assert.ok(sheet);
  const area = { top: 0, left: 0, bottom: 1_048_575, right: columns - 1, openColumns: false, openRows: true };
  const region = readRegion(snapshot, sheet, area);
  assert.ok(!('kind' in region));
  return region;
}

/** The result of work with pauses. */
export function runToEnd<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
