import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { PlainColumnBuilder, readPlainValue, restoreTexts } from '../../src/sheet/plain-column.ts';
import { SharedMemory } from '../../src/sheet/shared-memory.ts';

const value = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
  fc.constantFrom('é', 'я', '日本語', '😀', 'a'.repeat(3_000), 'я'.repeat(3_000)),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
);
const column = fc.uniqueArray(fc.record({ row: fc.nat(100_000), value, isBytes: fc.boolean() }), {
  selector: ({ row }) => row,
  minLength: 1,
  maxLength: 300,
});

it('columns contain their cells in the order of rows, also if builders alternate and use the arrays of earlier ones', () => {
  fc.assert(
    fc.property(fc.array(column, { minLength: 1, maxLength: 4 }), fc.boolean(), (columns, isFinishedAtOnce) => {
      const memory = new SharedMemory();
      const builders = columns.map((cells, at) => {
        const builder = new PlainColumnBuilder(at);
        for (const { row, value: content, isBytes } of cells) {
          const bytes = Buffer.from(`<${content}>`);
          const isAscii = typeof content === 'string' && bytes.length === content.length + 2;
          if (isAscii && isBytes) builder.putAscii(row, bytes, 1, bytes.length - 1);
          else builder.put(row, content);
        }
        return isFinishedAtOnce ? builder.finish(memory) : builder;
      });
      const built = builders.map((one) => (one instanceof PlainColumnBuilder ? one.finish(memory) : one));
      for (const [at, cells] of columns.entries()) {
        const packed = built[at]!;
        const texts = restoreTexts(packed);
        const read = Array.from(packed.rows, (row, cell) => [row, readPlainValue(packed, texts, cell)]);
        const sorted = cells.toSorted((a, b) => a.row - b.row);
        const expected = sorted.map(({ row, value: content }) => [
          row,
          typeof content === 'number' ? content + 0 : content,
        ]);
        assert.deepEqual([packed.column, read], [at, expected]);
      }
    }),
    { numRuns: 150 },
  );
});
