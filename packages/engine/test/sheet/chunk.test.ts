import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { createTextArbitrary } from '../../../../test/any-text.ts';
import { decodeChunk, encodeChunk } from '../../src/codec/chunk-codec.ts';
import { FORMULA, NUMBER, SPILLED, TEXT } from '../../src/sheet/cell-kind.ts';
import { CHUNK_ROWS, Chunk } from '../../src/sheet/chunk.ts';
import { ChunkTable } from '../../src/sheet/chunk-table.ts';
import { getColumnExtremes } from '../../src/sheet/column-extremes.ts';
import { getColumnStatistics } from '../../src/sheet/column-statistics.ts';
import { getColumnTotals } from '../../src/sheet/column-totals.ts';
import { NumberArena } from '../../src/sheet/number-arena.ts';
import { NumberStatistics } from '../../src/sheet/number-statistics.ts';
import { Column } from '../../src/sheet/snapshot.ts';
import { DIV0, NA } from '../../src/value/errors.ts';
import type { Scalar } from '../../src/value/scalar.ts';

const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  createTextArbitrary({ maxLength: 12 }),
  fc.constantFrom('имя', '日本', 'x'.repeat(300), '', '\ud800'),
  fc.boolean(),
  fc.constantFrom(DIV0, NA, null),
);
const write = fc.record({
  row: fc.nat(CHUNK_ROWS - 1),
  value: scalar,
  flags: fc.constantFrom(0, FORMULA, SPILLED),
  format: fc.constantFrom(0, 0, 0, 3, 7),
});

function createChunk(writes: readonly { row: number; value: Scalar; flags: number; format: number }[]): Chunk {
  const chunk = Chunk.empty(1, CHUNK_ROWS, 0, new NumberArena());
  for (const { row, value, flags, format } of writes) {
    chunk.set(row, value, flags);
    chunk.setFormat(row, format);
  }
  return chunk;
}

function keepFormat(format: number): number {
  return format;
}

function listChunkCells(chunk: Chunk): unknown[] {
  return Array.from({ length: CHUNK_ROWS }, (_, row) => [chunk.value(row), chunk.kind(row), chunk.format(row)]);
}

describe('a chunk', () => {
  it('contains the last value written to each row, also when packed or copied', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 300 }), (writes) => {
        const chunk = createChunk(writes);
        const expected = Array.from({ length: CHUNK_ROWS }, () => null as Scalar);
        // Chunks store -0 as 0.
        for (const { row, value } of writes) expected[row] = value === 0 ? 0 : value;
        assert.deepEqual(
          Array.from({ length: CHUNK_ROWS }, (_, row) => chunk.value(row)),
          expected,
        );
        const before = listChunkCells(chunk);
        chunk.settle();
        assert.deepEqual(listChunkCells(chunk), before);
        assert.deepEqual(listChunkCells(chunk.copy(2, CHUNK_ROWS, new NumberArena())), before);
      }),
      { numRuns: 100 },
    );
  });

  it('is unchanged after it was stored and restored', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 300 }), fc.boolean(), (writes, isSettled) => {
        const chunk = createChunk(writes);
        if (isSettled) chunk.settle();
        assert.deepEqual(
          listChunkCells(decodeChunk(encodeChunk(chunk, keepFormat), keepFormat)),
          listChunkCells(chunk),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('can be decoded from the old format, which is not compact', () => {
    const numbers = new Uint8Array(Float64Array.of(2.5, 0, 0).buffer);
    const starts = new Uint8Array(Uint32Array.of(0, 5).buffer);
    const texts = [1, 1, ...starts, ...new TextEncoder().encode('north'), 0];
    const chunk = decodeChunk(Uint8Array.of(8, 3, NUMBER, TEXT, TEXT, ...numbers, 0, 4, ...texts), keepFormat);
    assert.deepEqual(
      [0, 1, 2].map((row) => [chunk.value(row), chunk.format(row)]),
      [
        [2.5, 4],
        ['north', 4],
        ['north', 4],
      ],
    );
  });

  it('keeps the sign and the size of numbers that need more bytes than other numbers of the chunk', () => {
    for (const numbers of [
      [0, 1, 2],
      [255, 0],
      [256, 1],
      [65_535],
      [65_536],
      [-1, 3],
      [2 ** 31 - 1],
      [2 ** 31],
      [0.5],
    ]) {
      const chunk = createChunk(numbers.map((value, row) => ({ row, value, flags: 0, format: 0 })));
      assert.deepEqual(listChunkCells(decodeChunk(encodeChunk(chunk, keepFormat), keepFormat)), listChunkCells(chunk));
    }
  });

  it('finds the rows that differ from a copy, also if their texts are packed differently', () => {
    const writeList = fc.array(write, { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(write, { maxLength: 300 }), fc.array(writeList, { maxLength: 4 }), (writes, edits) => {
        let previous = createChunk(writes);
        previous.settle();
        for (const [i, edit] of edits.entries()) {
          const copy = previous.copy(i + 2, CHUNK_ROWS, new NumberArena());
          for (const { row, value, flags, format } of edit) {
            copy.set(row, value, flags);
            copy.setFormat(row, format);
          }
          copy.settle();
          const [old, current] = [listChunkCells(previous), listChunkCells(copy)];
          const unlike = current.flatMap((cell, row) => (isDeepStrictEqual(cell, old[row]) ? [] : [row]));
          assert.deepEqual(copy.findChangedRows(previous), unlike);
          previous = copy;
        }
      }),
      { numRuns: 100 },
    );
  });

  it('does not change when its copy is changed', () => {
    const chunk = createChunk([{ row: 3, value: 'kept', flags: 0, format: 0 }]);
    chunk.settle();
    const copy = chunk.copy(2, CHUNK_ROWS, new NumberArena());
    copy.set(3, 'changed', 0);
    copy.set(4, 'new', 0);
    assert.deepEqual([chunk.value(3), chunk.value(4)], ['kept', null]);
  });
});

describe('sums of a column', () => {
  it('are the same to the last digit, independent of ranges that were summed before', () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    const range = fc.tuple(fc.nat(599), fc.nat(599)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
    fc.assert(
      fc.property(fc.array(value, { minLength: 600, maxLength: 600 }), fc.array(range), (values, ranges) => {
        const chunks = [0, 1, 2].map((block) => {
          const chunk = Chunk.empty(1, CHUNK_ROWS, 0, new NumberArena());
          values.slice(block * CHUNK_ROWS, (block + 1) * CHUNK_ROWS).forEach((v, row) => {
            chunk.set(row, v, 0);
          });
          return chunk;
        });
        const column = new Column(1, ChunkTable.fromList(chunks), [], 0);
        for (const [top, bottom] of ranges.flatMap(([a, b]) => [[a, b] as const, [a, Math.min(b + 1, 599)] as const])) {
          const totals = getColumnTotals(column, top, bottom);
          assert.deepEqual(totals, getColumnTotals(new Column(1, ChunkTable.fromList(chunks), [], 0), top, bottom));
        }
      }),
      { numRuns: 30 },
    );
  });

  it('of many blocks are the same, independent of earlier ranges, as are extremes and variances', () => {
    const rows = 200 * CHUNK_ROWS;
    const numberAt = (row: number) => ((row * 7_919) % 10_007) / 64 - 50;
    const chunks = Array.from({ length: rows / CHUNK_ROWS }, (_, block) => {
      const chunk = Chunk.empty(1, CHUNK_ROWS, 0, new NumberArena());
      for (let row = 0; row < CHUNK_ROWS; row++) {
        const at = block * CHUNK_ROWS + row;
        chunk.set(row, at % 11 === 0 ? (at % 2 === 0 ? '' : 'text') : numberAt(at), 0);
      }
      return chunk;
    });
    const createColumn = () => new Column(1, ChunkTable.fromList(chunks), [], 0);
    const compute = (column: Column, top: number, bottom: number) => {
      const { sum, count, filled, emptyTexts } = getColumnTotals(column, top, bottom);
      const { least, greatest } = getColumnExtremes(column, top, bottom);
      const { mean, squaredDeviations, squares } = getColumnStatistics(column, top, bottom);
      return { sum, count, filled, emptyTexts, least, greatest, mean, squaredDeviations, squares };
    };
    const column = createColumn();
    const range = fc
      .tuple(fc.nat(rows - 1), fc.nat(rows - 1))
      .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
    fc.assert(
      fc.property(range, ([top, bottom]) => {
        const figures = compute(column, top, bottom);
        assert.deepEqual(figures, compute(createColumn(), top, bottom));
        const indexes = Array.from({ length: bottom - top + 1 }, (_, i) => top + i);
        const numbers = indexes.filter((at) => at % 11 !== 0).map(numberAt);
        const sum = numbers.reduce((total, number) => total + number, 0);
        const squaredDeviations = numbers.reduce((total, number) => total + (number - sum / numbers.length) ** 2, 0);
        assert.equal(figures.count, numbers.length);
        assert.equal(figures.filled, indexes.length);
        assert.equal(figures.emptyTexts, indexes.filter((at) => at % 22 === 0).length);
        assert.equal(figures.sum, sum);
        assert.equal(figures.least, Math.min(...numbers));
        assert.equal(figures.greatest, Math.max(...numbers));
        assert.ok(Math.abs(figures.squaredDeviations - squaredDeviations) <= 1e-9 * squaredDeviations);
      }),
      {
        numRuns: 60,
        examples: [[[0, rows - 1]], [[0, rows - 2]], [[1, rows - 1]], [[64 * CHUNK_ROWS, 128 * CHUNK_ROWS - 1]]],
      },
    );
  });
});

describe('the product of many numbers', () => {
  it('neither overflows nor underflows on the way', () => {
    const numbers = Float64Array.from({ length: 2_000 }, (_, i) => (i % 2 === 0 ? 1e200 : 1e-200));
    const total = new NumberStatistics();
    for (const part of [numbers.filter((x) => x > 1), numbers.filter((x) => x < 1)]) {
      total.include(NumberStatistics.ofNumbers(part));
    }
    assert.ok(Math.abs(total.product - 1) < 1e-9, String(total.product));
    total.include(NumberStatistics.ofNumbers(Float64Array.of(0, 5)));
    assert.equal(total.product, 0);
    assert.equal(NumberStatistics.ofNumbers(Float64Array.of(1e200, 1e200)).product, Number.POSITIVE_INFINITY);
  });
});
