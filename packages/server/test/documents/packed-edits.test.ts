import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Edit, Input } from '@cellwire/engine';
import { runSynchronously } from '@cellwire/event-loop';
import fc from 'fast-check';
import { createTextArbitrary } from '../../../../test/any-text.ts';
import { packByColumn } from '../../src/documents/calculation/number-columns.ts';
import { packEdits, unpackEdits } from '../../src/documents/calculation/packed-edits.ts';

const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((drawn) => drawn + 0);
const input: fc.Arbitrary<Input> = fc.oneof(
  fc.constantFrom<Input>(null, '', true, false, 0, 1e308, 5e-324, '=A1', '\ud800', 'я'.repeat(40_000)),
  number,
  createTextArbitrary(),
);
const values = fc.oneof(
  fc.array(fc.array(number, { maxLength: 4 }), { maxLength: 6 }),
  fc.array(fc.array(input, { maxLength: 4 }), { maxLength: 6 }),
  fc.tuple(fc.nat(3), fc.constantFrom(2_047, 2_048, 5_000)).map(([value, rows]) => Array(rows).fill([value])),
  fc.tuple(input, fc.constantFrom(2_047, 2_048, 5_000)).map(([value, columns]) => [Array(columns).fill(value)]),
);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  values.map((rows): Edit => ({ kind: 'setValues', sheet: 1, row: 2, column: 3, values: rows, mode: 'user' })),
  values.map((rows): Edit => ({ kind: 'append', sheet: 1, column: 3, values: rows, mode: 'raw' })),
  fc.constant<Edit>({ kind: 'clear', sheet: 1, area: { top: 0, left: 0, bottom: 2, right: 1 } }),
);

test('edits are unchanged after packing and unpacking', () => {
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 4 }), (edits) => {
      assert.deepEqual(unpackEdits(structuredClone(runSynchronously(packEdits(edits)))), edits);
    }),
    { numRuns: 50 },
  );
});

test('packing a million values in rows pauses regularly', () => {
  const rows = Array.from({ length: 1_000_000 }, (_, row) => [row]);
  const steps = packEdits([{ kind: 'setValues', sheet: 1, row: 0, column: 0, values: rows, mode: 'raw' }]);
  let pauses = 0;
  while (!steps.next().done) pauses++;
  assert.ok(pauses > 400);
});

test('a large block of numbers arrives as columns, and any other block as rows', () => {
  const numbers = Array.from({ length: 600 }, (_, r) => [r, r / 4]);
  const sendThroughThread = (rows: readonly (readonly Input[])[]) => {
    const sent: Edit = { kind: 'setValues', sheet: 1, row: 2, column: 3, values: rows, mode: 'user' };
    return unpackEdits(structuredClone(runSynchronously(packByColumn([sent]))));
  };
  const [edit, ...others] = sendThroughThread(numbers);
  assert.ok(edit?.kind === 'putColumns' && others.length === 0);
  assert.deepEqual(
    edit.columns.map(({ column, rows, numbers: cells }) => [column, rows[0], rows.length, [...cells]]),
    [3, 4].map((column, c) => [column, 2, 600, numbers.map((row) => row[c])]),
  );
  for (const rows of [numbers.slice(0, 500), [...numbers, [1]], [...numbers, [1, '2']], [...numbers, [null, 2]]]) {
    assert.deepEqual(sendThroughThread(rows), [
      { kind: 'setValues', sheet: 1, row: 2, column: 3, values: rows, mode: 'user' },
    ]);
  }
});
