import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packError, unpackError } from '../src/packed-error.ts';

/** Returns the error that another thread receives. */
function sendAndReceive(error: unknown): unknown {
  return unpackError(structuredClone(packError(error)));
}

describe('an error sent to another thread', () => {
  it('keeps its code and its document', () => {
    const error = Object.assign(new Error('damaged'), { code: 'DAMAGED_DOCUMENT', document: 'D' });
    const { message, code, document } = sendAndReceive(error) as typeof error;
    assert.deepEqual([message, code, document], ['damaged', 'DAMAGED_DOCUMENT', 'D']);
  });

  it('can be an error of the platform, whose code is read-only', () => {
    const error = sendAndReceive(new DOMException('cannot be cloned', 'DataCloneError')) as DOMException;
    assert.deepEqual([error.message, error.code], ['cannot be cloned', DOMException.DATA_CLONE_ERR]);
  });
});
