import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeDay } from '../../src/documents/day.ts';

const CASES: readonly (readonly [zone: string, at: string, next: string, description: string])[] = [
  ['UTC', '2026-01-10T00:00:00Z', '2026-01-11T00:00:00Z', 'the first instant of a day'],
  ['UTC', '2026-01-10T23:59:59.999Z', '2026-01-11T00:00:00Z', 'the last instant of a day'],
  ['Europe/Moscow', '2026-01-10T20:59:00Z', '2026-01-10T21:00:00Z', 'east of Greenwich'],
  ['Europe/Moscow', '2026-01-10T21:00:00Z', '2026-01-11T21:00:00Z', 'local midnight'],
  ['America/New_York', '2026-07-01T12:00:00Z', '2026-07-02T04:00:00Z', 'summer time'],
  ['Europe/Berlin', '2026-10-25T00:00:00Z', '2026-10-25T23:00:00Z', 'a day of 25 hours'],
  ['Europe/Berlin', '2026-03-28T23:30:00Z', '2026-03-29T22:00:00Z', 'a day of 23 hours'],
  ['Asia/Kathmandu', '2026-01-10T12:00:00Z', '2026-01-10T18:15:00Z', 'an offset of 5:45'],
  ['America/Santiago', '2026-09-06T03:00:00Z', '2026-09-06T04:00:00Z', 'midnight is skipped: the day starts at 01:00'],
];

for (const [zone, at, next, description] of CASES) {
  test(`the day of ${at} in ${zone} contains that time, and the times around it belong to other days: ${description}`, () => {
    const { start, end } = computeDay(Date.parse(at), zone);
    assert.ok(start <= Date.parse(at) && Date.parse(at) < end);
    assert.equal(computeDay(start, zone).end, end);
    assert.equal(computeDay(start - 1, zone).end, start);
    assert.equal(computeDay(end, zone).start, end);
  });

  test(`the day after ${at} in ${zone} starts at ${next}: ${description}`, () => {
    assert.equal(new Date(computeDay(Date.parse(at), zone).end).toISOString(), new Date(next).toISOString());
  });
}

test('earlier and later times belong to the right days', () => {
  const noon = Date.UTC(2026, 4, 5, 12);
  const day = 24 * 60 * 60 * 1000;
  assert.equal(computeDay(noon, 'UTC').end, Date.UTC(2026, 4, 6));
  assert.equal(computeDay(noon - day, 'UTC').end, Date.UTC(2026, 4, 5));
  assert.equal(computeDay(noon + day, 'UTC').end, Date.UTC(2026, 4, 7));
});
