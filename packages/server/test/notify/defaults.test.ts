import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULTS } from '../../src/config/defaults.ts';
import {
  DEFAULT_SECRET_OVERLAP_S,
  MAX_ATTEMPTS,
  MAX_MESSAGE_LENGTH,
  MAX_RETRY_AFTER_MS,
} from '../../src/limits/notify.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

test('the default notification settings are the documented settings', () => {
  assert.deepEqual(DEFAULTS.notifications, {
    quietMs: 2 * SECOND,
    maxWaitMs: 10 * SECOND,
    retryDelaysMs: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR],
    retryJitter: 0.2,
    timeoutMs: 15 * SECOND,
    allowPrivateNetworks: false,
    maxCells: 1_000,
    maxBytes: 256 * 1024,
    messengerBaseUrl: 'https://api.telegram.org',
  });
  assert.deepEqual(
    { MAX_ATTEMPTS, MAX_RETRY_AFTER_MS, MAX_MESSAGE_LENGTH, DEFAULT_SECRET_OVERLAP_S },
    {
      MAX_ATTEMPTS: 5,
      MAX_RETRY_AFTER_MS: 24 * HOUR,
      MAX_MESSAGE_LENGTH: 4_096,
      DEFAULT_SECRET_OVERLAP_S: (24 * HOUR) / SECOND,
    },
  );
});
