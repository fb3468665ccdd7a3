import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  applyDelta,
  decodeInverse,
  decodeOutline,
  type Edit,
  encodeDelta,
  encodeInverse,
  type Input,
  inverseWithWriters,
  type Snapshot,
  Workbook,
} from '../../src/index.ts';
import { createContext, describeContents } from '../workbook/book.ts';

const SETTINGS = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;
const EMPTY = Workbook.create(SETTINGS, 'Sheet1').head;
const CENTS = { noNaN: true, min: -1e7, max: 1e7 } as const;

function createColumnEdit(values: readonly Input[]): Edit {
  return { kind: 'setValues', sheet: 1, row: 3, column: 1, values: values.map((value) => [value]), mode: 'raw' };
}

/** Returns the change and its stored forms, as in the log. */
function applyEdit(before: Snapshot, edit: Edit) {
  const batch = Workbook.open(before).apply([edit], createContext());
  assert.ok(batch.kind === 'applied');
  return { after: batch.change.after, delta: encodeDelta(batch.change), inverse: encodeInverse(batch.change) };
}

/** Columns of whole numbers, of amounts, or of numbers of all sizes. Null leaves a cell unchanged. */
const columnOfNumbers = fc
  .constantFrom(
    fc.integer(),
    fc.double(CENTS).map((number) => Math.round(number * 100) / 100),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.oneof(fc.constantFrom(0, -0, 0.1, 1e-4, 214_748.3647, 214_748.3648, 2 ** 31, -(2 ** 31)), fc.constant(null)),
  )
  .chain((number) => fc.array(number, { minLength: 1, maxLength: 300 }));

test('numbers are restored exactly from the log, and by undo', () => {
  fc.assert(
    fc.property(columnOfNumbers, columnOfNumbers, (firstValues, secondValues) => {
      const first = applyEdit(EMPTY, createColumnEdit(firstValues));
      const second = applyEdit(first.after, createColumnEdit(secondValues));
      const replica = applyDelta(applyDelta(EMPTY, first.delta), second.delta);
      assert.deepEqual(describeContents(replica), describeContents(second.after));
      const { inverse } = second;
      const undone = applyEdit(replica, { kind: 'takeBack', inverse, locked: [] });
      assert.deepEqual(describeContents(undone.after), describeContents(first.after));
      assert.deepEqual(
        decodeOutline(inverse).blocks,
        decodeInverse(inverse).blocks.map(({ sheet, area }) => ({ sheet, area })),
      );
      assert.deepEqual(
        inverseWithWriters(inverse, (writer) => writer),
        inverse,
      );
    }),
    { numRuns: 60 },
  );
});

test('an amount takes 4 bytes in the log, and 4 more if it replaces another one', () => {
  const amounts = (factor: number) => Array.from({ length: 2_560 }, (_, i) => (i * factor) / 100);
  const first = applyEdit(EMPTY, createColumnEdit(amounts(7)));
  const second = applyEdit(first.after, createColumnEdit(amounts(9)));
  for (const bytes of [second.delta, second.inverse]) assert.ok(bytes.length < 4 * 2_560 + 500, `${bytes.length}`);
});

test('a stored block of numbers that ends too early is refused', () => {
  const numbers = (factor: number) => createColumnEdit(Array.from({ length: 20 }, (_, i) => i / factor));
  const first = applyEdit(EMPTY, numbers(1));
  const { delta, inverse } = applyEdit(first.after, numbers(3));
  for (let length = 0; length < delta.length; length++) {
    assert.throws(() => applyDelta(first.after, delta.subarray(0, length)));
  }
  for (let length = 0; length < inverse.length; length++) {
    assert.throws(() => decodeInverse(inverse.subarray(0, length)));
    assert.throws(() => decodeOutline(inverse.subarray(0, length)));
  }
});
