import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  computeResetSeconds,
  findWindowEnd,
  findWindowStart,
  type QuotaWindow,
} from '../../src/access/quota-window.ts';

describe('quota windows', () => {
  it('are calendar minutes and months in UTC', () => {
    const cases: readonly [window: QuotaWindow, now: string, start: string, end: string, seconds: number][] = [
      ['minute', '2026-03-01T10:20:30.500Z', '2026-03-01T10:20:00Z', '2026-03-01T10:21:00Z', 30],
      ['minute', '2026-03-01T10:20:00.000Z', '2026-03-01T10:20:00Z', '2026-03-01T10:21:00Z', 60],
      ['minute', '2026-03-01T10:20:59.999Z', '2026-03-01T10:20:00Z', '2026-03-01T10:21:00Z', 1],
      ['month', '2026-02-10T00:00:00Z', '2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z', 19 * 86_400],
      ['month', '2028-02-29T23:59:59.001Z', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z', 1],
      ['month', '2026-12-31T23:00:00Z', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z', 3_600],
    ];
    for (const [window, now, start, end, seconds] of cases) {
      const time = Date.parse(now);
      assert.equal(findWindowStart(window, time), Date.parse(start), now);
      assert.equal(findWindowEnd(window, time), Date.parse(end), now);
      assert.equal(computeResetSeconds(window, time), seconds, now);
    }
  });
});
