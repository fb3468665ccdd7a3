import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreError } from '@cellwire/store';
import { limitFailureReports } from '../../src/compose/failure-reports.ts';
import { FAILURE_REPORT_INTERVAL_MS } from '../../src/limits/process.ts';

interface FailureReport {
  readonly what: string;
  readonly repeated: number;
}

/** Creates a failure reporter with a recorded output and a manual clock. */
function createReporter() {
  const reports: FailureReport[] = [];
  const time = { now: 0 };
  const reportFailure = limitFailureReports(
    (what, _, repeated) => reports.push({ what, repeated }),
    () => time.now,
  );
  return { told: reports, time, fail: reportFailure };
}

const createUnavailableError = () =>
  new StoreError('The database is not available: connect ECONNREFUSED', 'UNAVAILABLE');

test('repeated failures of an unavailable database are reported once per interval with their number', () => {
  const { told: reports, time, fail: reportFailure } = createReporter();
  for (let i = 0; i < 10; i++) reportFailure('looking for changes', createUnavailableError());
  time.now = FAILURE_REPORT_INTERVAL_MS;
  reportFailure('looking for changes', createUnavailableError());
  assert.deepEqual(reports, [
    { what: 'looking for changes', repeated: 0 },
    { what: 'looking for changes', repeated: 9 },
  ]);
});

test('a new failure is reported at once, and an error outside the store every time', () => {
  const { told: reports, fail: reportFailure } = createReporter();
  reportFailure('looking for changes', createUnavailableError());
  reportFailure('looking for due deliveries', createUnavailableError());
  reportFailure('looking for changes', new StoreError('No space left on device', '53100'));
  for (let i = 0; i < 2; i++) reportFailure('looking for changes', new TypeError('a bug'));
  assert.deepEqual(
    reports.map(({ what, repeated }) => `${what} ${repeated}`),
    [
      'looking for changes 0',
      'looking for due deliveries 0',
      'looking for changes 0',
      'looking for changes 0',
      'looking for changes 0',
    ],
  );
});
