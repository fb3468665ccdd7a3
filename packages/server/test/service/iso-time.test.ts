import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIsoMoment, parseIsoTime } from '../../src/service/iso-time.ts';

test('an ISO 8601 time is in UTC without a time zone, and at midnight without a time of day', () => {
  const cases: readonly [text: string, time: number | null, moment: number | null][] = [
    ['1970-01-01T00:00:01Z', 1_000, 1_000],
    ['1970-01-01T00:00:01.5Z', 1_500, 1_500],
    ['1970-01-01T03:00+03:00', 0, 0],
    ['1969-12-31T18:30:00-05:30', 0, 0],
    ['1972-02-29T00:00Z', 68_169_600_000, 68_169_600_000],
    ['1970-01-02', 86_400_000, null],
    ['1970-01-01T00:01', 60_000, null],
    // `Date` moves these into the next month.
    ['2026-02-30T08:00:00Z', null, null],
    ['2026-02-30', null, null],
    ['1900-02-29T00:00Z', null, null],
    ['2026-04-31T08:00', null, null],
    ['2026-13-01T08:00:00Z', null, null],
    ['2026-01-01T25:00:00Z', null, null],
    ['2026-01-01T08:60:00Z', null, null],
    ['2026-01-01T08:00:00+25:00', null, null],
    // Accepted by `Date`, with implementation-defined results.
    ['2026', null, null],
    ['2026-01-01 08:00', null, null],
    ['Jan 5 2026', null, null],
    ['2026-01-01T08:00:00 Z', null, null],
    ['', null, null],
  ];
  for (const [text, time, moment] of cases)
    assert.deepEqual([parseIsoTime(text), parseIsoMoment(text)], [time, moment], text);
});
