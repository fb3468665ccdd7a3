import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentModel, type Operation, removeUnobserved } from './document-model.ts';
import { findFirstUnexplained, type HistoryCall } from './linearizable.ts';

/** A call as `[called, returned, operation]`. */
type RecordedCall = readonly [called: number, returned: number | null, operation: Operation];

const put = (value: number): Operation => ({ kind: 'put', register: 0, value });
const swap = (expected: number, value: number): Operation => ({
  kind: 'swap',
  register: 0,
  expected,
  value,
  isRefused: false,
});
const append = (value: number, row: number | null): Operation => ({ kind: 'append', value, row });
const read = (value: number): Operation => ({ kind: 'read', registers: [value, 0, 0] });
const readAll = (value: number, rows: readonly number[]): Operation => ({
  kind: 'readAll',
  registers: [value, 0, 0],
  rows,
});

function findFirstUnexplainedOperation(history: readonly RecordedCall[]): Operation | null {
  const calls = history.map(
    ([called, returned, operation]): HistoryCall<Operation> => ({ called, returned, operation }),
  );
  const unexplainedCall = findFirstUnexplained(documentModel, calls);
  assert.equal(findFirstUnexplained(documentModel, removeUnobserved(calls)) === null, unexplainedCall === null);
  return unexplainedCall?.operation ?? null;
}

const EXPLAINED: Readonly<Record<string, readonly RecordedCall[]>> = {
  'one after another': [
    [1, 2, put(1)],
    [3, 4, read(1)],
    [5, 6, append(2, 0)],
    [7, 8, readAll(1, [2])],
  ],
  'two writes at once, in either order': [
    [1, 4, put(1)],
    [2, 3, put(2)],
    [5, 6, read(1)],
  ],
  'a read during a write sees it or not': [
    [1, 8, put(1)],
    [2, 3, read(0)],
    [4, 5, read(1)],
    [6, 7, read(1)],
  ],
  'a write without an answer comes late': [
    [1, null, put(1)],
    [2, 3, put(2)],
    [4, 5, read(2)],
    [6, 7, read(1)],
  ],
  'a write without an answer never comes': [
    [1, null, append(1, null)],
    [2, 3, append(2, 0)],
    [4, 5, readAll(0, [2])],
  ],
  'two appends at once stand one below the other': [
    [1, 4, append(1, 1)],
    [2, 3, append(2, 0)],
    [5, 6, readAll(0, [2, 1])],
  ],
};

const UNEXPLAINED: Readonly<Record<string, { readonly history: readonly RecordedCall[]; readonly at: Operation }>> = {
  'a read of a node that lags behind': {
    history: [
      [1, 2, put(1)],
      [3, 4, read(0)],
    ],
    at: read(0),
  },
  'a value that is gone again': {
    history: [
      [1, 6, put(1)],
      [2, 3, read(1)],
      [4, 5, read(0)],
    ],
    at: read(0),
  },
  'a lost append': {
    history: [
      [1, 2, append(1, 0)],
      [3, 4, readAll(0, [])],
    ],
    at: readAll(0, []),
  },
  'two appends in one row': {
    history: [
      [1, 3, append(1, 0)],
      [2, 4, append(2, 0)],
    ],
    at: append(2, 0),
  },
  'an append that was done twice': {
    history: [
      [1, 2, append(1, 0)],
      [3, 4, readAll(0, [1, 1])],
    ],
    at: readAll(0, [1, 1]),
  },
  'two writes on one condition': {
    history: [
      [1, 3, swap(0, 1)],
      [2, 4, swap(0, 2)],
    ],
    at: swap(0, 2),
  },
  'a write without an answer that comes twice': {
    history: [
      [1, null, put(1)],
      [2, 3, read(1)],
      [4, 5, put(2)],
      [6, 7, read(2)],
      [8, 9, read(1)],
    ],
    at: read(1),
  },
};

for (const [name, history] of Object.entries(EXPLAINED)) {
  test(`the history has a valid order: ${name}`, () => {
    assert.equal(findFirstUnexplainedOperation(history), null);
  });
}

for (const [name, { history, at }] of Object.entries(UNEXPLAINED)) {
  test(`the history has no valid order: ${name}`, () => {
    assert.deepEqual(findFirstUnexplainedOperation(history), at);
  });
}
