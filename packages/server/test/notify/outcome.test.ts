import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parseRetryAfterMs, toDeliveryOutcome } from '../../src/notify/outcome.ts';

const NOW = Date.UTC(2026, 10, 21, 8, 0, 0);
const HOUR_MS = 3_600_000;

/** RFC 9110 §10.2.3: seconds, or a date in one of the three forms of §5.6.7. */
const RETRY_AFTER_CASES: readonly (readonly [header: string | null, ms: number])[] = [
  [null, 0],
  ['', 0],
  ['0', 0],
  ['120', 120_000],
  [' 120 ', 120_000],
  ['Sat, 21 Nov 2026 09:00:00 GMT', HOUR_MS],
  ['Saturday, 21-Nov-26 09:00:00 GMT', HOUR_MS],
  ['Sat Nov 21 09:00:00 2026', HOUR_MS],
  ['Sat, 21 Nov 2026 07:00:00 GMT', 0],
  ['-5', 0],
  ['1.5', 0],
  ['soon', 0],
  ['Sat, 99 Nov 2026 09:00:00 GMT', 0],
  ['2026-11-21T09:00:00Z', 0],
];

suite('Retry-After', () => {
  for (const zone of ['UTC', 'America/New_York']) {
    for (const [header, ms] of RETRY_AFTER_CASES) {
      test(`${header} in ${zone}: ${ms} ms`, (t) => {
        const before = process.env['TZ'];
        process.env['TZ'] = zone;
        t.after(() => {
          if (before === undefined) delete process.env['TZ'];
          else process.env['TZ'] = before;
        });
        assert.equal(parseRetryAfterMs(header, NOW), ms);
      });
    }
  }
  test('a number of any length is a long delay', () => {
    for (const digits of [10, 400]) assert.ok(parseRetryAfterMs('9'.repeat(digits), NOW) > 365 * 24 * HOUR_MS);
  });
});

/** The contract's “Delivery outcomes” for every possible status. */
function computeExpectedOutcome(status: number): string {
  if (status >= 200 && status <= 299) return 'delivered';
  if (status >= 500 || status === 408 || status === 429) return 'retry';
  return 'refused';
}

test('each status has its outcome', () => {
  for (let status = 200; status <= 599; status++) {
    const outcome = toDeliveryOutcome({ kind: 'status', status, retryAfter: '7', text: '' }, NOW);
    const expected = computeExpectedOutcome(status);
    assert.equal(outcome.kind, expected, String(status));
    if (outcome.kind === 'retry') assert.equal(outcome.afterMs, 7_000);
    if (outcome.kind === 'refused') assert.equal(outcome.gone, status === 410);
  }
});
