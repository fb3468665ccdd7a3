import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreError } from '@cellwire/store';
import { limitFailureReports } from '../../src/compose/failure-reports.ts';
import { logCondition } from '../../src/http/monitoring/operator-conditions.ts';
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

test('a full disk is one line a minute without a stack trace for any kind of work that it stops', () => {
  const lines: object[] = [];
  const log = { error: (fields: object, text: string) => lines.push({ ...fields, text }) };
  const full = new StoreError('database or disk is full', 'SQLITE_FULL');
  const noSpace = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const start = 1_000_000;
  assert.ok(logCondition(log, full, { requestId: 'r' }, start));
  assert.ok(logCondition(log, noSpace, { activity: 'noting the newest commits' }, start + 1));
  assert.ok(logCondition(log, full, { activity: 'checkpoint' }, start + FAILURE_REPORT_INTERVAL_MS));
  const text = 'no room on the disk';
  const { message: reason } = full;
  assert.deepEqual(lines, [
    { requestId: 'r', code: 'SQLITE_FULL', reason, text },
    { activity: 'checkpoint', code: 'SQLITE_FULL', reason, repeated: 1, text },
  ]);
  assert.ok(logCondition(log, Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' }), {}, start));
  assert.ok(!logCondition(log, new TypeError('a bug'), {}, start));
});
