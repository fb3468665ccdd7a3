import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { addRow, deleteRow, findFirstRow, type IndexedRows, toList } from '../../src/calc/indexes/row-lists.ts';

const row = fc.oneof(fc.nat(600), fc.constantFrom(255, 256, 511, 512, 100_000, 1_048_575));

it('a row list contains the rows that were added and not removed, in ascending order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(row, fc.boolean()), { maxLength: 80 }), row, (steps, probe) => {
      let rows: IndexedRows | undefined;
      const plain = new Set<number>();
      for (const [at, adds] of steps) {
        if (adds === plain.has(at)) continue;
        if (adds) plain.add(at);
        else plain.delete(at);
        const current: IndexedRows | undefined = rows;
        if (current === undefined) rows = at;
        else rows = adds ? addRow(current, at) : deleteRow(current, at);
      }
      const sorted = [...plain].sort((a, b) => a - b);
      assert.deepEqual(toList(rows), sorted);
      assert.equal(findFirstRow(rows, probe), sorted.find((at) => at >= probe) ?? -1);
    }),
  );
});
