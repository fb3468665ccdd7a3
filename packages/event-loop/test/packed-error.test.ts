import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packError, unpackError } from '../src/index.ts';

test('an error keeps its kind, message and code on the way between threads', () => {
  const errors = [
    Object.assign(new Error('disk'), { code: 'SQLITE_FULL', document: 'D' }),
    new DOMException('cannot be cloned', 'DataCloneError'),
    new TypeError('wrong'),
  ];
  for (const error of errors) {
    const received = unpackError(structuredClone(packError(error))) as Error & { readonly code?: unknown };
    assert.deepEqual([received.message, received.code], [error.message, (error as { code?: unknown }).code]);
    assert.ok(received instanceof Error);
  }
});
