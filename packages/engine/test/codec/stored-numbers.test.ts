import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeCheckpoint, restoreCheckpoint, type StoredChunk, Workbook } from '../../src/index.ts';
import { createContext, describeContents } from '../workbook/book.ts';

const ROWS = 256;
const SETTINGS = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;

function createColumn(values: readonly (number | null)[]) {
  const { head } = Workbook.create(SETTINGS, 'Sheet1');
  const written = values.map((value) => [value]);
  const edit = { kind: 'setValues', sheet: 1, row: 0, column: 0, values: written, mode: 'raw' } as const;
  const batch = Workbook.open(head).apply([edit], createContext());
  assert.ok(batch.kind === 'applied');
  return batch.change.after;
}

function storeColumn(values: readonly (number | null)[]): { readonly meta: Uint8Array; readonly chunk: StoredChunk } {
  const { meta, chunks } = encodeCheckpoint(createColumn(values), -1);
  const [chunk] = chunks;
  assert.ok(chunk !== undefined && chunks.length === 1);
  return { meta, chunk };
}

const createNumbers = (compute: (row: number) => number) => Array.from({ length: ROWS }, (_, row) => compute(row));

/** Numbers with up to five decimals, or of all sizes. Null leaves a cell empty. */
const columnOfNumbers = fc.constantFrom(...[1, 10, 100, 1_000, 10_000, 100_000]).chain((scale) =>
  fc.oneof(
    fc.integer({ min: -300, max: 300 }).map((number) => number / scale),
    fc.integer().map((number) => number / scale),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, 0, -0, 0.1 + 0.2, 214_748.3647, 214_748.3648, -214_748.3648, 2 ** 31, 1e300),
  ),
);

test('numbers are restored exactly from chunks', () => {
  fc.assert(
    fc.property(fc.array(columnOfNumbers, { minLength: 1, maxLength: 300 }), (values) => {
      const written = createColumn(values);
      const { meta, chunks } = encodeCheckpoint(written, -1);
      assert.deepEqual(describeContents(restoreCheckpoint(meta, chunks)), describeContents(written));
    }),
  );
});

test('numbers with the same few decimals are restored exactly from chunks', () => {
  const scales = fc.constantFrom(1, 10, 100, 1_000, 10_000, 100_000);
  const bounds = fc.constantFrom(200, 60_000, 2 ** 31 - 1);
  const columns = fc.tuple(scales, bounds).chain(([scale, max]) =>
    fc.array(
      fc.integer({ min: -max, max }).map((number) => number / scale),
      { minLength: 1, maxLength: ROWS },
    ),
  );
  fc.assert(
    fc.property(columns, (values) => {
      const { meta, chunk } = storeColumn(values.concat(0.5));
      const [sheet] = restoreCheckpoint(meta, [chunk]).sheets;
      assert.deepEqual(
        values.map((_, row) => sheet?.value(row, 0)),
        values.map((value) => (value === 0 ? 0 : value)),
      );
    }),
  );
});

test('amounts take four bytes in a chunk, smaller ones two or one, and other decimals eight', () => {
  const overhead = 20;
  const measure = (compute: (row: number) => number) => storeColumn(createNumbers(compute)).chunk.bytes.length;
  assert.ok(measure((row) => -9_999.99 + row) < 4 * ROWS + overhead);
  assert.ok(measure((row) => row + 0.25) < 2 * ROWS + overhead);
  assert.ok(measure((row) => (row % 20) + 0.5) < ROWS + overhead);
  assert.ok(measure((row) => Math.sqrt(row + 2)) > 8 * ROWS);
});

test('refuses numbers of an unknown form', () => {
  const { meta, chunk } = storeColumn(createNumbers((row) => row + 0.25));
  const bytes = chunk.bytes.slice();
  const form = bytes.indexOf(2 + 2 * 16);
  bytes[form] = 2 + 7 * 16;
  assert.throws(() => restoreCheckpoint(meta, [{ ...chunk, bytes }]), /stored chunk is damaged/);
});
