import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreError } from '@cellwire/store';
import { limitFailureReports } from '../../src/compose/failure-reports.ts';
import { FAILURE_REPORT_INTERVAL_MS } from '../../src/limits/process.ts';

interface Told {
  readonly what: string;
  readonly repeated: number;
}

/** Failures by hand and by a clock of their own. */
function failures() {
  const told: Told[] = [];
  const time = { now: 0 };
  const fail = limitFailureReports(
    (what, _, repeated) => told.push({ what, repeated }),
    () => time.now,
  );
  return { told, time, fail };
}

const away = () => new StoreError('The database is not available: connect ECONNREFUSED', 'UNAVAILABLE');

test('a database that stays away is told of once in a while, with how often it was asked for in vain', () => {
  const { told, time, fail } = failures();
  for (let i = 0; i < 10; i++) fail('looking for changes', away());
  time.now = FAILURE_REPORT_INTERVAL_MS;
  fail('looking for changes', away());
  assert.deepEqual(told, [
    { what: 'looking for changes', repeated: 0 },
    { what: 'looking for changes', repeated: 9 },
  ]);
});

test('what is new is told at once, and what is no failure of the store each time', () => {
  const { told, fail } = failures();
  fail('looking for changes', away());
  fail('looking for due deliveries', away());
  fail('looking for changes', new StoreError('No space left on device', '53100'));
  for (let i = 0; i < 2; i++) fail('looking for changes', new TypeError('a bug'));
  assert.deepEqual(
    told.map(({ what, repeated }) => `${what} ${repeated}`),
    [
      'looking for changes 0',
      'looking for due deliveries 0',
      'looking for changes 0',
      'looking for changes 0',
      'looking for changes 0',
    ],
  );
});
