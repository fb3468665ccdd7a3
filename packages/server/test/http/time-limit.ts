import assert from 'node:assert/strict';
import { startWorld, type World } from './support.ts';

/** Exceeds every time limit. */
export const ENDLESS = '=REDUCE(0;SEQUENCE(1000000);LAMBDA(a;b;a+SUM(SEQUENCE(1000000))))';
export const LIMIT_EXCEEDED = 'Calculation limit exceeded';

/** Time limits for calculations, in milliseconds. The longest is enough on every machine. */
const TIME_LIMITS_MS = [400, 1_200, 3_600, 10_800, 32_400];

/**
 * Runs a scenario in which other requests end before calculations that take the whole time limit. The limit is short,
 * because such calculations use a processor all the time. On a busy machine a scenario returns false, because the
 * calculations ended first: it then runs again with a longer limit.
 */
export async function runWithTimeLimit(workers: number, scenario: (world: World) => Promise<boolean>): Promise<void> {
  for (const calculationMs of TIME_LIMITS_MS) {
    const limits = { calculationMs, calculationCells: Number.MAX_SAFE_INTEGER };
    const world = await startWorld({ limits, workers, oneNode: true });
    try {
      if (await scenario(world)) return;
    } finally {
      await world.close();
    }
  }
  assert.fail('The calculations that take the whole time limit ended before the other requests');
}
